// From linear light to what the screen shows: bloom, tone map, sRGB, a trace of dither. As `render::film`.

// Storage, not uniform: see `Gpu::numbers`.
@group(0) @binding(0) var<storage, read> film: FilmNumbers;
@group(0) @binding(1) var linear_held: sampler;
// What a blur reads; else the lava's light, premultiplied, over that of the backdrop.
@group(0) @binding(2) var light: texture_2d<f32>;
@group(0) @binding(5) var backdrop: texture_2d<f32>;
@group(0) @binding(3) var near_bloom: texture_2d<f32>;
@group(0) @binding(4) var wide_bloom: texture_2d<f32>;
@group(0) @binding(6) var<storage, read> mask: array<f32>;

// Exponent of the target in which the window shows the picture.
const SCREEN = 2.2;

// Light is kept as c / (1 + max(c)).
fn expanded(c: vec3<f32>) -> vec3<f32> { return c / max(1.0 - max(c.r, max(c.g, c.b)), 1e-3); }

// Lava over backdrop, and how much of the sky is hidden.
fn seen(uv: vec2<f32>) -> vec4<f32> {
    let lava = textureSampleLevel(light, linear_held, uv, 0.0);
    let behind = textureSampleLevel(backdrop, linear_held, uv, 0.0);
    let added = expanded(lava.rgb);
    let cover = 1.0 - (1.0 - behind.a) * (1.0 - lava.a);
    // Light that spills over the sky covers as far as it is seen.
    let spill = clamp(2.0 * max(added.r, max(added.g, added.b)), 0.0, 1.0);
    return vec4(max(expanded(behind.rgb) * (1.0 - lava.a) + added, vec3(0.0)), max(cover, spill));
}

@vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32((i << 1u) & 2u) * 2.0 - 1.0, f32(i & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

// The bright part of a block of 4 × 4 pixels.
@fragment fn bright(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let corner = vec2<i32>(place.xy) * BLOCK_OF_LIGHT;
    let last = vec2<i32>(film.size.xy) - 1;
    var sum = vec3(0.0);
    var count = 0.0;
    for (var j = 0; j < BLOCK_OF_LIGHT; j++) {
        for (var i = 0; i < BLOCK_OF_LIGHT; i++) {
            let p = corner + vec2(i, j);
            if any(p > last) { continue; }
            let c = seen((vec2<f32>(p) + 0.5) / film.size.xy).rgb * film.how.x;
            let most = max(c.r, max(c.g, c.b));
            sum += c * (clamp(most - THRESHOLD, 0.0, BRIGHTEST) / max(most, 1e-6));
            count += 1.0;
        }
    }
    return vec4(sum / (count * film.how.x), 1.0);
}

// One direction of a Gaussian; two taps are read at once, between two texels.
@fragment fn blur(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let scale = vec2<f32>(textureDimensions(light));
    let uv = place.xy / film.size.zw;
    let stride = film.blur.xy / scale;
    var sum = textureSampleLevel(light, linear_held, uv, 0.0).rgb;
    var total = 1.0;
    for (var i = 1.0; i < film.blur.w; i += 2.0) {
        let a = exp(-0.5 * i * i / (film.blur.z * film.blur.z));
        let b = exp(-0.5 * (i + 1.0) * (i + 1.0) / (film.blur.z * film.blur.z));
        let reach = stride * (i + b / (a + b));
        sum += (textureSampleLevel(light, linear_held, uv + reach, 0.0).rgb
            + textureSampleLevel(light, linear_held, uv - reach, 0.0).rgb) * (a + b);
        total += 2.0 * (a + b);
    }
    return vec4(sum / total, 1.0);
}

// Twin: film::curve.
// Narkowicz's fit of the ACES curve, per channel; what is brighter still goes to white.
fn filmic(c: vec3<f32>) -> vec3<f32> {
    let peak = max(c.x, max(c.y, c.z));
    let white = BURNT * smoothstep(BURNS.x, BURNS.y, peak);
    let x = max(mix(c, vec3(peak), white), vec3(0.0)) * 1.05;
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), vec3(0.0), vec3(1.0));
}

// Twin: palette::linear_to_srgb.
fn srgb(c: vec3<f32>) -> vec3<f32> {
    return select(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3(0.0031308));
}

// The blue noise of `render::mask`.
fn masked(pixel: vec2<u32>) -> f32 { return mask[pixel.y % MASK_SIDE * MASK_SIDE + pixel.x % MASK_SIDE]; }

// Twin: film::moved.
// How far what is seen at a place is moved by hot air, all in heights of the picture.
fn moved(place: vec2<f32>, heat: f32) -> vec2<f32> {
    let q = place * WAVES;
    let t = film.air.y;
    return MOVES * film.air.x * heat
        * vec2(sin(q.y + t + 1.7 * sin(0.6 * q.x + 0.5 * t)), sin(0.8 * q.x + 1.3 * sin(0.7 * q.y + t)));
}

// Twin: film::heat.
// Heat of the air over light of the wide bloom.
fn heat(bloom: vec3<f32>) -> f32 { return saturate(HEATS * (bloom.r - WHITE * bloom.b)); }

// Twin: film::visible_share.
// Share of the hot air that is seen beside what glows.
fn beside(bloom: vec3<f32>) -> f32 { return 1.0 - smoothstep(GLOWS.x, GLOWS.y, max(bloom.r, max(bloom.g, bloom.b))); }

// Twin: film::bent.
// A place of the picture as it is seen through hot air.
fn seen_through_air(uv: vec2<f32>) -> vec4<f32> {
    let here = seen(uv);
    if film.air.x == 0.0 { return here; }
    let below = textureSampleLevel(wide_bloom, linear_held, uv + vec2(0.0, ABOVE), 0.0).rgb;
    let near = textureSampleLevel(near_bloom, linear_held, uv, 0.0).rgb;
    let hot = heat(below * film.how.x) * beside(near * film.how.x);
    if hot <= 0.0 { return here; }
    let wide = vec2(film.size.z / film.size.w, 1.0);
    return seen(uv + moved(uv * wide, hot) / wide);
}

// Twin: film::dithered.
// The target that shows it takes linear light.
@fragment fn develop(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let uv = (place.xy - vec2(film.air.z, 0.0)) / film.size.zw;
    let here = seen_through_air(uv);
    var c = here.rgb;
    var glow = vec3(0.0);
    if film.how.z == 1.0 {
        glow = (textureSampleLevel(near_bloom, linear_held, uv, 0.0).rgb * BLOOM_SHARES.x
            + textureSampleLevel(wide_bloom, linear_held, uv, 0.0).rgb * BLOOM_SHARES.y) * film.how.y;
        c = filmic((c + glow) * film.how.x);
    } else {
        c = clamp(c, vec3(0.0), vec3(1.0));
    }
    // Half a grey level of noise hides the bands that 8 bits leave in a dark sky.
    let grain = (masked(vec2<u32>(place.xy)) - 0.5) * 0.9 / 255.0;
    let coded = clamp(srgb(c) + grain, vec3(0.0), vec3(1.0));
    if film.how.w == 1.0 {
        // Light that spills over the sky is kept, as far as it covers.
        let cover = max(here.a, clamp(max(glow.r, max(glow.g, glow.b)) * film.how.x, 0.0, 1.0));
        return vec4(coded, cover);
    }
    return vec4(pow(coded, vec3(SCREEN)), 1.0);
}
