// What every drawing shader reads: one frame's numbers, declared with constants by `wgsl.rs`, and the maps and fields of the scene.
//
// World space is in cells: x east, y up, z south. A pixel's centre is at + 0.5, counted from the top left.

// Storage, not uniform: see `Gpu::numbers`.
@group(0) @binding(0) var<storage, read> frame: Frame;
@group(0) @binding(1) var linear_held: sampler;
// Ground at nodes: height, then albedo and share of the sun, normal and share of the sky.
@group(0) @binding(2) var ground_height: texture_2d<f32>;
@group(0) @binding(3) var ground_albedo: texture_2d<f32>;
@group(0) @binding(4) var ground_normal: texture_2d<f32>;
// Rise of the ground per cell towards +x and +z, at columns.
@group(0) @binding(5) var ground_slope: texture_2d<f32>;
// Glow of the lava around each column, its height times the glow, and the temperature of the surface, 0 where it is not known.
@group(0) @binding(6) var ember_map: texture_2d<f32>;
// Density and energy.
@group(0) @binding(7) var volume: texture_3d<f32>;
// Distance to the nearest brick with something to draw, in bricks.
@group(0) @binding(8) var bricks: texture_3d<u32>;
// Densities of the media besides the lava: of the first four, and of those after them.
@group(0) @binding(15) var media: texture_3d<f32>;
@group(0) @binding(9) var more_media: texture_3d<f32>;
// First row: palette (rgb, linear) by value, and opacity of one step (a) by density. Second row: the colours of haze.
@group(0) @binding(10) var transfer: texture_2d<f32>;
// Smoke in the cells of the air: root of the absorption, share of steam, light of the sun, light of the lava; velocity, and light
// of the sky. In the plain styles the first is the place of the density on the scale of haze.
@group(0) @binding(11) var smoke_cells: texture_3d<f32>;
@group(0) @binding(12) var smoke_flow: texture_3d<f32>;
// A block of billows that repeats: height and slopes.
@group(0) @binding(13) var billows: texture_3d<f32>;
// Distance to the ground and its face along each pixel's ray, with what light reaches the side of a cell of a cave.
@group(0) @binding(14) var ground_hits: texture_2d<f32>;
// Distance to the nearest brick with any medium besides the lava.
@group(0) @binding(16) var media_bricks: texture_3d<u32>;
// Gases on a coarse grid: densities of two kinds, light of the sun, light from below. The number 18 is the caves'.
@group(0) @binding(17) var fog: texture_3d<f32>;
// Tables, evenly spaced: the colour of hot rock between COLDEST and HOTTEST; by density, the opacity of one step of the first
// four media and then of the others. Buffers, because many graphics cards read no more than 16 textures in a pass.
@group(0) @binding(19) var<storage, read> black_body: array<vec4<f32>>;
@group(0) @binding(20) var<storage, read> media_opacity: array<vec4<f32>>;
// The slices across x, y and z, one after the other, by rows: value (r) or colour (rgb), and content (a).
@group(0) @binding(21) var<storage, read> cuts: array<u32>;
@group(0) @binding(22) var linear_repeated: sampler;
@group(0) @binding(23) var<storage, read> mask: array<f32>;

// The ground beyond the sides of a box, at nodes: height, then colour, normal, and shares of sky and sun in parts.
@group(0) @binding(24) var<storage, read> beyond: array<vec4<u32>>;

const FAR = 3.0e38;
// Distance beyond all scenes.
const ENDLESS = 1e30;
// Distance of the nearest plane that is drawn.
const NEAREST = 0.05;

// Face of the ground beyond the sides of the box.
const BEYOND = 1.5;
// Faces of the ground: its top, six sides that cut it open, and from BLOCK on sides of cells in the same order; BLOCK itself
// is turned to the eye.
const TOP = 1.0;
const BLOCK = 8.0;
// Of these, the one that looks up.
const UPWARD = 7.0;
// Added to the face of a cell: the sun arrives, and for each of five rays that go far.
const SUNLIT = 16.0;
const OPEN_RAY = 32.0;
// Added to a face so many times the number of its own normal, of rock that is round.
const WITH_NORMAL = 256.0;
// Largest number of a half of that number, and its bits.
const NORMAL_MOST = 255.0;
const NORMAL_BITS = 8u;

struct Ray { origin: vec3<f32>, direction: vec3<f32> }

