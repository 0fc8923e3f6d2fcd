// Where rays meet the rock of columns with caves, and what light reaches it there: drawn over what `ground.wgsl` drew of the
// smooth ground, once per camera and shown part of the box.

// A walk from cell to cell along a ray.
struct CellWalk {
    cell: vec3<i32>,
    // Distance at which the ray leaves the cell along each axis, and from one wall to the next.
    leave: vec3<f32>,
    stride: vec3<f32>,
    turn: vec3<i32>,
    // Where the present cell was entered, and the face of the wall by which; 0 in the first.
    t: f32,
    face: f32,
}

// Twin: walk::after.
// A little further on than t.
fn after(t: f32) -> f32 { return t + 1e-4 + 5e-7 * t; }

fn walk_from(ray: Ray, t: f32) -> CellWalk {
    // A point on a wall belongs to the cell that the ray goes into.
    let cell = vec3<i32>(floor(at(ray, after(t))));
    let back = ray.direction < vec3(0.0);
    let still = abs(ray.direction) < vec3(1e-9);
    let inverse = vec3(1.0) / select(ray.direction, vec3(1.0), still);
    let wall = vec3<f32>(select(cell + 1, cell, back));
    let leave = select((wall - ray.origin) * inverse, vec3(FAR), still);
    return CellWalk(cell, leave, select(abs(inverse), vec3(FAR), still), select(vec3(1), vec3(-1), back), t, 0.0);
}

fn walk_end(w: CellWalk) -> f32 { return max(min(w.leave.x, min(w.leave.y, w.leave.z)), w.t); }

fn walk_on(w: ptr<function, CellWalk>) {
    let l = (*w).leave;
    (*w).t = walk_end(*w);
    let x = l.x <= l.y && l.x <= l.z;
    let y = !x && l.y <= l.z;
    let axis = vec3(x, y, !x && !y);
    (*w).cell += select(vec3(0), (*w).turn, axis);
    (*w).leave += select(vec3(0.0), (*w).stride, axis);
    let forth = (*w).turn > vec3(0);
    (*w).face = BLOCK + select(select(select(3.0, 2.0, forth.z), select(7.0, 6.0, forth.y), y), select(5.0, 4.0, forth.x), x);
}

fn wall_face(w: CellWalk) -> f32 { return select(w.face, BLOCK, w.face == 0.0); }

// Distance and face; face 0 where nothing is met.
struct Rocky { t: f32, face: f32 }

const OPEN = Rocky(0.0, 0.0);

fn over_top(ray: Ray, t: f32, column: u32) -> f32 {
    let p = at(ray, t);
    return p.y - cave_surface(column, p);
}

// Twin: walk::meet.
// Where a ray meets rock in the present cell of a walk through a column with caves.
fn meet_cell(ray: Ray, w: CellWalk, column: u32) -> Rocky {
    let top = i32(cave_top(column));
    let y = w.cell.y;
    if y < 0 || y + 1 < top {
        if y >= 0 && !cave_solid(column, u32(y)) { return OPEN; }
        return Rocky(w.t, wall_face(w));
    }
    if y > top { return OPEN; }
    // The highest cell, or the one above it, through which the drawn surface may go.
    let end = walk_end(w);
    var from_t = w.t;
    if over_top(ray, from_t + 1e-3 * (end - from_t), column) <= 0.0 { return Rocky(w.t, wall_face(w)); }
    for (var piece = 1; piece <= CAVE_PIECES; piece++) {
        let to = w.t + (end - w.t) * f32(piece) / f32(CAVE_PIECES);
        if over_top(ray, to, column) <= 0.0 {
            var low = from_t;
            var high = to;
            for (var i = 0; i < CAVE_HALVINGS; i++) {
                let middle = 0.5 * (low + high);
                if over_top(ray, middle, column) > 0.0 { low = middle; } else { high = middle; }
            }
            let p = at(ray, high);
            let even = abs(height(p.x, p.z) - cave_surface(column, p)) < 1e-3;
            return Rocky(high, select(BLOCK + UPWARD, TOP, even));
        }
        from_t = to;
    }
    return OPEN;
}

