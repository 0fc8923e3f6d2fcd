// What stands on the ground: foliage, walls and roofs, as `render::leaves` and `render::built` draw them.

const AXES = 3;

// Twin: leaves::leaf.
fn leaf_of(q: vec3<f32>) -> f32 { return gradient_noise(q * LEAF_SIZES.z + vec3(11.0, 2.0, 7.0)); }

// Twin: leaves::bulges.
// Clumps and tufts at a place, 0 in the creases between them.
fn leaf_bulges(q: vec3<f32>) -> vec2<f32> {
    return abs(vec2(gradient_noise(q * LEAF_SIZES.x), gradient_noise(q * LEAF_SIZES.y + vec3(3.0, 8.0, 5.0))));
}

// Twin: leaves::leafy.
// Density of leaves, at a place in cells of true proportions, of a material of this density.
fn leafy(q: vec3<f32>, density: f32) -> f32 {
    if density <= LEAF_BARE || density >= LEAF_DENSE { return density; }
    let bulges = leaf_bulges(q);
    let held = ramp(LEAF_BARE, LEAF_HELD, density);
    return density + held * dot(LEAF_RAISE, vec3(bulges - LEAF_MEAN, leaf_of(q)));
}

// Twin: built::sharpened.
// A place at which the density is that of a wall at `p`, so that it changes faster between two cells.
fn sharpened(p: vec3<f32>) -> vec3<f32> {
    let cell = floor(p - 0.5) + 0.5;
    return cell + clamp((p - cell - 0.5) * WALL_SHARP + 0.5, vec3(0.0), vec3(1.0));
}

// Twin: solid::crossed.
// What a ray meets of a solid medium at a place, from its density there.
fn solid_value(p: vec3<f32>, density: f32, medium: i32) -> f32 {
    if preset_of(medium) == LEAVES { return leafy(p * oblong(), density); }
    if preset_of(medium) == WALL { return medium_at(sharpened(p), medium); }
    return density;
}

// Twin: field::refined.
// Regula falsi for the surface of a solid medium between a place outside and one inside.
fn refine_solid(ray: Ray, outside: f32, inside: f32, medium: i32) -> f32 {
    var a = outside;
    var b = inside;
    var ends = vec2(0.0);
    // One place that calls for the value: a driver copies a function to each.
    for (var i = 0; i < REFINEMENTS + 2; i++) {
        var t = a + (b - a) * clamp(-ends.x / max(ends.y - ends.x, 1e-6), 0.05, 0.95);
        if i == 0 { t = a; }
        if i == 1 { t = b; }
        let p = at(ray, t);
        let value = solid_value(p, medium_at(p, medium), medium) - SURFACE_OF_MEDIA;
        if i == 0 {
            if value >= 0.0 { return a; }
            ends.x = value;
        } else if i == 1 {
            ends.y = value;
        } else if value < 0.0 {
            a = t;
            ends.x = value;
        } else {
            b = t;
            ends.y = value;
        }
    }
    return a + (b - a) * min(-ends.x / max(ends.y - ends.x, 1e-6), 1.0);
}

// Twin: built::normal.
// Outward normal of a wall or a roof: that of a side of cells, or of a slope over some of them.
fn built_normal(p: vec3<f32>, medium: i32) -> vec3<f32> {
    let is_wall = preset_of(medium) == WALL;
    var near = vec3(0.0);
    for (var axis = 0; axis < AXES; axis++) {
        var step = vec3(0.0);
        step[axis] = BUILT_NEAR;
        let after = select(p + step, sharpened(p + step), is_wall);
        let before = select(p - step, sharpened(p - step), is_wall);
        near[axis] = medium_at(after, medium) - medium_at(before, medium);
    }
    let far = abs(near);
    let most = max(far.x, max(far.y, far.z));
    if most > BUILT_SIDE * length(near) {
        if far.x == most { return vec3(-sign(near.x), 0.0, 0.0); }
        if far.y == most { return vec3(0.0, -sign(near.y), 0.0); }
        return vec3(0.0, 0.0, -sign(near.z));
    }
    if is_wall { return upright(near); }
    return upright(media_gradient(p, BUILT_WIDE, medium) + near * BUILT_BOTH);
}

// Twin: solid::stands.
fn stands(medium: i32) -> bool { return preset_of(medium) >= LEAVES && preset_of(medium) <= ROOF; }

// Twin: solid::footed.
// Share of its light that ground keeps under and beside what stands there.
fn footed(p: vec3<f32>, medium: i32) -> f32 {
    var heights = FOOT_HEIGHTS;
    var shares = FOOT_SHARES;
    var shade = 0.0;
    for (var k = 0; k < FOOT_PLACES; k++) {
        shade = max(shade, shares[k] * medium_at(p + vec3(0.0, heights[k], 0.0), medium));
    }
    return 1.0 - shade;
}

// Twin: leaves::rise.
fn leaf_rise(q: vec3<f32>) -> vec3<f32> {
    var rise = vec3(0.0);
    var here = 0.0;
    for (var axis = -1; axis < AXES; axis++) {
        var place = q;
        if axis >= 0 { place[axis] += LEAF_STEP; }
        let sum = dot(LEAF_RAISE.xy, leaf_bulges(place));
        if axis < 0 {
            here = sum;
        } else {
            rise[axis] = (sum - here) / LEAF_STEP;
        }
    }
    return rise;
}

