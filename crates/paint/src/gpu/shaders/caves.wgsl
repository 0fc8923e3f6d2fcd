// Ground that no height can tell: caves, arches and overhangs, met cell by cell where they are, and rounded hollows, which
// are taken out of the smooth ground. The rules and numbers are those of `heightfield::caves` and `heightfield::hollows`.

// Whether there are any; the box around them: low x and z, high x and z, the top; words of a column's cells. Then for each
// column of the box the place of its own words, 0 for a smooth one: its top, then a bit for each cell that is solid, or
// open in a rounded hollow.
@group(0) @binding(18) var<storage, read> caves: array<u32>;

const MOST_CELLS = 8192;
// Bits of a word, and of a top besides those that say that it is drawn flat, or belongs to a rounded hollow.
const WORD = 32u;
const FLAT = 31u;
const ROUNDED = 30u;

fn has_caves() -> bool { return caves[0] != 0u; }

// Place of the words of a column, 0 for one without; outside of the box that of the nearest column.
fn any_column(x: f32, z: f32) -> u32 {
    let c = vec2<u32>(clamp(vec2(x, z), vec2(0.0), frame.cells.xz - 1.0));
    return caves[CAVES_HEAD + c.y * u32(frame.cells.x) + c.x];
}

fn is_rounded(column: u32) -> bool { return column != 0u && ((caves[column] >> ROUNDED) & 1u) == 1u; }

// The same of a column that is drawn cell by cell.
fn cave_column(x: f32, z: f32) -> u32 {
    let column = any_column(x, z);
    return select(column, 0u, is_rounded(column));
}

fn cave_solid(column: u32, y: u32) -> bool { return ((caves[column + 1u + y / WORD] >> (y % WORD)) & 1u) == 1u; }

// The lowest cell above the highest solid one of a column.
fn cave_top(column: u32) -> u32 { return caves[column] & ((1u << ROUNDED) - 1u); }

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
    let column = any_column(p.x, p.z);
    let rounded = is_rounded(column);
    if column == 0u || (rounded && !hollow_cell(column, i32(max(p.y, 0.0)))) { return height(p.x, p.z); }
    if !rounded && p.y >= f32(cave_top(column)) { return cave_surface(column, p); }
    for (var y = i32(max(p.y, 0.0)); y >= 0; y--) {
        if cave_solid(column, u32(y)) != rounded { return f32(y) + 1.0; }
    }
    return 0.0;
}

// Whether a cell of a column of a rounded hollow is open.
fn hollow_cell(column: u32, y: i32) -> bool { return y >= 0 && y < i32(frame.cells.y) && cave_solid(column, u32(y)); }

// Twin: hollows::spline.
// Weights of the cells below, at and above a place.
fn spline(u: f32) -> vec3<f32> { return vec3(0.5 * (1.0 - u) * (1.0 - u), 0.5 + u * (1.0 - u), 0.5 * u * u); }

// Share of a rounded hollow at a point.
fn hollow(p: vec3<f32>) -> f32 {
    if !has_caves() || !is_rounded(any_column(p.x, p.z)) { return 0.0; }
    let cell = floor(p);
    let xs = spline(p.x - cell.x);
    let ys = spline(p.y - cell.y);
    let zs = spline(p.z - cell.z);
    let y = i32(cell.y);
    var open = 0.0;
    for (var j = -1; j <= 1; j++) {
        for (var i = -1; i <= 1; i++) {
            let column = any_column(cell.x + f32(i), cell.z + f32(j));
            if !is_rounded(column) { continue; }
            let bits = vec3(hollow_cell(column, y - 1), hollow_cell(column, y), hollow_cell(column, y + 1));
            open += zs[j + 1] * xs[i + 1] * dot(ys, select(vec3(0.0), vec3(1.0), bits));
        }
    }
    return open;
}

// Outward normal of the rock at the surface of a hollow. In a loop: a driver copies a function to each place that calls it.
fn hollow_normal(p: vec3<f32>) -> vec3<f32> {
    var rise = vec3(0.0);
    for (var side = 0; side < 6; side++) {
        var e = vec3(0.0);
        e[side / 2] = select(HOLLOW_SLOPE, -HOLLOW_SLOPE, (side & 1) == 1);
        rise[side / 2] += select(1.0, -1.0, (side & 1) == 1) * hollow(p + e);
    }
    return upright(-rise);
}
