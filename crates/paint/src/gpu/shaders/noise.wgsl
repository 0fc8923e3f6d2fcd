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

// Corners of a cell of the noise.
const CORNERS = 8u;

// Twin: noise::fade, noise::with.
// A driver copies this function to each of a hundred places that call it, and turns loops of known length into as many copies again: the
// length is one that it cannot know.
fn gradient_noise(p: vec3<f32>) -> f32 {
    let base = floor(p);
    let f = p - base;
    let c = vec3<i32>(base);
    let w = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    let corners = min(CORNERS, arrayLength(&mask));
    var sum = 0.0;
    for (var k = 0u; k < corners; k++) {
        let corner = vec3<i32>(vec3(k, k >> 1u, k >> 2u) & vec3(1u));
        let offset = vec3<f32>(corner);
        let h = hash3(c + corner);
        let slope = vec3<f32>((vec3(h) >> vec3(0u, BYTE, 2u * BYTE)) & vec3(255u)) * (2.0 / 255.0) - 1.0;
        let part = mix(1.0 - w, w, offset);
        sum += dot(slope, f - offset) * (part.x * part.y * part.z);
    }
    return 1.2 * sum;
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
