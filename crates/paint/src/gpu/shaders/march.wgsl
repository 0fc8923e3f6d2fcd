// Walking the volume: empty bricks are jumped over, samples lie at whole multiples of the step plus the jitter wherever
// jumps begin or end, so that pictures with and without jumps are the same.

// The part of a ray inside the clip box.
fn span(ray: Ray, limit: f32) -> Span { return between(ray, frame.clip_low.xyz, frame.clip_high.xyz, limit); }

// Whether lava at p is shown. The box's own sides hide nothing: the ground may reach a little beyond them.
fn shows(p: vec3<f32>) -> bool {
    let low = frame.clip_low.xyz;
    let high = frame.clip_high.xyz;
    return all((low <= vec3(0.0)) | (p >= low)) && all((high >= frame.cells.xyz) | (p <= high));
}

struct Walk { n: f32, step: f32, jitter: f32, inverse: vec3<f32> }

fn first_sample(w: Walk, t: f32) -> f32 { return ceil(t / w.step - w.jitter); }

// Gives a direction of 0 a sign.
const TINY = 1e-20;

// Twin: field::walk.
fn start_walk(ray: Ray, near: f32, jitter: f32) -> Walk {
    let d = ray.direction;
    let held = select(vec3(1.0) / d, sign(d + vec3(TINY)) * 1e9, abs(d) < vec3(1e-9));
    var w = Walk(0.0, frame.block.w, jitter, held);
    w.n = first_sample(w, near);
    return w;
}

// Ray parameter up to which nothing needs to be sampled, or below 0 in a brick that must be.
fn jump(around: texture_3d<u32>, p: vec3<f32>, ray: Ray, inverse: vec3<f32>) -> f32 {
    let count = vec3<i32>(textureDimensions(around));
    let brick = clamp(vec3<i32>(max(p, vec3(0.0)) / BRICK), vec3(0), count - 1);
    let free = i32(textureLoad(around, brick, 0).r);
    if free == 0 { return -1.0; }
    let wall = select(brick - free + 1, brick + free, inverse > vec3(0.0));
    let leave = (vec3<f32>(wall) * BRICK - ray.origin) * inverse;
    return min(leave.x, min(leave.y, leave.z));
}

// Next sample whose density may matter: t and density, t below 0 at the end.
fn next_sample(w: ptr<function, Walk>, ray: Ray, far: f32) -> vec2<f32> {
    loop {
        let t = ((*w).n + (*w).jitter) * (*w).step;
        if t >= far || (*w).n + 1.0 <= (*w).n { return vec2(-1.0, 0.0); }
        let p = at(ray, t);
        let leave = jump(bricks, p, ray, (*w).inverse);
        if leave >= 0.0 {
            (*w).n = max(first_sample(*w, leave - 1e-3), (*w).n + 1.0);
            continue;
        }
        (*w).n += 1.0;
        let d = density(p);
        if d > frame.block.z { return vec2(t, d); }
    }
    return vec2(-1.0, 0.0);
}

const MISSED = 0u;
const GRAZED = 1u;
const CROSSED = 2u;

struct Crossing { kind: u32, t: f32, density: f32, face: vec3<f32>, cut: bool }

// Twin: field::refined.
// Regula falsi between a point outside and one inside.
fn refine(ray: Ray, outside: f32, inside: f32, iso: f32) -> f32 {
    var a = outside;
    var b = inside;
    var fa = density(at(ray, a)) - iso;
    var fb = density(at(ray, b)) - iso;
    if fa >= 0.0 { return a; }
    for (var i = 0; i < REFINEMENTS; i++) {
        let middle = a + (b - a) * clamp(-fa / max(fb - fa, 1e-6), 0.05, 0.95);
        let value = density(at(ray, middle)) - iso;
        if value < 0.0 { a = middle; fa = value; } else { b = middle; fb = value; }
    }
    // Where density is even almost the whole way, all steps may end on one side: the last guess is the best.
    return a + (b - a) * min(-fa / max(fb - fa, 1e-6), 1.0);
}

// The first place where density rises through `iso` before `limit`.
fn cross_surface(ray: Ray, limit: f32, iso: f32, jitter: f32) -> Crossing {
    var found = Crossing(MISSED, 0.0, 0.0, vec3(0.0), false);
    let s = span(ray, limit);
    if !s.hit { return found; }
    if s.near > 0.0 && density(at(ray, s.near)) >= iso {
        return Crossing(CROSSED, s.near, iso, s.entry, true);
    }
    var w = start_walk(ray, s.near, jitter);
    var peak = 0.0;
    loop {
        let hit = next_sample(&w, ray, s.far);
        if hit.x < 0.0 { break; }
        if hit.y >= iso {
            return Crossing(CROSSED, refine(ray, max(hit.x - w.step, s.near), hit.x, iso), hit.y, vec3(0.0), false);
        }
        if hit.y > peak {
            peak = hit.y;
            found = Crossing(GRAZED, hit.x, hit.y, vec3(0.0), false);
        }
    }
    if s.far >= ENDLESS { return found; }
    // A sheet thinner than a step may lie just before the end.
    let end = density(at(ray, s.far));
    if end >= iso {
        return Crossing(CROSSED, refine(ray, max(s.far - w.step, s.near), s.far, iso), end, vec3(0.0), false);
    }
    found.density -= end;
    return found;
}
