// Gases, as `render::fog` and `render::steam` draw them: densities and light on a coarse grid, which has the shade of solids too.

struct Gas { densities: vec2<f32>, sun: f32, below: f32 }

fn has_fog() -> bool { return frame.fog_low.w > 0.5; }

fn has_gas() -> bool { return has_fog() && frame.fog_more.w > 0.5; }

fn gas_at(p: vec3<f32>) -> Gas {
    let size = vec3<f32>(textureDimensions(fog)) * frame.fog_high.w;
    let d = textureSampleLevel(fog, linear_held, p / size, 0.0);
    return Gas(d.rg, d.b, d.a);
}

// Share of the sun that gas and solid matter on its way leave at a point.
fn fog_sunlight(p: vec3<f32>) -> f32 {
    if !has_fog() { return 1.0; }
    let beside = max(max(-p.xz, p.xz - frame.cells.xz), vec2(0.0));
    return mix(gas_at(p).sun, 1.0, saturate1(max(beside.x, beside.y) / (FOG_FADED * frame.fog_high.w)));
}

// Density of all gases at a point.
fn fog_density(p: vec3<f32>) -> f32 {
    if !has_gas() || any(p < frame.clip_low.xyz) || any(p > frame.clip_high.xyz) { return 0.0; }
    let gas = gas_at(p);
    return gas.densities.x + gas.densities.y;
}

// Twin: shading::beside_ground.
// Share of the sun that the ground leaves at a point: its shade reaches up a little.
fn beside_ground(p: vec3<f32>) -> f32 {
    return mix(sunlight(p.x, p.z), 1.0, saturate1((p.y - height(p.x, p.z)) / (GAS_LIFTED * frame.cells.w)));
}

// Twin: shading::open.
// Share of the sun that ground, gas, smoke and solids leave at a point.
fn open_at(p: vec3<f32>) -> f32 { return beside_ground(p) * cloud_sunlight(p); }

// Twin: shading::open_on.
// The same at the surface of a solid medium.
fn open_on(p: vec3<f32>, normal: vec3<f32>) -> f32 {
    return beside_ground(p) * cloud_sunlight(p + (normal + frame.sun.xyz / oblong()) * (FOG_OFF * frame.fog_high.w));
}

// Twin: lava_glow::ambient_glow.
// Strength of the lava's glow on gas.
fn ember_around(p: vec3<f32>) -> f32 {
    let here = textureSampleLevel(ember_map, linear_held, column_uv(p.x, p.z), 0.0).rg;
    if here.r < 1e-4 { return 0.0; }
    let rise = (here.g / here.r - p.y) * oblong().y / frame.cells.w;
    return here.r / ((1.0 + 0.9 * here.r) * (1.0 + EMBER_HIGH * rise * rise));
}

// Twin: steam::phase, steam::light.
// Light that arrives at a point in gas, and is sent on towards the eye.
fn fog_light(ray: Ray, p: vec3<f32>, gas: Gas) -> vec3<f32> {
    let cosine = dot(view_of(ray), frame.sun.xyz);
    let phase = (1.0 - GAS_FORWARD * GAS_FORWARD) / pow(1.0 + GAS_FORWARD * GAS_FORWARD - 2.0 * GAS_FORWARD * cosine, 1.5);
    let open = beside_ground(p);
    let sky = (frame.ambient_above.rgb * 0.75 + frame.ambient_below.rgb * 0.25) * GAS_SKY;
    let lava = shown(EMBER_KELVIN) * (EMBER_STRENGTH * GAS_LAVA * frame.heat.z * ember_around(p) * gas.below);
    let around = sqrt(gas.sun);
    return frame.sun_color.rgb * (GAS_SUN * phase * mix(gas.sun, around, GAS_ASTRAY) * open) + sky * mix(GAS_SHADED, 1.0, around) + lava;
}

// What gas does to the light of a stretch of a ray: light (rgb) added before what comes through (a), and from where (`first`).
struct Scattered { light: vec3<f32>, through: f32, first: f32 }

// The part of a ray where there may be gas.
fn fog_span(ray: Ray, limit: f32) -> Span {
    return between(ray, max(frame.fog_low.xyz, frame.clip_low.xyz), min(frame.fog_high.xyz, frame.clip_high.xyz), limit);
}

fn scatter(ray: Ray, start: f32, end: f32, jitter: f32) -> Scattered {
    var sum = Scattered(vec3(0.0), 1.0, FAR);
    let s = fog_span(ray, end);
    if !s.hit { return sum; }
    let step = frame.fog_high.w;
    let pace = pace_of(ray);
    var n = ceil(max(s.near, start) / step - jitter);
    loop {
        let t = (n + jitter) * step;
        if t >= s.far || n + 1.0 <= n || sum.through <= OPAQUE_GAS { break; }
        n += 1.0;
        let p = at(ray, t);
        let gas = gas_at(p);
        if gas.densities.x + gas.densities.y <= LEAST_GAS / 255.0 { continue; }
        let extinction = vec2(frame.fog_kind[0].w, frame.fog_kind[1].w);
        let puff = billow((p - vec3(0.0, frame.fog_more.z, 0.0)) * (GAS_BROAD / frame.cells.w));
        let torn = mix(vec2(1.0), clamp(gas.densities / GAS_WHOLE + GAS_TORN.x + GAS_TORN.y * puff.x, vec2(0.0), vec2(1.0)), min(frame.fog_more.xy, vec2(1.0)));
        let dense = extinction * gas.densities * torn * clamp(1.0 + frame.fog_more.xy * GAS_BILLOWS * puff.x, vec2(0.0), vec2(3.0));
        let all = dense.x + dense.y;
        if all <= 0.0 { continue; }
        let albedo = (frame.fog_kind[0].rgb * dense.x + frame.fog_kind[1].rgb * dense.y) / all;
        let share = 1.0 - exp(-all * pace * step);
        sum.first = min(sum.first, t);
        let billowy = dot(min(frame.fog_more.xy, vec2(1.0)), dense) / all;
        let facing = clamp(1.0 - billowy * GAS_RELIEF * dot(puff.yzw, frame.sun.xyz), GAS_FACING.x, GAS_FACING.y);
        sum.light += sum.through * share * albedo * fog_light(ray, p, gas) * facing;
        sum.through *= 1.0 - share;
    }
    return sum;
}

// Twin: water::foam_light.
fn foam_light(p: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let facing = saturate1(0.25 + 0.75 * dot(normal, frame.sun.xyz)) * open_at(p);
    let lava = water_lava_light() * (0.3 * ember_at(p, vec3(0.0, 1.0, 0.0)));
    return (frame.sun_color.rgb * (0.35 * facing) + sky_ambient(normal) * 0.6 + lava) * 0.9;
}