fn ray_through(pixel: vec2<f32>) -> Ray {
    let x = pixel.x / frame.size.x * 2.0 - 1.0;
    let y = 1.0 - pixel.y / frame.size.y * 2.0;
    let d = frame.forward.xyz + frame.right.xyz * x + frame.up.xyz * y;
    return Ray(frame.eye.xyz, normalize(d));
}

fn at(ray: Ray, t: f32) -> vec3<f32> { return ray.origin + ray.direction * t; }

// The part of a ray inside a box, and the side it comes in by.
struct Span { near: f32, far: f32, entry: vec3<f32>, hit: bool }

// Whole vectors at once: software that stands in for a graphics card is slow at picking components by number.
fn between(ray: Ray, low: vec3<f32>, high: vec3<f32>, limit: f32) -> Span {
    let o = ray.origin;
    let d = ray.direction;
    let along = abs(d) < vec3(1e-9);
    let inverse = vec3(1.0) / select(d, vec3(1e-9), along);
    let a = (low - o) * inverse;
    let b = (high - o) * inverse;
    // A ray along two sides is between them everywhere or nowhere.
    let outside = any(along & ((o < low) | (o > high)));
    let nears = select(min(a, b), vec3(-FAR), along);
    let fars = select(max(a, b), vec3(FAR), along);
    let near = max(nears.x, max(nears.y, nears.z));
    let far = min(limit, min(fars.x, min(fars.y, fars.z)));
    // Of sides met at once the first counts.
    let x = nears.x == near;
    let y = !x && nears.y == near;
    let entry = select(vec3(0.0), -sign(d), vec3(x, y, !x && !y));
    return Span(max(near, 0.0), far, entry, !outside && max(near, 0.0) < far);
}

// Normal of a face of the ground.
// Number of a normal, two bytes: a place on an octahedron that is unfolded into a square.
fn packed_normal(n: vec3<f32>) -> f32 {
    let m = n / (abs(n.x) + abs(n.y) + abs(n.z));
    let folded = (1.0 - abs(m.zx)) * select(vec2(-1.0), vec2(1.0), m.xz >= vec2(0.0));
    let q = round((select(m.xz, folded, m.y < 0.0) * 0.5 + 0.5) * NORMAL_MOST);
    return (NORMAL_MOST + 1.0) * q.y + q.x;
}

fn unpacked_normal(number: u32) -> vec3<f32> {
    let o = vec2(f32(number & u32(NORMAL_MOST)), f32(number >> NORMAL_BITS)) / NORMAL_MOST * 2.0 - 1.0;
    let y = 1.0 - abs(o.x) - abs(o.y);
    let unfolded = o - max(-y, 0.0) * select(vec2(-1.0), vec2(1.0), o >= vec2(0.0));
    return normalize(vec3(unfolded.x, y, unfolded.y));
}

fn face_normal(ray: Ray, face: f32) -> vec3<f32> {
    if face >= WITH_NORMAL { return unpacked_normal(u32(face / WITH_NORMAL)); }
    switch u32(face) & 7u {
        case 0u: { return -ray.direction; }
        case 2u: { return vec3(0.0, 0.0, -1.0); }
        case 3u: { return vec3(0.0, 0.0, 1.0); }
        case 4u: { return vec3(-1.0, 0.0, 0.0); }
        case 5u: { return vec3(1.0, 0.0, 0.0); }
        case 7u: { return vec3(0.0, 1.0, 0.0); }
        default: { return vec3(0.0, -1.0, 0.0); }
    }
}

fn mean(c: vec3<f32>) -> f32 { return (c.r + c.g + c.b) / 3.0; }

fn saturate1(x: f32) -> f32 { return clamp(x, 0.0, 1.0); }

// As the built-in, but defined when `low` lies above `high` too.
fn ramp(low: f32, high: f32, x: f32) -> f32 {
    let t = saturate1((x - low) / (high - low));
    return t * t * (3.0 - 2.0 * t);
}

fn unit_or_up(v: vec3<f32>) -> vec3<f32> {
    let n = length(v);
    if n <= 1e-9 { return vec3(0.0, 1.0, 0.0); }
    return v / n;
}

// Ground -----------------------------------------------------------------------------------------------------------

fn node(i: vec2<i32>) -> f32 {
    let last = vec2<i32>(frame.nodes.xy) - 1;
    return textureLoad(ground_height, clamp(i, vec2(0), last), 0).r;
}