// Twin: leaves::light, leaves::made.
fn leaves_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    let waves = frame.media_look[hit.medium].y;
    let q = hit.point * oblong();
    let bulges = leaf_bulges(q);
    let inside = select(medium_at(hit.point, hit.medium), 0.0, hit.cut);
    let gap = ramp(LEAF_GAPS.x, LEAF_GAPS.y, inside);
    let pixel = hit.t * frame.floor.w * LEAF_SIZES.z;
    let seen = waves * (1.0 - ramp(LEAF_SEEN.x, LEAF_SEEN.y, pixel));
    let finer = waves * (1.0 - ramp(LEAF_SEEN.x, LEAF_SEEN.y, pixel * LEAF_NEEDLES.x));
    let fleck = leaf_of(q) * seen + LEAF_NEEDLES.y * leaf_of(q * LEAF_NEEDLES.x) * finer;
    let tip = saturate1(1.1 * bulges.x + 1.3 * bulges.y + 0.35 * fleck - 0.25) * (1.0 - gap);
    let broad = fractal(q * 0.11 + vec3(1.0, 6.0, 2.0), 2);
    let kind = mix(vec3(1.0), select(LEAF_OLD, LEAF_DRY, broad > 0.0), saturate1(1.4 * abs(broad)));
    let color = frame.media_color[hit.medium].rgb * kind * mix(LEAF_OLD, LEAF_TIPS, tip);
    let albedo = color * (0.46 * max(0.8 + 0.5 * tip + LEAF_FLECKS * fleck, 0.15));
    let aside = gradient_noise(q * LEAF_SIZES.z + vec3(19.0, 0.0, 5.0)) * seen;
    var normal = hit.normal;
    if !hit.cut { normal = unit_or_up(hit.normal + vec3(fleck, 0.4 * fleck, aside) * LEAF_ROUGH - leaf_rise(q) * LEAF_TILT); }
    let own = own_sun(hit);
    let lit = arriving_light(hit, normal, LEAF_WRAP, 0.0, own);
    let against = saturate1(dot(view_of(ray), frame.sun.xyz));
    let thin = exp(-own.y / LEAF_ENTERS) * (LEAF_ASIDE + against * against) * open_on(hit.point, hit.normal);
    let through = frame.sun_color.rgb * LEAF_GREEN * albedo * (LEAF_THROUGH * thin);
    return albedo * lit * (1.0 - LEAF_DARK * gap) + through * (1.0 - gap);
}

// A piece of a course: a number in 0..1 of its own, the distance to its edge in cells, and how far up in its course the place is.
struct Piece { tone: f32, edge: f32, up: f32 }

// Twin: built::piece.
fn piece_of(along: f32, up: f32, size: vec2<f32>) -> Piece {
    let row = floor(up / size.y);
    let place = along / size.x + 0.5 * row + 0.3 * share_of(hash3(vec3(i32(row), 7, 3)));
    let column = floor(place);
    let x = place - column;
    let y = up / size.y - row;
    let edge = min(min(x, 1.0 - x) * size.x, min(y, 1.0 - y) * size.y);
    return Piece(share_of(hash3(vec3(i32(column), i32(row), 5))), edge, y);
}

// Twin: built::seen.
fn built_seen(pixel: f32, size: f32) -> f32 { return 1.0 - ramp(BUILT_SEEN.x, BUILT_SEEN.y, pixel / size); }

// Twin: built::light, built::albedo, built::tiles, built::wall.
fn built_light(hit: SolidPoint) -> vec3<f32> {
    let waves = frame.media_look[hit.medium].y;
    let n = hit.normal;
    let q = hit.point * oblong();
    let pixel = hit.t * frame.floor.w;
    let along = select(q.x, q.z, abs(n.x) > abs(n.z));
    let upright = 1.0 - abs(n.y);
    let broad = fractal(q * 0.22 + vec3(1.0, 6.0, 2.0), 3);
    let fine = gradient_noise(q * 3.1) * built_seen(pixel, 0.3);
    let is_tiled = preset_of(hit.medium) == ROOF && n.y > 0.2 && n.y < 0.96;
    let piece = piece_of(along, q.y, select(WALL_STONE, ROOF_TILE, is_tiled));
    var tone = 1.0;
    if is_tiled {
        let shade = ramp(0.62, 1.0, piece.up) * 0.5 + ramp(0.10, 0.0, piece.edge) * 0.25;
        let own = built_seen(pixel, ROOF_TILE.y) * (0.45 * (piece.tone - 0.5) - shade);
        tone = 1.0 + waves * (0.18 * broad + own + 0.10 * fine);
    } else {
        let above = (hit.point.y - height(hit.point.x, hit.point.z)) * oblong().y;
        let streaks = fractal(vec3(q.x * 1.1, q.y * 0.10, q.z * 1.1), 2) * upright;
        let foot = ramp(WALL_FOOT.x, WALL_FOOT.y, above + 1.2 * broad) * upright;
        tone = 1.0 + min(waves, 1.0) * (0.16 * broad + 0.12 * streaks + 0.07 * fine) - WALL_SOILED * foot;
        let joint = ramp(0.14, 0.03, piece.edge) * 0.45;
        tone += saturate1(waves - 1.0) * (built_seen(pixel, WALL_STONE.y) * (0.5 * (piece.tone - 0.5) - joint) + 0.12 * fine);
    }
    let albedo = frame.media_color[hit.medium].rgb * (0.46 * max(tone, 0.15));
    return albedo * arriving_light(hit, n, GRAINS_WRAP, 0.0, own_sun(hit));
}
