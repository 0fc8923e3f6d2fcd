// The sea around a box that stands in water, and the ground there, as `render::sea` and `render::beyond` have them.

// The stretch of a ray below the level of the sea.
struct Under { begin: f32, end: f32 }

// Twin: sea::under.
fn sea_under(ray: Ray, limit: f32) -> Under {
    if !has_sea() { return Under(FAR, 0.0); }
    let over = ray.origin.y - frame.sea.x;
    let falls = ray.direction.y;
    let meets = select(-over / falls, FAR, abs(falls) < 1e-6);
    if over > 0.0 { return Under(select(FAR, meets, falls < 0.0), limit); }
    return Under(0.0, select(min(limit, meets), limit, falls < 0.0));
}

// Twin: pass::distance, sea::level_way.
// Haze over the sea at a distance from the box, which ends at the horizon.
fn sea_distance(passed: ptr<function, Passed>, ray: Ray, beyond_cells: f32) {
    let way = ray.direction * oblong();
    let hidden = 1.0 - exp(-beyond_cells / frame.sea.w);
    (*passed).light += (*passed).through * sky_air(unit_or_up(vec3(way.x, 0.0, way.z))) * hidden;
    (*passed).through *= 1.0 - hidden;
}

// Twin: water::roughness.
// Slope of the waves of a sea at a point that are smaller than pixels `t` from the eye.
fn roughness(p: vec3<f32>, t: f32, medium: i32) -> f32 {
    if !has_sea() { return 0.0; }
    let far = t / (FADED * frame.cells.w);
    let lost = far * far / (1.0 + far * far);
    let q = p / frame.cells.w;
    let moved = frame.media.y;
    let gust = fractal(vec3(GUSTS * q.x + 0.02 * moved, 0.01 * moved, 2.2 * GUSTS * q.z), 3);
    return min(SMALLER * RIPPLES * frame.media_look[medium].y * lost, ROUGHEST) * max(1.0 + 0.9 * gust, 0.2);
}

// Twin: land::floor_below.
fn bed_below(p: vec3<f32>) -> f32 {
    if is_beyond_sides(p.x, p.z) { return beyond_height(p.x, p.z); }
    return floor_below(p);
}

// Before the box, in it, behind it.
const PARTS_OF_WAY = 3;

// Twin: sea::join.
// What the media add along a ray, in the sea before the box, in the box, and in the sea behind it.
fn pass_media(ray: Ray, limit: f32, jitter: f32) -> Passed {
    var passed = Passed(vec3(0.0), vec3(1.0), FAR, false, 0u, false, 0.0);
    let s = span(ray, limit);
    let under = sea_under(ray, limit);
    let medium = i32(frame.sea.y);
    let near = select(FAR, s.near, s.hit);
    let leaves = select(FAR, s.far, s.hit);
    let goes_on = has_sea() && under.begin <= leaves && leaves < under.end;
    // One call of what passes a border: a driver copies a function to each place that calls it.
    for (var part = 0; part < PARTS_OF_WAY; part++) {
        var begin = 0.0;
        var end = s.far;
        if part == 1 {
            if !s.hit || frame.media.x <= 0.0 { continue; }
            pass_surfaces(&passed, ray, s, jitter);
            if passed.inside == 0u { continue; }
        } else {
            begin = select(max(under.begin, leaves), under.begin, part == 0);
            end = min(under.end, begin + DEEPEST_SEA);
            if part == 0 { end = min(end, near); }
            if begin >= end { continue; }
        }
        for (var last = 0; last < 2; last++) {
            var border = Border(select(begin, end, last == 1), medium, BORDER_OF_NONE, vec3(0.0), false);
            if last == 0 {
                if part == 1 || is_inside(&passed, medium) { continue; }
                if begin > 0.0 && (part == 0 || !goes_on) { border.change = BORDER_IN; }
            } else {
                if part == 0 && end == near { continue; }
                if part != 1 { border.change = BORDER_OUT; }
            }
            pass_border(&passed, ray, border, jitter);
            if last == 0 { passed.inside |= 1u << u32(medium); } else { passed.ends_inside = end >= limit; }
        }
        if part == 1 { passed.inside &= select(0u, 1u << u32(medium), goes_on); }
    }
    // The air may be wider and higher than the box.
    if is_cloudy() { scatter_up_to(&passed, ray, limit, jitter); }
    return passed;
}
