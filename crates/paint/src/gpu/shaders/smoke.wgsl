// Ash and steam in the air, as `render::smoke` and `render::plume` draw them.

// Byte of no velocity, and how many more are two air cells a step.
const STILL = 128.0;
const QUICKEST = 127.0;

fn has_smoke() -> bool { return frame.smoke.low.w > 0.0; }

// Place in the textures.
fn smoke_place(p: vec3<f32>) -> vec3<f32> {
    return (p - frame.smoke.low.xyz) / (frame.smoke.low.w * frame.smoke.cells.xyz);
}

// Place in the texture of the motion, which has two halves along z: 0 the motion, 1 the colours of inks.
fn smoke_half(place: vec3<f32>, half: f32) -> vec3<f32> {
    let edge = 0.5 / frame.smoke.cells.z;
    return vec3(place.xy, 0.5 * (clamp(place.z, edge, 1.0 - edge) + half));
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

// Height of the billows of smoke that moves (voxels a step), with so many of the broadest to a voxel, and its slope to the edge of
// one of these.
fn smoke_billow(p: vec3<f32>, flow: vec3<f32>, scale: f32) -> vec4<f32> {
    var sum = vec4(0.0);
    for (var k = 0; k < 2; k++) {
        let carried = select(frame.smoke.carried.xy, frame.smoke.carried.zw, k > 0);
        if carried.y <= FAINT { continue; }
        let far = length(flow) * scale * carried.x;
        let moved = (p - flow * (carried.x * FARTHEST / (FARTHEST + far))) * scale + select(vec3(0.0), BEGAN, k > 0);
        sum += billow(moved) * carried.y;
    }
    return sum;
}

// The same of the broad ones, and of the finer ones that pixels at this distance show in smoke that is no thin veil.
fn smoke_billows(p: vec3<f32>, flow: vec3<f32>, t: f32, thin: f32) -> vec4<f32> {
    let scale = 1.0 / (BILLOW * frame.smoke.low.w);
    let fine = (1.0 - thin * thin) * saturate1((t * frame.floor.w / frame.smoke.low.w - FINER_SEEN.x) / (FINER_SEEN.y - FINER_SEEN.x));
    var sum = vec4(0.0);
    for (var k = 0; k < 2; k++) {
        let counts = select(vec2(1.0), vec2(FINER_HEIGHT, FINER_SLOPE) * fine, k > 0);
        if k > 0 && fine <= FAINT { continue; }
        sum += smoke_billow(p, flow, scale * select(1.0, FINER_BILLOWS, k > 0)) * vec4(counts.x, vec3(counts.y));
    }
    return sum;
}

// Smoke with its billows: absorption to a voxel of way, and light that it sends on towards the eye.
struct ShapedSmoke { dense: f32, light: vec3<f32> }

// Light that scatters in smoke, the same along a whole ray.
struct SmokeLight { straight: vec3<f32>, astray: vec3<f32>, above: vec3<f32>, below: vec3<f32>, lava: vec3<f32> }

fn smoke_lobe(g: f32, cosine: f32) -> f32 {
    let turned = 1.0 + g * g - 2.0 * g * cosine;
    return (1.0 - g * g) / (turned * sqrt(turned));
}

fn smoke_light(ray: Ray) -> SmokeLight {
    let cosine = dot(view_of(ray), frame.sun.xyz);
    let phase = SMOKE_LOBE * smoke_lobe(SMOKE_AHEAD, cosine) + (1.0 - SMOKE_LOBE) * smoke_lobe(SMOKE_BACK, cosine);
    return SmokeLight(
        frame.sun_color.rgb * (SMOKE_STRAIGHT * phase),
        frame.sun_color.rgb * SMOKE_ASTRAY,
        frame.ambient_above.rgb * SMOKE_SKY,
        frame.ambient_below.rgb * SMOKE_SKY,
        shown(EMBER_KELVIN) * (EMBER_STRENGTH * SMOKE_LAVA * frame.heat.z * frame.smoke.albedo.w));
}

fn shaped_smoke(p: vec3<f32>, t: f32, light: SmokeLight) -> ShapedSmoke {
    let place = smoke_place(p);
    let cell = textureSampleLevel(smoke_cells, linear_held, place, 0.0);
    let edge = frame.smoke.low.w;
    var dense = cell.r * cell.r * frame.smoke.cells.w;
    if dense * edge <= LEAST_SMOKE { return ShapedSmoke(0.0, vec3(0.0)); }
    // Dense ash is dark.
    let pale = 1.0 - DARKENED * dense * edge / (dense * edge + HALF_DARKENED);
    var motion_place = place;
    var ash = frame.smoke.albedo.rgb;
    if frame.smoke.inks.x > 0.0 {
        motion_place = smoke_half(place, 0.0);
        let tint = textureSampleLevel(smoke_flow, linear_held, smoke_half(place, 1.0), 0.0);
        // Twin: plume::tinted.
        ash = mix(ash, tint.rgb * tint.rgb, tint.a);
    }
    let motion = textureSampleLevel(smoke_flow, linear_held, motion_place, 0.0);
    var facing = 1.0;
    var up = ABOVE;
    var open = 1.0;
    let detail = frame.smoke.ends.w;
    if detail > 0.0 {
        let thin = exp(-dense * edge);
        let billow = smoke_billows(p, (motion.xyz * 255.0 - STILL) * (2.0 / QUICKEST * edge), t, thin);
        dense *= clamp(1.0 + detail * billow.x * (ROUGH + RAGGED * thin), 0.0, 4.0);
        facing = clamp(1.0 - RELIEF * detail * dot(billow.yzw, frame.sun.xyz), FACING.x, FACING.y);
        up = saturate1(ABOVE - UPPER * detail * billow.z);
        open = max(1.0 - HOLLOW * detail * (1.0 - ramp(HOLLOWS.x, HOLLOWS.y, billow.x)), DEEPEST);
    }
    let sun = light.straight * (cell.b * facing) + light.astray * (sqrt(cell.b) * (0.5 + 0.5 * facing));
    let sky = mix(light.below, light.above, up) * mix(SMOKE_SHADED, 1.0, motion.a);
    // Light from below is caught by the lower side of a billow.
    let lava = light.lava * (cell.a * cell.a * BRIGHTEST_SMOKE * (1.0 + RELIEF / UPPER * (ABOVE - up)));
    let sent = (sun + sky + lava) * open;
    let evened = sent / (1.0 + EVENED * cell.g * max(sent.r, max(sent.g, sent.b)));
    return ShapedSmoke(dense, mix(ash * pale, DROPS, cell.g) * evened);
}

// The part of a ray where there may be smoke.
fn smoke_span(ray: Ray, limit: f32) -> Span { return between(ray, frame.smoke.begins.xyz, frame.smoke.ends.xyz, limit); }

// Adds what the smoke along a stretch of a ray does to its light. A sample stands for the step that ends at it, and one at the
// end of the stretch for what is left; the steps of dense smoke are walked in parts. All samples go through one call: a graphics
// card's driver compiles a function once for each of its calls.
fn scatter_smoke(passed: ptr<function, Passed>, ray: Ray, start: f32, end: f32, jitter: f32) {
    let s = smoke_span(ray, end);
    let begin = max(s.near, start);
    if !s.hit || begin >= s.far { return; }
    let light = smoke_light(ray);
    let pace = pace_of(ray);
    let step = frame.smoke.begins.w;
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
        let smoke = shaped_smoke(at(ray, here.x), here.x, light);
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