// Height of the ground in cells, bilinear between nodes.
fn height(x: f32, z: f32) -> f32 {
    let p = clamp(vec2(x, z) * frame.nodes.z, vec2(0.0), frame.nodes.xy - 1.0);
    let i = vec2<i32>(p);
    let f = p - vec2<f32>(i);
    let near = mix(node(i), node(i + vec2(1, 0)), f.x);
    let far = mix(node(i + vec2(0, 1)), node(i + vec2(1, 1)), f.x);
    return mix(near, far, f.y);
}

fn ground_normal_at(x: f32, z: f32, reach: f32) -> vec3<f32> {
    let east = (height(x + reach, z) - height(x - reach, z)) * 0.5 / reach;
    let south = (height(x, z + reach) - height(x, z - reach)) * 0.5 / reach;
    return unit_or_up(vec3(-east, 1.0, -south));
}

fn node_uv(x: f32, z: f32) -> vec2<f32> { return (vec2(x, z) * frame.nodes.z + 0.5) / frame.nodes.xy; }

fn column_uv(x: f32, z: f32) -> vec2<f32> { return vec2(x, z) / frame.cells.xz; }

struct Rock { albedo: vec3<f32>, normal: vec3<f32>, open: f32, sun: f32 }

fn rock_at(x: f32, z: f32) -> Rock {
    let uv = node_uv(x, z);
    let a = textureSampleLevel(ground_albedo, linear_held, uv, 0.0);
    let n = textureSampleLevel(ground_normal, linear_held, uv, 0.0);
    return Rock(a.rgb, unit_or_up(n.xyz), n.w, a.w);
}

// Whether the ground goes on around the box.
fn goes_on() -> bool { return frame.beyond.y > 0.0; }

// Whether the box stands in a sea.
fn has_sea() -> bool { return frame.sea.z > 0.5; }

// Twin: surroundings::beyond.
// Cells from the box to a place.
fn beyond_box(p: vec3<f32>) -> f32 { return length(max(max(-p.xz, p.xz - frame.cells.xz), vec2(0.0))); }

fn is_beyond_sides(x: f32, z: f32) -> bool {
    let place = vec2(x, z);
    return goes_on() && any((place < vec2(0.0)) | (place > frame.cells.xz));
}

fn beyond_node(i: vec2<i32>) -> vec4<u32> {
    let held = clamp(i, vec2(0), vec2<i32>(frame.beyond.zw) - 1);
    return beyond[held.y * i32(frame.beyond.z) + held.x];
}

// Nodes around a place, and the place between them.
struct BeyondSpot { node: vec2<i32>, between: vec2<f32> }

fn beyond_spot(x: f32, z: f32) -> BeyondSpot {
    let p = clamp((vec2(x, z) + frame.beyond.x) / frame.beyond.y, vec2(0.0), frame.beyond.zw - 1.0);
    return BeyondSpot(vec2<i32>(p), fract(p));
}

fn beyond_height(x: f32, z: f32) -> f32 {
    let spot = beyond_spot(x, z);
    let near = mix(bitcast<f32>(beyond_node(spot.node).x), bitcast<f32>(beyond_node(spot.node + vec2(1, 0)).x), spot.between.x);
    let far = mix(bitcast<f32>(beyond_node(spot.node + vec2(0, 1)).x), bitcast<f32>(beyond_node(spot.node + vec2(1, 1)).x), spot.between.x);
    return mix(near, far, spot.between.y);
}

fn beyond_rock(x: f32, z: f32) -> Rock {
    let spot = beyond_spot(x, z);
    var rock = Rock(vec3(0.0), vec3(0.0), 0.0, 0.0);
    for (var k = 0; k < 4; k++) {
        let corner = vec2(k & 1, k >> 1u);
        let shares = select(1.0 - spot.between, spot.between, corner == vec2(1));
        let node = beyond_node(spot.node + corner);
        let share = shares.x * shares.y;
        let rest = unpack2x16float(node.z);
        let side = unpack2x16float(node.w).x;
        rock.albedo += share * vec3(unpack2x16float(node.y), rest.x);
        rock.normal += share * vec3(rest.y, sqrt(max(1.0 - rest.y * rest.y - side * side, 0.0)), side);
        let light = unpack4x8unorm(node.w).zw;
        rock.open += share * light.x;
        rock.sun += share * light.y;
    }
    rock.normal = unit_or_up(rock.normal);
    return rock;
}