fn under_smooth(ray: Ray, t: f32) -> bool {
    let p = at(ray, t);
    // To the cell: of a hollow's rounded edge `first_round` knows.
    let column = any_column(p.x, p.z);
    return p.y < height(p.x, p.z) && !(is_rounded(column) && hollow_cell(column, i32(p.y)));
}

// The first rock between two distances: in columns with caves, and where a ray comes out of them into smooth ground. With
// `all`, smooth ground is met too, by steps of a quarter of a cell.
fn first_rock(ray: Ray, near: f32, far: f32, all: bool) -> Rocky {
    var w = walk_from(ray, near);
    var in_caves = false;
    for (var i = 0; i < MOST_CELLS && w.t < far; i++) {
        let column = cave_column(f32(w.cell.x) + 0.5, f32(w.cell.z) + 0.5);
        if column != 0u {
            let met = meet_cell(ray, w, column);
            if met.face != 0.0 { return met; }
        } else {
            if under_smooth(ray, after(w.t)) {
                // Else it came through the smooth top, which is drawn already.
                if in_caves || all { return Rocky(w.t, wall_face(w)); }
                return OPEN;
            }
            if all {
                let end = walk_end(w);
                for (var k = 1.0; k <= 4.0; k += 1.0) {
                    let t = w.t + (end - w.t) * 0.25 * k;
                    if under_smooth(ray, t) { return Rocky(t, TOP); }
                }
            }
        }
        in_caves = column != 0u;
        walk_on(&w);
    }
    // Out of the box around the caves into smooth ground.
    if in_caves && !all && under_smooth(ray, after(w.t)) { return Rocky(w.t, wall_face(w)); }
    return OPEN;
}

// Twin: hollows::cross_hollow.
// Where a ray comes out of a rounded hollow into rock, before it meets the smooth top between two distances.
fn first_round(ray: Ray, near: f32, far: f32) -> Rocky {
    let d = abs(ray.direction);
    let stride = HOLLOW_STEP / max(d.x, max(d.y, d.z));
    var inside = -1.0;
    var above = -1.0;
    var t = after(near);
    for (var i = 0; i < MOST_CELLS && t < far; i++) {
        var p = at(ray, t);
        if p.y <= height(p.x, p.z) && above >= 0.0 {
            // Through the smooth top: samples go on from there, as the twin's do, so that both meet the same thin rims.
            for (var k = 0; k < HOLLOW_HALVINGS; k++) {
                let middle = 0.5 * (above + t);
                let q = at(ray, middle);
                if q.y > height(q.x, q.z) { above = middle; } else { t = middle; }
            }
            above = -1.0;
            p = at(ray, t);
        }
        if p.y > height(p.x, p.z) {
            inside = -1.0;
            above = t;
        } else if hollow(p) >= HOLLOW_OPEN {
            inside = t;
        } else if inside < 0.0 {
            // Smooth ground, which is drawn already; columns that are drawn cell by cell are met elsewhere.
            if cave_column(p.x, p.z) == 0u { return OPEN; }
        } else {
            var rock = t;
            for (var k = 0; k < HOLLOW_HALVINGS; k++) {
                let middle = 0.5 * (inside + rock);
                if hollow(at(ray, middle)) < HOLLOW_OPEN { rock = middle; } else { inside = middle; }
            }
            // A hollow that ends at a column drawn cell by cell goes on there as `first_rock` finds it.
            let beyond = at(ray, rock);
            if cave_column(beyond.x, beyond.z) == 0u {
                return Rocky(inside, BLOCK + WITH_NORMAL * packed_normal(hollow_normal(at(ray, inside))));
            }
            inside = -1.0;
        }
        t += stride;
    }
    return OPEN;
}

