// Clots that vents throw, as `render::sparks` has them.

// Twin: clouded::unclouded.
// Share of light that gas and smoke before a distance along a ray leave.
fn unclouded(ray: Ray, t: f32) -> f32 {
    var depth = 0.0;
    if has_smoke() {
        let s = smoke_span(ray, t);
        for (var k = 0; k < SPARK_SAMPLES; k++) {
            if !s.hit { break; }
            let p = at(ray, s.near + (s.far - s.near) * (f32(k) + 0.5) / f32(SPARK_SAMPLES));
            let root = textureSampleLevel(smoke_cells, linear_held, smoke_place(p), 0.0).r;
            depth += root * root * frame.smoke.cells.w * (s.far - s.near) / f32(SPARK_SAMPLES);
        }
    }
    if has_fog() {
        let s = fog_span(ray, t);
        for (var k = 0; k < SPARK_SAMPLES; k++) {
            if !s.hit { break; }
            let densities = gas_at(at(ray, s.near + (s.far - s.near) * (f32(k) + 0.5) / f32(SPARK_SAMPLES))).densities;
            depth += dot(densities, vec2(frame.fog_kind[0].w, frame.fog_kind[1].w)) * (s.far - s.near) / f32(SPARK_SAMPLES);
        }
    }
    return exp(-SPARK_HIDES * depth * pace_of(ray));
}

// Twin: sparks::met.
// How far a ray goes until it passes a streak nearest (x), and the share of its light that it gets (y).
fn streak_met(ray: Ray, head: vec4<f32>, tail: vec3<f32>) -> vec2<f32> {
    let along = head.xyz - tail;
    let to = tail - ray.origin;
    let b = dot(ray.direction, along);
    let c = dot(along, along);
    let d = dot(ray.direction, to);
    let e = dot(along, to);
    let place = saturate1((b * d - e) / max(c - b * b, 1e-6));
    let nearest = to + along * place;
    let t = dot(ray.direction, nearest);
    let apart = max(dot(nearest, nearest) - t * t, 0.0);
    let wide = max(head.w, SPARK_THINNEST * frame.floor.w * t);
    if apart > SPARK_SEEN * SPARK_SEEN * wide * wide { return vec2(t, 0.0); }
    let thin = head.w / wide;
    return vec2(t, exp(-apart / (wide * wide)) * thin * sqrt(thin) * mix(SPARK_TAIL, 1.0, place));
}

// Light of the clots along a ray before `limit`.
fn spark_light(ray: Ray, limit: f32) -> vec3<f32> {
    var sum = vec3(0.0);
    var first = FAR;
    for (var v = 0; v < i32(frame.floor.z); v++) {
        let ball = frame.fountains[v];
        let to = ball.xyz - ray.origin;
        let along = dot(to, ray.direction);
        if dot(to, to) - along * along >= ball.w * ball.w { continue; }
        for (var k = i32(frame.fountain_streaks[v].x); k < i32(frame.fountain_streaks[v].y); k++) {
            let met = streak_met(ray, frame.spark_heads[k], frame.spark_tails[k].xyz);
            if met.y <= 0.0 || met.x <= 0.0 || met.x >= limit { continue; }
            sum += shown(frame.spark_tails[k].w) * (SPARK_BRIGHT * met.y);
            first = min(first, met.x);
        }
    }
    if first == FAR { return sum; }
    return sum * unclouded(ray, first);
}