fn sunlight(x: f32, z: f32) -> f32 {
    if is_beyond_sides(x, z) { return beyond_rock(x, z).sun; }
    return textureSampleLevel(ground_albedo, linear_held, node_uv(x, z), 0.0).w;
}

// Lava -------------------------------------------------------------------------------------------------------------

fn density_energy(p: vec3<f32>) -> vec2<f32> {
    return textureSampleLevel(volume, linear_held, p / frame.cells.xyz, 0.0).rg;
}

fn density(p: vec3<f32>) -> f32 { return density_energy(p).r; }

// Energy per unit of amount, vent = 1.
fn specific_energy(p: vec3<f32>) -> f32 {
    let v = density_energy(p) * 255.0;
    return v.y * ENERGY_SHOWN / max(v.x, 1.0);
}

fn gradient_of_density(p: vec3<f32>, reach: f32) -> vec3<f32> {
    let x = vec3(reach, 0.0, 0.0);
    let y = vec3(0.0, reach, 0.0);
    let z = vec3(0.0, 0.0, reach);
    return vec3(density(p + x) - density(p - x), density(p + y) - density(p - y), density(p + z) - density(p - z))
        * (0.5 / reach);
}

// Gradient between the cells at both sides of a point, held at the box's sides as density is.
fn slope_of_density(p: vec3<f32>) -> vec3<f32> {
    return gradient_of_density(clamp(p, vec3(0.5), frame.cells.xyz - 0.5), 1.0);
}

// Lengths of a cell along x, y and z, in its widths.
fn oblong() -> vec3<f32> { return vec3(1.0, sqrt(frame.forward.w), 1.0); }

// Twin: land::pattern.
// A place in units of pattern.
fn pattern_place(p: vec3<f32>) -> vec3<f32> { return p * oblong() / frame.cells.w; }

// Outward normal, where cells have their true proportions, of a surface across which values rise like this in cells.
fn upright(gradient: vec3<f32>) -> vec3<f32> { return unit_or_up(-gradient / oblong()); }

// Direction of a ray where cells have their true proportions.
fn view_of(ray: Ray) -> vec3<f32> { return unit_or_up(ray.direction * oblong()); }

// How far a ray goes in widths of a cell while it goes one on in cells.
fn pace_of(ray: Ray) -> f32 { return length(ray.direction * oblong()); }

// Twin: field::normal.
fn lava_normal(p: vec3<f32>) -> vec3<f32> {
    return upright(gradient_of_density(p, 1.5) + gradient_of_density(p, 0.8) * 0.6);
}

// Sky --------------------------------------------------------------------------------------------------------------

// Twin: sky::air.
fn sky_air(d: vec3<f32>) -> vec3<f32> {
    var base = mix(frame.horizon.rgb, frame.zenith.rgb, ramp(0.0, 0.55, d.y));
    if d.y < 0.0 {
        base = mix(frame.horizon.rgb, frame.nadir.rgb, pow(ramp(0.0, BACKDROP_DEEP, -d.y), BACKDROP_BENT));
    }
    return base + frame.halo.rgb * (pow(saturate1(dot(d, frame.sun.xyz)), 8.0) * 0.35);
}

fn sky_ambient(n: vec3<f32>) -> vec3<f32> {
    return mix(frame.ambient_below.rgb, frame.ambient_above.rgb, 0.5 + 0.5 * n.y);
}

// Whether the ground is smooth stone, on a table.
fn is_stone() -> bool { return frame.floor.x > 1.0; }

