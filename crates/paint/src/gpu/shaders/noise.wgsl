// The procedural patterns of `render::noise`, to the same hash.

// Twin: simd::hash.
fn hash3(c: vec3<i32>) -> u32 {
    let u = bitcast<vec3<u32>>(c) * HASH;
    var h = u.x ^ u.y ^ u.z;
    h = (h ^ (h >> 15u)) * ROUNDS.x;
    h = (h ^ (h >> 12u)) * ROUNDS.y;
    return h ^ (h >> 15u);
}

const BYTE = 8u;

fn signed_byte(h: u32, shift: u32) -> f32 { return f32((h >> shift) & 255u) * (2.0 / 255.0) - 1.0; }

fn noise_corner(cell: vec3<i32>, offset: vec3<f32>) -> f32 {
    let h = hash3(cell);
    return dot(vec3(signed_byte(h, 0u), signed_byte(h, BYTE), signed_byte(h, 2u * BYTE)), offset);
}

fn noise_sheet(c: vec3<i32>, f: vec3<f32>, w: vec2<f32>) -> f32 {
    let near = mix(noise_corner(c, f), noise_corner(c + vec3(1, 0, 0), f - vec3(1.0, 0.0, 0.0)), w.x);
    let far = mix(
        noise_corner(c + vec3(0, 1, 0), f - vec3(0.0, 1.0, 0.0)),
        noise_corner(c + vec3(1, 1, 0), f - vec3(1.0, 1.0, 0.0)), w.x);
    return mix(near, far, w.y);
}

// Twin: noise::fade, noise::with.
fn gradient_noise(p: vec3<f32>) -> f32 {
    let base = floor(p);
    let f = p - base;
    let c = vec3<i32>(base);
    let w = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    let below = noise_sheet(c, f, w.xy);
    let above = noise_sheet(c + vec3(0, 0, 1), f - vec3(0.0, 0.0, 1.0), w.xy);
    return 1.2 * mix(below, above, w.z);
}

// Twin: noise::fractal, noise::with.
fn fractal(p: vec3<f32>, octaves: i32) -> f32 {
    var sum = 0.0;
    var strength = 1.0;
    var q = p;
    for (var i = 0; i < octaves; i++) {
        sum += strength * gradient_noise(q);
        strength *= 0.5;
        q = q * 2.03 + vec3(17.3, 5.1, 9.7);
    }
    return sum * 0.8;
}

// Distance to the plate's edge, direction inward, a number per plate, one that it shares with the plate beyond, and the way from its
// seed.
struct Plate { edge: f32, inward: vec3<f32>, tone: f32, bond: f32, way: vec3<f32> }

// Twin: noise::share_of.
// A number in 0..1 of a hash.
fn share_of(h: u32) -> f32 { return f32((h * 0x9e3779b1u) >> 8u) / f32(1u << 24u); }

// Twin: noise::plate.
fn plate(p: vec3<f32>, drawn: vec3<f32>) -> Plate {
    let base = floor(p);
    let f = p - base;
    let cell = vec3<i32>(base);
    var first = FAR;
    var second = FAR;
    var to_first = vec3(0.0);
    var to_second = vec3(0.0);
    var id = 0u;
    var id_second = 0u;
    for (var k = -1; k <= 1; k++) {
        for (var j = -1; j <= 1; j++) {
            for (var i = -1; i <= 1; i++) {
                let h = hash3(cell + vec3(i, j, k));
                let place = vec3(f32(h & 1023u), f32((h >> 10u) & 1023u), f32((h >> 20u) & 1023u)) / 1023.0;
                let away = vec3(f32(i), f32(j), f32(k)) + place - f;
                let along = dot(away, drawn);
                let d = dot(away, away) - along * along;
                if d < first {
                    second = first;
                    to_second = to_first;
                    id_second = id;
                    first = d;
                    to_first = away;
                    id = h;
                } else if d < second {
                    second = d;
                    to_second = away;
                    id_second = h;
                }
            }
        }
    }
    let between = to_second - to_first;
    let across = between - drawn * dot(between, drawn);
    let apart = max(length(across), 1e-6);
    let edge = 0.5 * (second - first) / apart;
    return Plate(edge, -across / apart, share_of(id), share_of(id ^ id_second), -to_first);
}

// Twin: billows::billow.
// A billow at a point, in edges of the broadest ones: its height, and its slope.
fn billow(p: vec3<f32>) -> vec4<f32> {
    let place = p / f32(BILLOWS_ACROSS) + 0.5 / f32(BILLOW_TEXELS);
    return (textureSampleLevel(billows, linear_repeated, place, 0.0) * 2.0 - 1.0) * vec4(1.0, STEEPEST, STEEPEST, STEEPEST);
}

// The blue noise of `render::mask`.
fn masked(pixel: vec2<i32>) -> f32 { return mask[u32(pixel.y) % MASK_SIDE * MASK_SIDE + u32(pixel.x) % MASK_SIDE]; }
