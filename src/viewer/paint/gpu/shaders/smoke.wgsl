// Ash and steam in the air, as `render::smoke` and `render::plume` draw them.

// Optical depth of an air cell up to which nothing is drawn, and share of light from which on a ray ends.
const LEAST_SMOKE = 2e-3;
const OPAQUE_SMOKE = 0.015;
// Share of the light behind it that a part of a step takes at most, and the most parts of a step.
const PART_OF_SMOKE = 0.16;
const PARTS_OF_SMOKE = 6.0;
const DROPS = vec3<f32>(0.92, 0.93, 0.95);
// Shift of the second generation of billows.
const BEGAN = vec3<f32>(1.37, 2.71, 0.19);

fn has_smoke() -> bool { return frame.smoke_low.w > 0.0; }

// Place in the textures.
fn smoke_place(p: vec3<f32>) -> vec3<f32> {
    return (p - frame.smoke_low.xyz) / (frame.smoke_low.w * frame.smoke_cells.xyz);
}

// Share of the sun that smoke on its way leaves at a point.
fn smoke_sunlight(p: vec3<f32>) -> f32 {
    if !has_smoke() { return 1.0; }
    let place = smoke_place(p);
    if any(place < vec3(0.0)) || any(place > vec3(1.0)) { return 1.0; }
    return textureSampleLevel(smoke_cells, linear_held, place, 0.0).b;
}

// The same of gas and smoke.
fn cloud_sunlight(p: vec3<f32>) -> f32 { return fog_sunlight(p) * smoke_sunlight(p); }

// Height of the billows of smoke that moves (voxels a step), and its slope to the edge of a broadest billow.
fn smoke_billow(p: vec3<f32>, flow: vec3<f32>) -> vec4<f32> {
    var sum = vec4(0.0);
    for (var k = 0; k < 2; k++) {
        let carried = select(frame.smoke_carried.xy, frame.smoke_carried.zw, k > 0);
        if carried.y <= 0.02 { continue; }
        let far = length(flow) / (11.0 * frame.smoke_low.w) * carried.x;
        let moved = (p - flow * (carried.x * 0.35 / (0.35 + far))) / (11.0 * frame.smoke_low.w) + select(vec3(0.0), BEGAN, k > 0);
        // The block has 64 texels for 2 billows.
        let texel = textureSampleLevel(billows, linear_repeated, moved * 0.5 + 0.5 / 64.0, 0.0) * 2.0 - 1.0;
        sum += texel * vec4(1.0, 12.0, 12.0, 12.0) * carried.y;
    }
    return sum;
}

// Smoke with its billows: absorption to a voxel of way, and light that it sends on towards the eye.
struct ShapedSmoke { dense: f32, light: vec3<f32> }

// Light that scatters in smoke, the same along a whole ray.
struct SmokeLight { straight: vec3<f32>, astray: vec3<f32>, above: vec3<f32>, below: vec3<f32>, lava: vec3<f32> }

fn smoke_lobe(g: f32, cosine: f32) -> f32 { return (1.0 - g * g) / pow(1.0 + g * g - 2.0 * g * cosine, 1.5); }

fn smoke_light(ray: Ray) -> SmokeLight {
    let cosine = dot(view_of(ray), frame.sun.xyz);
    let phase = 0.5 * smoke_lobe(0.6, cosine) + 0.5 * smoke_lobe(-0.25, cosine);
    return SmokeLight(
        frame.sun_color.rgb * (0.6 * phase),
        frame.sun_color.rgb * 0.1,
        frame.ambient_above.rgb * 0.55,
        frame.ambient_below.rgb * 0.55,
        shown(1040.0) * (14.0 * 0.32 * frame.heat.z * frame.smoke_albedo.w));
}

