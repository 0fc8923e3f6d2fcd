// Ash and steam in the air, as `render::smoke` and `render::plume` draw them.

// Optical depth of an air cell up to which nothing is drawn, and share of light from which on a ray ends.
const LEAST_SMOKE = 2e-3;
const OPAQUE_SMOKE = 0.015;
// Share of light that a step takes from which on it is walked in parts.
const DENSE_SMOKE = 0.3;
const PARTS_OF_SMOKE = 4;
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

// Height of the billows of smoke that moves (voxels a step), and its slope to an air cell.
fn smoke_billow(p: vec3<f32>, flow: vec3<f32>) -> vec4<f32> {
    var sum = vec4(0.0);
    let edge = frame.smoke_low.w;
    // Edge of billows in air cells, and their share.
    let sizes = vec4(6.5, 17.0, 0.75, 0.65);
    for (var k = 0; k < 4; k++) {
        let carried = select(frame.smoke_carried.xy, frame.smoke_carried.zw, k > 1);
        if carried.y <= 0.02 { continue; }
        let size = select(sizes.xz, sizes.yw, (k & 1) == 1);
        let moved = (p - flow * carried.x) / (size.x * edge) + select(vec3(0.0), BEGAN, k > 1);
        // The block has 64 texels for 4 billows.
        let texel = textureSampleLevel(billows, linear_repeated, moved * 0.25 + 0.5 / 64.0, 0.0) * 2.0 - 1.0;
        sum += texel * vec4(1.0, 6.0, 6.0, 6.0) * (carried.y * size.y);
    }
    return sum;
}

// Smoke with its billows: absorption to a voxel of way, and light that it sends on towards the eye.
struct ShapedSmoke { dense: f32, light: vec3<f32> }

// Light that scatters in smoke, the same along a whole ray.
struct SmokeLight { sun: vec3<f32>, sky: vec3<f32>, lava: vec3<f32> }

fn smoke_light(ray: Ray) -> SmokeLight {
    let cosine = dot(ray.direction, frame.sun.xyz);
    return SmokeLight(
        frame.sun_color.rgb * (0.58 * (0.7 + 0.5 * cosine * cosine)),
        (frame.ambient_above.rgb * 0.7 + frame.ambient_below.rgb * 0.3) * 0.55,
        shown(1040.0) * (14.0 * 0.2 * frame.heat.z * frame.smoke_albedo.w));
}

fn shaped_smoke(p: vec3<f32>, light: SmokeLight) -> ShapedSmoke {
    let place = smoke_place(p);
    let cell = textureSampleLevel(smoke_cells, linear_held, place, 0.0);
    let edge = frame.smoke_low.w;
    var dense = cell.r * cell.r * frame.smoke_cells.w;
    if dense * edge <= LEAST_SMOKE { return ShapedSmoke(0.0, vec3(0.0)); }
    // Dense ash is dark.
    let pale = 1.0 - 0.66 * dense * edge / (dense * edge + 2.0);
    let motion = textureSampleLevel(smoke_flow, linear_held, place, 0.0);
    var relief = 1.0;
    let detail = frame.smoke_to.w;
    if detail > 0.0 {
        let billow = smoke_billow(p, (motion.xyz * 255.0 - 128.0) * (2.0 / 127.0 * edge));
        dense *= clamp(1.0 + detail * billow.x * (1.6 + 2.2 * exp(-dense * edge)), 0.0, 4.0);
        relief = clamp(1.0 - 0.2 * detail * dot(billow.yzw, frame.sun.xyz), 0.35, 1.8);
    }
    let sun = light.sun * (mix(cell.b, sqrt(cell.b), 0.22) * relief);
    let sky = light.sky * (mix(0.22, 1.0, motion.a) * (0.6 + 0.4 * relief));
    let lava = light.lava * (cell.a * cell.a * 4.0);
    return ShapedSmoke(dense, mix(frame.smoke_albedo.rgb * pale, DROPS, cell.g) * (sun + sky + lava));
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
    let step = frame.smoke_from.w;
    let last = max((floor(s.far / step - jitter) + jitter) * step, begin);
    var n = ceil(begin / step - jitter);
    var whole = vec2(0.0);
    var part = 0;
    loop {
        // The place and the length of this sample.
        var here = vec2((n + jitter) * step, 0.0);
        here.y = min(step, here.x - begin);
        let ends = here.x >= s.far || n + 1.0 <= n;
        if ends { here = vec2(s.far, s.far - last); }
        if part == 0 {
            whole = here;
        } else {
            let short = whole.y / f32(PARTS_OF_SMOKE);
            here = vec2(whole.x - short * f32(PARTS_OF_SMOKE - part), short);
        }
        let smoke = shaped_smoke(at(ray, here.x), light);
        if part == 0 && smoke.dense * here.y > DENSE_SMOKE {
            part = 1;
            continue;
        }
        if smoke.dense > 0.0 && here.y > 0.0 {
            let share = 1.0 - exp(-smoke.dense * here.y);
            (*passed).first = min((*passed).first, here.x);
            (*passed).light += (*passed).through * smoke.light * share;
            (*passed).through *= 1.0 - share;
        }
        if part > 0 && part < PARTS_OF_SMOKE {
            part += 1;
            continue;
        }
        part = 0;
        n += 1.0;
        if ends || max((*passed).through.r, max((*passed).through.g, (*passed).through.b)) <= OPAQUE_SMOKE { break; }
    }
}