// Twin: sky::studio, sky::room, sky::add_lamps.
// A studio seen in a smooth surface: a wall that darkens upwards, a dark table, and the lamps, with edges so much softer.
fn studio(d: vec3<f32>, softer: f32) -> vec3<f32> {
    let wall = mix(frame.horizon.rgb * LIT_WALL, frame.zenith.rgb, ramp(WALL_ENDS.x, WALL_ENDS.y, d.y));
    var light = mix(frame.nadir.rgb, wall, ramp(-0.12, 0.06, d.y));
    let sun = frame.sun.xz / max(length(frame.sun.xz), 1e-4);
    var lamps = LAMPS;
    var sizes = LAMP_SIZES;
    for (var k = 0; k < LAMP_COUNT; k++) {
        let lamp = lamps[k];
        let size = sizes[k];
        let toward = vec2(sun.x * lamp.x - sun.y * lamp.y, sun.x * lamp.y + sun.y * lamp.x);
        let along = dot(d.xz, toward);
        let ahead = along * lamp.z + d.y * lamp.w;
        if ahead <= 0.05 { continue; }
        let across = abs((d.z * toward.x - d.x * toward.y) / ahead);
        let up = abs((d.y * lamp.z - along * lamp.w) / ahead);
        let soft = size.z + softer;
        let shape = ramp(size.x + soft, size.x - soft, across) * ramp(size.y + soft, size.y - soft, up);
        let bars = select(1.0, ramp(0.5 * BARS, 1.5 * BARS, min(across, up)), k == 0 && softer <= 0.0);
        light += select(frame.ambient_above.rgb, frame.sun_color.rgb, k == 0) * (size.w * shape * bars);
    }
    return light;
}

// Twin: sky::reflected.
fn sky_reflected(d: vec3<f32>) -> vec3<f32> {
    if is_stone() { return studio(d, SOFTENED); }
    let above = mix(frame.horizon.rgb, frame.zenith.rgb * 2.0, saturate1(d.y));
    return mix(frame.nadir.rgb, above, ramp(-0.3, 0.2, d.y));
}

// Twin: sky::haze.
fn sky_haze(d: vec3<f32>) -> vec3<f32> {
    return mix(sky_air(normalize(vec3(d.x, max(d.y, -0.25), d.z))), frame.horizon.rgb, 0.35);
}

fn shown(kelvin: f32) -> vec3<f32> {
    let u = clamp((kelvin - COLDEST) / (HOTTEST - COLDEST), 0.0, 1.0);
    let last = arrayLength(&black_body) - 1u;
    let place = u * f32(last);
    let i = min(u32(place), last - 1u);
    return mix(black_body[i].rgb, black_body[i + 1u].rgb, place - f32(i));
}

// Twin: lava_glow::arriving.
// Direction from which most of the lava's light comes to a point, and its strength (w), 0 where there is none.
fn ember_arriving(p: vec3<f32>) -> vec4<f32> {
    let here = textureSampleLevel(ember_map, linear_held, column_uv(p.x, p.z), 0.0).rg;
    let glow = here.r;
    let away = beyond_box(p);
    if glow < 1e-4 || away >= EMBER_BEYOND { return vec4(0.0); }
    let reach = 1.2;
    let east = glow_at(p.x + reach, p.z) - glow_at(p.x - reach, p.z);
    let south = glow_at(p.x, p.z + reach) - glow_at(p.x, p.z - reach);
    let rise = clamp((here.g / glow - p.y) * oblong().y, -12.0, 12.0);
    let aim = vec3(east * 0.5 / reach, 0.06 * glow * (1.0 + 0.5 * rise), south * 0.5 / reach);
    let fades = 1.0 - ramp(0.0, EMBER_BEYOND, away);
    return vec4(unit_or_up(aim), glow / (1.0 + 0.9 * glow) / (1.0 + 0.006 * rise * rise) * fades);
}

// Twin: lava_glow::at.
// Light that the lava throws on a point with normal n, about 0..1.
fn ember_at(p: vec3<f32>, n: vec3<f32>) -> f32 {
    let arriving = ember_arriving(p);
    let light = EMBER_STEEPER * arriving.w * arriving.w;
    let facing = saturate1(dot(n, arriving.xyz));
    return light * (EMBER_ASIDE + (1.0 - EMBER_ASIDE) * facing * sqrt(facing));
}

// The same as a surface mirrors it in a direction: the lava is seen as a wide patch of light.
fn ember_mirrored(p: vec3<f32>, direction: vec3<f32>) -> f32 {
    let arriving = ember_arriving(p);
    return arriving.w * pow(saturate1(dot(direction, arriving.xyz)), EMBER_GLOSS);
}

// Temperature of the surface of the lava around a column; 0 where it is not known.
fn crust_at(p: vec3<f32>) -> f32 { return textureSampleLevel(ember_map, linear_held, column_uv(p.x, p.z), 0.0).b; }

fn glow_at(x: f32, z: f32) -> f32 { return textureSampleLevel(ember_map, linear_held, column_uv(x, z), 0.0).r; }