fn shaped_smoke(p: vec3<f32>, light: SmokeLight) -> ShapedSmoke {
    let place = smoke_place(p);
    let cell = textureSampleLevel(smoke_cells, linear_held, place, 0.0);
    let edge = frame.smoke_low.w;
    var dense = cell.r * cell.r * frame.smoke_cells.w;
    if dense * edge <= LEAST_SMOKE { return ShapedSmoke(0.0, vec3(0.0)); }
    // Dense ash is dark.
    let pale = 1.0 - 0.85 * dense * edge / (dense * edge + 0.4);
    let motion = textureSampleLevel(smoke_flow, linear_held, place, 0.0);
    var facing = 1.0;
    var up = 0.7;
    var open = 1.0;
    let detail = frame.smoke_to.w;
    if detail > 0.0 {
        let billow = smoke_billow(p, (motion.xyz * 255.0 - 128.0) * (2.0 / 127.0 * edge));
        dense *= clamp(1.0 + detail * billow.x * (2.0 + 2.6 * exp(-dense * edge)), 0.0, 4.0);
        facing = clamp(1.0 - 0.5 * detail * dot(billow.yzw, frame.sun.xyz), 0.3, 1.9);
        up = saturate1(0.7 - 0.25 * detail * billow.z);
        open = max(1.0 - 1.1 * detail * (1.0 - ramp(-0.75, 0.55, billow.x)), 0.3);
    }
    let sun = light.straight * (cell.b * facing) + light.astray * (sqrt(cell.b) * (0.5 + 0.5 * facing));
    let sky = mix(light.below, light.above, up) * mix(0.15, 1.0, motion.a);
    // Light from below is caught by the lower side of a billow.
    let lava = light.lava * (cell.a * cell.a * 4.0 * (1.0 + 2.0 * (0.7 - up)));
    return ShapedSmoke(dense, mix(frame.smoke_albedo.rgb * pale, DROPS, cell.g) * ((sun + sky + lava) * open));
}

// The part of a ray where there may be smoke.
fn smoke_span(ray: Ray, limit: f32) -> Span { return between(ray, frame.smoke_from.xyz, frame.smoke_to.xyz, limit); }

// Adds what the smoke along a stretch of a ray does to its light. A sample stands for the step that ends at it, and one at the
// end of the stretch for what is left; the steps of dense smoke are walked in parts. All samples go through one call: a graphics
// card's driver compiles a function once for each of its calls.
fn scatter_smoke(passed: ptr<function, Passed>, ray: Ray, start: f32, end: f32, jitter: f32) {
    let s = smoke_span(ray, end);
    let begin = max(s.near, start);
    if !s.hit || begin >= s.far { return; }
    let light = smoke_light(ray);
    let pace = pace_of(ray);
    let step = frame.smoke_from.w;
    let last = max((floor(s.far / step - jitter) + jitter) * step, begin);
    var n = ceil(begin / step - jitter);
    var whole = vec2(0.0);
    var part = 0.0;
    var parts = 1.0;
    loop {
        // The place and the length of this sample.
        var here = vec2((n + jitter) * step, 0.0);
        here.y = min(step, here.x - begin);
        let ends = here.x >= s.far || n + 1.0 <= n;
        if ends { here = vec2(s.far, s.far - last); }
        if part == 0.0 {
            whole = here;
        } else {
            let short = whole.y / parts;
            here = vec2(whole.x - short * (parts - part), short);
        }
        let smoke = shaped_smoke(at(ray, here.x), light);
        let share = 1.0 - exp(-smoke.dense * pace * here.y);
        let left = max((*passed).through.r, max((*passed).through.g, (*passed).through.b));
        if part == 0.0 && share * left > PART_OF_SMOKE {
            parts = min(ceil(share * left / PART_OF_SMOKE), PARTS_OF_SMOKE);
            part = 1.0;
            continue;
        }
        if smoke.dense > 0.0 && here.y > 0.0 {
            (*passed).first = min((*passed).first, here.x);
            (*passed).light += (*passed).through * smoke.light * share;
            (*passed).through *= 1.0 - share;
        }
        if part > 0.0 && part < parts {
            part += 1.0;
            continue;
        }
        part = 0.0;
        n += 1.0;
        if ends || max((*passed).through.r, max((*passed).through.g, (*passed).through.b)) <= OPAQUE_SMOKE { break; }
    }
}
