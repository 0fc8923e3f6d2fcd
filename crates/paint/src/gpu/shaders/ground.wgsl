// Where pixels meet the ground: distance along the ray and the face, drawn once per camera and shown part of the box.

struct Corner { @builtin(position) place: vec4<f32>, @location(0) world: vec3<f32>, @location(1) @interpolate(flat) face: f32 }

// Depth runs from 1 at the eye to 0 far away, which spreads precision evenly.
fn project(world: vec3<f32>) -> vec4<f32> {
    let square = vec3(1.0, frame.forward.w, 1.0);
    let v = (world - frame.eye.xyz) * square;
    let depth = dot(v, frame.forward.xyz);
    let x = dot(v, frame.right.xyz) / dot(frame.right.xyz * square, frame.right.xyz);
    let y = dot(v, frame.up.xyz) / dot(frame.up.xyz * square, frame.up.xyz);
    // The picture may be shifted by a part of a pixel.
    let shift = vec2(-2.0 * frame.size.z / frame.size.x, 2.0 * frame.size.w / frame.size.y) * depth;
    return vec4(x + shift.x, y + shift.y, NEAREST, depth);
}

fn corner(world: vec3<f32>, face: f32) -> Corner { return Corner(project(world), world, face); }

@vertex fn top(@builtin(vertex_index) index: u32) -> Corner {
    let width = u32(frame.nodes.x);
    let i = vec2(index % width, index / width);
    let xz = vec2<f32>(i) / frame.nodes.z;
    return corner(vec3(xz.x, node(vec2<i32>(i)), xz.y), 1.0);
}

// A wall quad between two nodes of the edge, from the ground down to the foot; six corners each, four walls in a row:
// north, south, west, east.
@vertex fn side(@builtin(vertex_index) index: u32) -> Corner {
    let last = vec2<i32>(frame.nodes.xy) - 1;
    let quad = i32(index / 6u);
    let k = index % 6u;
    let along = i32(k == 1u || k == 2u || k == 4u);
    let low = k == 2u || k == 4u || k == 5u;
    var i: vec2<i32>;
    var face = 2.0;
    if quad < last.x { i = vec2(quad + along, 0); }
    else if quad < 2 * last.x { i = vec2(quad - last.x + along, last.y); face = 3.0; }
    else if quad < 2 * last.x + last.y { i = vec2(0, quad - 2 * last.x + along); face = 4.0; }
    else { i = vec2(last.x, quad - 2 * last.x - last.y + along); face = 5.0; }
    let xz = vec2<f32>(i) / frame.nodes.z;
    return corner(vec3(xz.x, select(node(i), frame.block.x, low), xz.y), face);
}

@vertex fn foot(@builtin(vertex_index) index: u32) -> Corner {
    let far = (frame.nodes.xy - 1.0) / frame.nodes.z;
    let x = select(0.0, far.x, index == 1u || index == 2u || index == 4u);
    let z = select(0.0, far.y, index == 2u || index == 4u || index == 5u);
    return corner(vec3(x, frame.block.x, z), 6.0);
}

// Sides of the shown part that are sides of the box cut nothing: the block's own walls and foot stand there.
fn open_low() -> vec3<bool> { return frame.clip_low.xyz <= vec3(0.0); }
fn open_high() -> vec3<bool> { return frame.clip_high.xyz >= frame.cells.xyz; }

// The cut faces: a quad across each side of the shown part, of which only what lies under the ground's top is seen.
// Six corners each: low and high x, low and high y, low and high z.
@vertex fn cut(@builtin(vertex_index) index: u32) -> Corner {
    let quad = i32(index / 6u);
    let axis = quad / 2;
    let high = quad % 2 == 1;
    let k = index % 6u;
    let right = k == 1u || k == 2u || k == 4u;
    let up = k == 2u || k == 4u || k == 5u;
    let block_low = vec3(0.0, frame.block.x, 0.0);
    let block_high = vec3((frame.nodes.x - 1.0) / frame.nodes.z, frame.block.y, (frame.nodes.y - 1.0) / frame.nodes.z);
    let low_end = select(max(frame.clip_low.xyz, block_low), block_low, open_low());
    let high_end = select(min(frame.clip_high.xyz, block_high), block_high, open_high());
    var world: vec3<f32>;
    var face: f32;
    if axis == 0 {
        world = vec3(select(low_end.x, high_end.x, high), select(low_end.y, high_end.y, up), select(low_end.z, high_end.z, right));
        face = select(4.0, 5.0, high);
    } else if axis == 1 {
        world = vec3(select(low_end.x, high_end.x, right), select(low_end.y, high_end.y, high), select(low_end.z, high_end.z, up));
        face = select(6.0, 7.0, high);
    } else {
        world = vec3(select(low_end.x, high_end.x, right), select(low_end.y, high_end.y, up), select(low_end.z, high_end.z, high));
        face = select(2.0, 3.0, high);
    }
    let open = select(open_low(), open_high(), high);
    // A side of the box, or an empty part, has no cut face.
    if open[axis] || any(low_end >= high_end) { world = low_end; }
    return corner(world, face);
}

// The ground beyond the sides of a box: two triangles for each square of its nodes.
@vertex fn around(@builtin(vertex_index) index: u32) -> Corner {
    let across = u32(frame.beyond.z) - 1u;
    let quad = index / 6u;
    let k = index % 6u;
    let first = vec2<i32>(vec2(quad % across, quad / across));
    let node = first + vec2(i32(k == 2u || k == 3u || k == 5u), i32(k == 1u || k == 4u || k == 5u));
    let low = vec2<f32>(first) * frame.beyond.y - frame.beyond.x;
    let xz = vec2<f32>(node) * frame.beyond.y - frame.beyond.x;
    // A square in the box has its own ground.
    let inside = all(low >= vec2(0.0)) && all(low + frame.beyond.y <= frame.cells.xz);
    let world = vec3(xz.x, bitcast<f32>(beyond_node(node).x), xz.y);
    return corner(select(world, vec3(low.x, frame.block.x, low.y), inside), BEYOND);
}

@fragment fn hit_around(in: Corner) -> @location(0) vec2<f32> { return met(in); }

// Cells by which smooth ground reaches into columns with caves.
const HAIR = 2e-3;

// Whether a point lies in a rounded hollow or a column with caves, where smooth ground does not count. A hair of it is kept along their sides, so
// that rounding opens no gap.
fn in_caves(p: vec3<f32>) -> bool {
    if !has_caves() { return false; }
    if hollow(p) >= HOLLOW_OPEN { return true; }
    let west = cave_column(p.x - HAIR, p.z - HAIR) != 0u && cave_column(p.x - HAIR, p.z + HAIR) != 0u;
    return west && cave_column(p.x + HAIR, p.z - HAIR) != 0u && cave_column(p.x + HAIR, p.z + HAIR) != 0u;
}

fn met(in: Corner) -> vec2<f32> { return vec2(length(in.world - frame.eye.xyz), in.face); }

@fragment fn hit(in: Corner) -> @location(0) vec2<f32> {
    let kept = (open_low() | (in.world >= frame.clip_low.xyz)) & (open_high() | (in.world <= frame.clip_high.xyz));
    // The foot lies below all cells.
    if !all(kept) || (in.face != 6.0 && in_caves(in.world)) { discard; }
    return met(in);
}

@fragment fn hit_cut(in: Corner) -> @location(0) vec2<f32> {
    if in.world.y > height(in.world.x, in.world.z) || in_caves(in.world) { discard; }
    return met(in);
}
