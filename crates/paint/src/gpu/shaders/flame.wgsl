// A flame as that of a candle, as `render::flame` has it.

fn has_flame() -> bool { return frame.flame.w > 0.0; }

// Twin: flame::glow.
// Light of a place in it, in widths from its foot.
fn flame_glow(p: vec3<f32>) -> vec3<f32> {
    let high = frame.flame.w;
    let up = p.y / high;
    if up <= 0.0 || up >= 1.0 { return vec3(0.0); }
    let aside = p.xz - frame.flame_blown.xy * (high * up * up);
    let wide = FLAME_WIDE * high * 2.6 * sqrt(up) * (1.0 - up);
    let out = length(aside) / max(wide, 1e-4);
    let shape = ramp(1.0, 0.25, out);
    let color = mix(FLAME_FOOT, mix(FLAME_BODY, FLAME_TIP, ramp(0.55, 1.0, up)), ramp(0.0, 0.24, up));
    let dark = ramp(0.55, 0.0, out) * ramp(0.34, 0.10, up);
    return color * (shape * (1.0 - 0.8 * dark));
}

// Twin: flame::light, flame::span.
// Its light along a ray before `limit`.
fn flame_light(ray: Ray, limit: f32) -> vec3<f32> {
    if !has_flame() { return vec3(0.0); }
    let way = ray.direction * oblong();
    let to = (frame.flame.xyz - ray.origin) * oblong() + vec3(0.0, 0.5 * frame.flame.w, 0.0);
    let square = dot(way, way);
    let nearest = dot(to, way) / square;
    let reach = FLAME_REACH * frame.flame.w;
    let off = to - way * nearest;
    let apart = dot(off, off);
    if apart >= reach * reach { return vec3(0.0); }
    let half = sqrt((reach * reach - apart) / square);
    let begin = max(nearest - half, 0.0);
    let end = min(nearest + half, limit);
    if begin >= end { return vec3(0.0); }
    let step = (end - begin) / f32(FLAME_SAMPLES);
    var sum = vec3(0.0);
    for (var k = 0; k < FLAME_SAMPLES; k++) {
        sum += flame_glow((at(ray, begin + (f32(k) + 0.5) * step) - frame.flame.xyz) * oblong());
    }
    return sum * (step * length(way) * FLAME_BRIGHT / (FLAME_WIDE * frame.flame.w));
}

// Twin: flame::toward.
// Way from a point to its middle, in widths.
fn toward_flame(p: vec3<f32>) -> vec3<f32> {
    return (frame.flame.xyz - p) * oblong() + vec3(0.0, mix(0.0, frame.flame.w, 0.35), 0.0);
}

// Twin: flame::at.
// Light that arrives from it at a point with normal n.
fn flame_at(p: vec3<f32>, n: vec3<f32>) -> vec3<f32> {
    if !has_flame() { return vec3(0.0); }
    let to = toward_flame(p);
    let apart = dot(to, to) / (frame.flame.w * frame.flame.w);
    let facing = saturate1(0.2 + 0.8 * dot(n, to) / max(length(to), 1e-4));
    return FLAME_LIGHT * (FLAME_LIT * facing / (apart + 0.8));
}

// Twin: flame::inside.
// Light of it that comes out of a material that it enters.
fn flame_inside(p: vec3<f32>) -> vec3<f32> {
    if !has_flame() { return vec3(0.0); }
    let apart = length(toward_flame(p)) / frame.flame.w;
    return FLAME_INSIDE * FLAME_LIGHT * exp(-max(apart - 0.5, 0.0) / FLAME_ENTERS);
}

// Light that arrives from it on rock.
fn flame_on_rock(p: vec3<f32>, n: vec3<f32>) -> vec3<f32> { return frame.heat.z * flame_at(p, n); }
