// Ground that no height can tell: caves, arches and overhangs, met cell by cell where they are. The rules and numbers are
// those of `render::caves`.

// Whether there are any; the box around them: low x and z, high x and z, the top; words of a column's cells. Then for each
// column of the box the place of its own words, 0 for a smooth one: its top, then a bit for each cell.
@group(0) @binding(18) var<storage, read> caves: array<u32>;

const MOST_CELLS = 8192;
// Bits of a word, and of a top besides the one that says that it is drawn flat.
const WORD = 32u;
const FLAT = 31u;

fn has_caves() -> bool { return caves[0] != 0u; }

// Place of the words of a column, 0 for a smooth one; outside of the box that of the nearest column.
fn cave_column(x: f32, z: f32) -> u32 {
    let c = vec2<u32>(clamp(vec2(x, z), vec2(0.0), frame.cells.xz - 1.0));
    return caves[CAVES_HEAD + c.y * u32(frame.cells.x) + c.x];
}

fn cave_solid(column: u32, y: u32) -> bool { return ((caves[column + 1u + y / WORD] >> (y % WORD)) & 1u) == 1u; }

// The lowest cell above the highest solid one of a column.
fn cave_top(column: u32) -> u32 { return caves[column] & ((1u << FLAT) - 1u); }

// Where the top of a column is drawn at a point of it.
fn cave_surface(column: u32, p: vec3<f32>) -> f32 {
    let top = f32(cave_top(column));
    if (caves[column] >> FLAT) == 1u { return top; }
    let smooth_top = height(p.x, p.z);
    if smooth_top < top + NEAR_TOP.x || smooth_top > top + NEAR_TOP.y { return top; }
    return clamp(smooth_top, top + DRAWN_TOP.x, top + DRAWN_TOP.y);
}

// Height of the ground below a point, or of the rock that it is in: of its top, or in a cave of the cave's floor.
fn floor_below(p: vec3<f32>) -> f32 {
    if !has_caves() { return height(p.x, p.z); }
    let column = cave_column(p.x, p.z);
    if column == 0u { return height(p.x, p.z); }
    if p.y >= f32(cave_top(column)) { return cave_surface(column, p); }
    for (var y = i32(max(p.y, 0.0)); y >= 0; y--) {
        if cave_solid(column, u32(y)) { return f32(y) + 1.0; }
    }
    return 0.0;
}