// Whether rock lies within some distance of a point in a direction.
fn is_shut(p: vec3<f32>, direction: vec3<f32>, reach: f32) -> bool {
    let low = vec3(0.0, frame.block.x, 0.0);
    let s = between(Ray(p, direction), low, vec3(frame.cells.x, highest_rock(), frame.cells.z), reach);
    return s.hit && first_rock(Ray(p, direction), s.near, s.far, true).face != 0.0;
}

fn highest_rock() -> f32 { return max(frame.block.y, f32(caves[5]) + DRAWN_TOP.y); }

// Twin: land::open_above.
// Whether the sun arrives on the side of a cell, and how many of five rays go far.
fn cave_light(p: vec3<f32>, side: vec3<f32>, hair: f32) -> f32 {
    let from_p = p + side * hair;
    var around = OPEN_RAYS;
    var code = 0.0;
    for (var k = 0; k <= OPEN_RAYS_COUNT; k++) {
        var direction = frame.sun.xyz;
        var reach = FAR;
        if k > 0 {
            direction = normalize(vec3(around[k - 1].x, 0.75, around[k - 1].y) + side * 0.6);
            reach = OPEN_FAR;
        } else if dot(side, direction) <= 0.0 {
            continue;
        } else {
            direction /= oblong();
        }
        if !is_shut(from_p, direction, reach) { code += select(OPEN_RAY, SUNLIT, k == 0); }
    }
    return code;
}

// Cells over round rock at which light is looked for.
const ROUND_HAIR = 0.7;

struct CaveFragment { @location(0) met: vec2<f32>, @builtin(frag_depth) depth: f32 }

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32((i << 1u) & 2u) * 2.0 - 1.0, f32(i & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

@fragment fn hit_cave(@builtin(position) place: vec4<f32>) -> CaveFragment {
    let ray = ray_through(place.xy + frame.size.zw);
    let whole_low = vec3(0.0, frame.block.x, 0.0);
    let whole_high = vec3(frame.cells.x, highest_rock(), frame.cells.z);
    let low = select(frame.clip_low.xyz, whole_low, open_low());
    let high = select(min(frame.clip_high.xyz, whole_high), whole_high, open_high());
    let part = between(ray, low, high, FAR);
    if !part.hit { discard; }
    let around_low = vec3(f32(caves[1]), low.y, f32(caves[2]));
    let around = between(ray, around_low, vec3(f32(caves[3]), high.y, f32(caves[4])), part.far);
    let near = max(around.near, part.near);
    if !around.hit || near >= around.far { discard; }
    var met = first_rock(ray, near, around.far, false);
    let round = first_round(ray, near, around.far);
    if round.face != 0.0 && (met.face == 0.0 || round.t < met.t) { met = round; }
    // A side of the shown part is no wall of a cave.
    if met.face == 0.0 || after(met.t) >= part.far { discard; }
    let side = face_normal(ray, met.face);
    if part.near > 0.0 && met.t <= part.near + 1e-3 {
        met.face = cut_face(part.entry);
    } else if met.face >= BLOCK {
        // A walk goes from cell to cell: it begins beyond the cell in which round rock may still be.
        met.face += cave_light(at(ray, met.t), side, select(OPEN_HAIR, ROUND_HAIR, met.face >= WITH_NORMAL));
    }
    let ahead = dot(ray.direction * vec3(1.0, frame.forward.w, 1.0), frame.forward.xyz) * met.t;
    return CaveFragment(vec2(met.t, met.face), min(NEAREST / ahead, 1.0));
}

fn cut_face(n: vec3<f32>) -> f32 {
    if n.x != 0.0 { return select(4.0, 5.0, n.x > 0.0); }
    if n.y != 0.0 { return select(6.0, 7.0, n.y > 0.0); }
    return select(2.0, 3.0, n.z > 0.0);
}
