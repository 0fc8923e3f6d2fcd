// One ray per pixel: ground, slices and lava become light (rgb) and coverage (a).

@vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32((i << 1u) & 2u) * 2.0 - 1.0, f32(i & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

// Twin: heightfield::before_cut.
// Distance up to which lava may cover a cut at t. Cuts go through lava and ground in one plane, where rounding must not
// decide which of the two is seen.
fn before_cut(t: f32) -> f32 { return t * 0.9999 - 1e-3; }

// What a ray meets behind the lava: distance (FAR: nothing), up to where lava may cover it, and its face; a slice has
// face 0 and a content. `sun` and `open` are the shares of sun and sky that arrive on the side of a cell.
struct Behind { t: f32, front: f32, point: vec3<f32>, face: f32, texel: vec4<f32>, sun: f32, open: f32 }

// Whether the ground is met where lava may coat it: not where it is cut open.
fn is_natural(b: Behind) -> bool { return b.face == TOP || b.face >= BLOCK; }

// Whether the ground is met beyond the sides of the box.
fn is_beyond(b: Behind) -> bool { return b.face == BEYOND; }

// Twin: cinematic::stony.
// Rock with stones finer than the nodes of the land, broad ones and finer ones, as far as pixels at this distance show them.
fn stony(rock: Rock, p: vec3<f32>, t: f32, stones: f32) -> Rock {
    let across = mat3x3(STONES_EAST, STONES_UP, STONES_SOUTH);
    let place = across * pattern_place(p);
    let pixel = t * frame.floor.w * stones / frame.cells.w;
    if pixel >= STONES_SEEN.y { return rock; }
    var sizes = STONES_SIZES;
    var sum = vec4(0.0);
    // More of them here than there, by a broad pattern of the same block.
    let more = 1.0 + STONES_LESS * billow(place * (stones * STONES_FIELDS)).x;
    for (var k = 0; k < STONES_COUNT; k++) {
        let finer = stones * sizes[k].x;
        let seen = saturate1((STONES_SEEN.y - pixel * sizes[k].x) / (STONES_SEEN.y - STONES_SEEN.x));
        if seen <= 0.0 { break; }
        sum += billow(place * finer) * (sizes[k].y * seen * more);
    }
    let rise = sum.yzw * across;
    let slope = rise - rock.normal * dot(rise, rock.normal);
    var stony = rock;
    stony.normal = unit_or_up(rock.normal - slope * STONES_TILT);
    stony.albedo *= max(1.0 + STONES_TONE * sum.x, STONES_DARKEST);
    return stony;
}

// The rock of the top, or of a cave.
fn rock_of(ray: Ray, b: Behind) -> Rock {
    // One call of the stones for both.
    var rock = Rock(vec3(0.0), face_normal(ray, b.face), b.open, b.sun);
    if b.face == TOP {
        rock = rock_at(b.point.x, b.point.z);
        if is_stone() { return rock; }
    }
    if b.face != TOP {
        // One call of the grain for both.
        var p = pattern_place(b.point);
        if is_beyond(b) {
            rock = beyond_rock(b.point.x, b.point.z);
            p *= BROADER_GRAIN;
        }
        let grain = bumped(rock.normal, p);
        if !is_beyond(b) { return block_rock(b.point, rock.normal, grain, b.sun, b.open); }
        rock.normal = rugged(rock.normal, grain);
    }
    return stony(rock, b.point, b.t, STONES);
}

const NO_SLICE = vec4<f32>(0.0);
// A hair beyond a cut, as a share of its distance and in cells; how far off the plane of a slice it may lie.
const BEYOND_CUT = vec2<f32>(1.0001, 2e-3);
const OFF_SLICE = 0.02;
const SLICE_ROCK = vec4<f32>(0.0, 0.0, 0.0, 2.0 / 255.0);

// Content of a texel of a slice: 0 nothing, 1 a value, 2 rock, 3 a material by its colour.
fn content(texel: vec4<f32>) -> u32 { return u32(texel.a * 255.0 + 0.5); }

fn cut_texel(axis: i32, p: vec3<f32>) -> vec4<f32> {
    let c = vec3<u32>(clamp(p, vec3(0.0), frame.cells.xyz - 1.0));
    let n = vec3<u32>(frame.cells.xyz);
    var texel = c.y * n.z + c.z;
    if axis == 1 { texel = n.y * n.z + c.z * n.x + c.x; }
    if axis == 2 { texel = n.y * n.z + n.z * n.x + c.y * n.x + c.x; }
    return unpack4x8unorm(cuts[texel]);
}

// Whether a cell with this content is drawn: in the cinematic look rock is the ground's own cut face.
fn is_seen(content: u32) -> bool { return content != 0u && !(content == 2u && frame.view.x == CINEMATIC); }

// The nearest slice with something to show before `limit`.
struct SliceHit { t: f32, texel: vec4<f32> }

fn nearest_slice(ray: Ray, limit: f32) -> SliceHit {
    var found = SliceHit(limit, NO_SLICE);
    if all(frame.cuts.xyz < vec3(0.0)) { return found; }
    for (var axis = 0; axis < 3; axis++) {
        let plane = frame.cuts[axis];
        if plane < 0.0 || ((u32(frame.cuts.w) >> u32(axis)) & 1u) == 1u || abs(ray.direction[axis]) < 1e-9 { continue; }
        let t = (plane - ray.origin[axis]) / ray.direction[axis];
        if t <= 0.0 || t >= found.t { continue; }
        let p = at(ray, t);
        // On its own axis rounding must not put the plane outside; across, it ends where the shown part of the box does.
        let own = vec3(axis == 0, axis == 1, axis == 2);
        if !all(own | ((p >= frame.clip_low.xyz) & (p <= frame.clip_high.xyz))) { continue; }
        let texel = cut_texel(axis, p);
        if is_seen(content(texel)) { found = SliceHit(t, texel); }
    }
    return found;
}

// Twin: land::openness.
fn look_behind(ray: Ray, pixel: vec2<i32>) -> Behind {
    var b = Behind(FAR, FAR, vec3(0.0), 0.0, NO_SLICE, 0.0, 0.0);
    let hit = textureLoad(ground_hits, pixel, 0).rg;
    if frame.view.w == 1u && hit.y > 0.5 {
        var face = hit.y % SUNLIT + WITH_NORMAL * floor(hit.y / WITH_NORMAL);
        // Where the land goes on, no side of the box is to be seen in a gap between nodes.
        if goes_on() && face > BEYOND && face < BLOCK { face = TOP; }
        let code = u32(hit.y % WITH_NORMAL / SUNLIT);
        b = Behind(hit.x, hit.x, at(ray, hit.x), face, NO_SLICE, f32(code & 1u), 0.26 + 0.74 * f32(code / 2u) / f32(OPEN_RAYS_COUNT));
        if !is_natural(b) { b.front = before_cut(hit.x); }
        // In plain styles the ground's cut face in the plane of a slice is the slice's rock, up to the ground's smooth top.
        if frame.view.x != CINEMATIC && !is_natural(b) && in_slice(ray, b) { b.face = 0.0; b.texel = SLICE_ROCK; }
    }
    // A slice lies in the plane of the cut that it makes, and is what is seen there.
    let slice = nearest_slice(ray, b.t * BEYOND_CUT.x + BEYOND_CUT.y);
    if content(slice.texel) != 0u { b = Behind(slice.t, before_cut(slice.t), at(ray, slice.t), 0.0, slice.texel, 0.0, 0.0); }
    return b;
}

// Whether a cut face lies in the plane of a slice.
fn in_slice(ray: Ray, b: Behind) -> bool {
    let along = abs(face_normal(ray, b.face)) > vec3(0.5);
    let near = abs(b.point - frame.cuts.xyz) < vec3(OFF_SLICE + 1e-4 * b.t);
    return any(along & near & (frame.cuts.xyz >= vec3(0.0)));
}

// Twin: palette::srgb_to_linear.
// Linear light of a colour in sRGB.
fn linear_light(c: vec3<f32>) -> vec3<f32> {
    return select(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, c <= vec3(0.04045));
}

fn slice_color(b: Behind) -> vec3<f32> {
    switch content(b.texel) {
        case 1u: { return palette(b.texel.r); }
        case 2u: { return CUT_ROCK; }
        default: { return linear_light(b.texel.rgb); }
    }
}

fn plain_rock(ray: Ray, b: Behind) -> vec3<f32> {
    let side = face_normal(ray, b.face);
    var color = plain_cut(side);
    if b.face == TOP {
        color = plain_ground(b.point);
    } else if b.face >= BLOCK {
        color = plain_tone(b.point) * plain_lit(b.open, side);
    }
    // The largest values must stand out from the rock.
    if frame.view.x == MAXIMUM && frame.view.z == 1u { color *= DIMMED; }
    return color;
}

fn natural_rock(ray: Ray, b: Behind) -> vec3<f32> {
    if is_natural(b) || is_beyond(b) {
        let light = hazed(ray, b.t, rock_by_day(rock_of(ray, b)));
        if is_beyond(b) { return plain_faded(ray, b.point, light); }
        return light;
    }
    return hazed(ray, b.t, strata(b.point, b.t, face_normal(ray, b.face), false));
}

fn sky_or_floor(ray: Ray) -> vec3<f32> {
    if frame.view.x != CINEMATIC { return plain_backdrop(view_of(ray)); }
    return surroundings(ray);
}

// Light and coverage of what lies behind the lava, without the lava's own light on it: it only changes with the camera,
// the ground and the slices.
fn backdrop_along(ray: Ray, b: Behind) -> vec4<f32> {
    let natural = frame.view.x == CINEMATIC;
    if content(b.texel) != 0u { return vec4(slice_color(b), 1.0); }
    if b.face < 0.5 { return vec4(sky_or_floor(ray), 0.0); }
    if natural { return vec4(natural_rock(ray, b), 1.0); }
    return vec4(plain_rock(ray, b), 1.0);
}

// Where a ray ends: light of the lava, of films on rock and of what glows next to them, premultiplied, and how much it hides;
// the distance up to which media that light passes may lie before it; and what it is.
struct End { light: vec4<f32>, t: f32, met: u32 }

const MET_BEHIND = 0u;
const MET_LAVA = 1u;
const MET_SOLID = 2u;

fn cinematic(ray: Ray, b: Behind, jitter: f32) -> End {
    let crossing = cross_surface(ray, b.front, frame.lava.x, jitter);
    var skin = Skin(b.point, vec3(0.0, 1.0, 0.0), view_of(ray), false);
    var cover = 0.0;
    // Share of the light on the ground that a front at its foot leaves.
    var hidden = 1.0;
    var t = b.t;
    var light = vec3(0.0);
    if crossing.kind == CROSSED {
        t = crossing.t;
        skin.point = at(ray, t);
        skin.cut = crossing.cut && !goes_on();
        skin.normal = crossing.face;
        if !crossing.cut { skin.normal = lava_normal(skin.point); }
        cover = 1.0;
    } else if b.face > 0.5 {
        light = lava_light(ray, b) * clearness(ray, b.t);
        if is_beyond(b) && frame.floor.x > 0.5 { light *= floor_clear(beyond_box(b.point)); }
        if is_natural(b) {
            let film = film_over(b.point);
            hidden = 1.0 - FRONT_HIDES * ramp(0.0, frame.lava.y, film);
            let margin = margin(b.point, film);
            cover = margin.w;
            if cover > 0.0 { skin.normal = unit_or_up(toe(b.point) - margin.xyz); }
        }
    }
    // One call for lava and for films on rock: a graphics card runs both ways of a branch anyhow.
    if cover > 0.0 { light = mix(light, hazed(ray, t, shade(skin)), cover); }
    // What is between the sun and the ground darkens it. One call for all: a driver copies a function to each place that calls it.
    if crossing.kind != CROSSED {
        var way = SunWay(b.point, 0.0);
        if b.face > 0.5 {
            way.shade = 1.0;
            if !is_natural(b) { way = way_beside(b.point + select(face_normal(ray, b.face) * OFF_SIDE, vec3(0.0), is_beyond(b)), 1.0); }
        } else if content(b.texel) == 0u {
            way = floor_way(ray);
            let fall = (frame.block.x - ray.origin.y) / ray.direction.y;
            if has_flame() && frame.floor.x > 0.5 && ray.direction.y < -1e-4 && fall > 0.0 {
                light += SLATE * flame_at(at(ray, fall), vec3(0.0, 1.0, 0.0));
            }
        }
        let kept = 1.0 - (1.0 - SHADED_GROUND) * way.shade * (1.0 - cloud_sunlight(way.place));
        cover = 1.0 - (1.0 - cover) * kept * hidden;
    }
    if crossing.kind == GRAZED { light += grazing_glow(at(ray, crossing.t), crossing.density); }
    let lava = crossing.kind == CROSSED;
    return End(vec4(light, cover), select(b.front, t, lava), select(MET_BEHIND, MET_LAVA, lava));
}

// Twin: solid::before, solid::filmed, solid::wetted.
// The same with solid media before it.
fn before_end(ray: Ray, b: Behind, behind: vec4<f32>, jitter: f32, end: End) -> End {
    var light = behind.rgb * (1.0 - end.light.a) + end.light.rgb;
    var changed = false;
    let hit = cross_solids(ray, end.t, jitter);
    var t = end.t;
    var met = end.met;
    var nearest = SolidPoint(hit.medium, hit.t, at(ray, hit.t), hit.face, hit.cut, light, end.t);
    if hit.medium >= 0 {
        if !hit.cut { nearest.normal = lipped(nearest.point, solid_normal(nearest.point, hit.medium), hit.medium); }
        t = hit.t;
        met = MET_SOLID;
    }
    let on_ground = is_natural(b) && end.met == MET_BEHIND;
    let above = b.point + vec3(0.0, 0.5, 0.0);
    let on_rock = denser(media_at(b.point), media_at(above));
    let on_nearest = media_at(nearest.point);
    // Films on the ground, the nearest material, films on that, and a veil before all. One call for all: a driver copies a function to
    // each place that calls it.
    let count = media_count();
    let wetted = first_solid();
    var veil = 0.0;
    var veiled = vec3(0.0);
    for (var j = 0; j <= 2 * count + 1; j++) {
        var here = nearest;
        here.behind = light;
        var film = Film(0.0, nearest.normal);
        if j < count {
            let density = pick(on_rock, j);
            if on_ground && stands(j) {
                light *= footed(b.point, j);
                changed = true;
            }
            if !on_ground || !is_solid(j) || stands(j) || density <= LEAST_OF_MEDIA { continue; }
            let normal = ground_normal_at(b.point.x, b.point.z, COATED);
            here = SolidPoint(j, end.t, b.point, normal, false, light, end.t);
            if wets(j) && is_stone() {
                film = smooth_film(above, density, normal, ENDS_ON_GROUND, j);
            } else {
                film = ragged_film(b.point, density, normal, j);
            }
        } else if hit.medium >= 0 && j == count {
            film.cover = select(frayed(ray, here.point, here.normal, here.medium), 1.0, hit.cut);
        } else if j > 2 * count {
            if hit.veil <= VEIL_OF_GRAINS || hit.veil_t >= t { continue; }
            let p = at(ray, hit.veil_t);
            let normal = solid_normal(p, hit.veil_of);
            let heap = ramp(0.3 * SURFACE_OF_MEDIA, 0.9 * SURFACE_OF_MEDIA, medium_at(p - normal * 1.6, hit.veil_of));
            veil = ramp(VEIL_OF_GRAINS, SURFACE_OF_MEDIA, hit.veil) * (1.0 - heap);
            here = SolidPoint(hit.veil_of, hit.veil_t, p, normal, false, light, end.t);
            film = Film(veil, normal);
        } else if hit.medium == wetted && !hit.cut && wets(hit.medium) {
            here.medium = j - count - 1;
            if here.medium <= wetted || !wets(here.medium) { continue; }
            film = smooth_film(here.point, pick(on_nearest, here.medium), here.normal, ENDS_ON_SOLID, here.medium);
        }
        if film.cover <= 0.0 { continue; }
        here.normal = film.normal;
        let seen = solid_light(ray, here);
        if j > 2 * count {
            veiled = seen;
        } else {
            light = mix(light, seen, film.cover);
            changed = true;
        }
    }
    if changed { return End(vec4(mix(light, veiled, veil), 1.0), t, met); }
    return End(vec4(mix(end.light.rgb, veiled, veil), 1.0 - (1.0 - end.light.a) * (1.0 - veil)), t, met);
}

// Twin: cinematic::through_media.
// The same through the media before it. What lies behind them takes part, since they change its colour.
fn through_media(ray: Ray, b: Behind, behind: vec4<f32>, jitter: f32, end: End) -> vec4<f32> {
    let passed = pass_media(ray, end.t, jitter);
    var light = behind.rgb * (1.0 - end.light.a) + end.light.rgb;
    if (end.met == MET_SOLID || (end.met == MET_BEHIND && is_beyond(b))) && passed.ends_inside {
        light *= WET * net_of_light(at(ray, end.t));
    } else if is_natural(b) && end.met == MET_BEHIND {
        if passed.ends_inside {
            light *= WET * net_of_light(at(ray, end.t));
        } else {
            let film = filmed(ray, b, light);
            light = film.rgb;
            if film.a > 0.0 && passed.first == FAR { return vec4(light, 1.0); }
        }
    }
    if passed.first == FAR { return end.light; }
    // Only the air between the eye and the first surface is hazy; what is behind it already has that haze.
    let clear = clearness(ray, passed.first);
    let haze = sky_haze(view_of(ray)) * (1.0 - clear);
    // What glows keeps its colour.
    let gray = vec3(dot(passed.through, vec3(0.5, 0.35, 0.15)));
    let through = select(passed.through, mix(passed.through, gray, GLOWING_KEPT), end.met == MET_LAVA);
    let all = haze + passed.light * clear + through * max(light - haze, vec3(0.0));
    if behind.a > 0.5 || end.met != MET_BEHIND { return vec4(all, 1.0); }
    // Some channels of this light are below 0 where the backdrop is brighter than what comes of it through coloured matter.
    let share = mean(through);
    return vec4(all - behind.rgb * share, 1.0 - share);
}

// The lava's light on the rock.
fn lava_light(ray: Ray, b: Behind) -> vec3<f32> {
    if !is_natural(b) && !is_beyond(b) { return strata(b.point, b.t, face_normal(ray, b.face), true); }
    if glow_at(b.point.x, b.point.z) < 1e-4 && !has_flame() { return vec3(0.0); }
    return rock_by_lava(b.point, rock_of(ray, b));
}

fn surface(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    let crossing = cross_surface(ray, b.front, frame.lava.x, jitter);
    if crossing.kind != CROSSED { return vec4(0.0); }
    return vec4(surface_color(ray, crossing), 1.0);
}

fn maximum(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    let layer = largest(ray, b.front, jitter);
    return vec4(layer.rgb * layer.a, layer.a);
}

fn over(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return a + b * (1.0 - a.a); }

// A plain style with media besides the lava, or haze: they stand before a surface, and behind the largest value, which has no place.
fn plain_with_media(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    if frame.view.x == SCIENTIFIC { return accumulate_all(ray, b.front, jitter, true); }
    if frame.view.x == MAXIMUM { return over(maximum(ray, b, jitter), accumulate_all(ray, b.front, jitter, false)); }
    let crossing = cross_surface(ray, b.front, frame.lava.x, jitter);
    var lava = vec4(0.0);
    if crossing.kind == CROSSED { lava = vec4(surface_color(ray, crossing), 1.0); }
    return over(accumulate_all(ray, select(b.front, crossing.t, crossing.kind == CROSSED), jitter, false), lava);
}

fn lava_along(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    if frame.view.z == 0u { return vec4(0.0); }
    let media = frame.media.x > 0.0;
    if (media || has_smoke()) && frame.view.x != CINEMATIC { return plain_with_media(ray, b, jitter); }
    switch frame.view.x {
        case CINEMATIC: {
            var end = cinematic(ray, b, jitter);
            var light = end.light;
            if media || has_smoke() {
                // One call for both: a driver copies a function to each place that calls it.
                let behind = backdrop_along(ray, b);
                if media && has_solids() { end = before_end(ray, b, behind, jitter, end); }
                light = through_media(ray, b, behind, jitter, end);
            }
            return light + vec4(spark_light(ray, end.t) + flame_light(ray, end.t), 0.0);
        }
        case SCIENTIFIC: { return accumulate(ray, b.front, jitter); }
        case SURFACE: { return surface(ray, b, jitter); }
        default: { return maximum(ray, b, jitter); }
    }
}

// Frames are averaged as the eye sees them, not as raw light: one very bright ray must not win the pixel.
fn compressed(light: vec4<f32>) -> vec4<f32> {
    return vec4(light.rgb / (1.0 + max(light.r, max(light.g, light.b))), light.a);
}

fn pixel_ray(pixel: vec2<i32>) -> Ray { return ray_through(vec2<f32>(pixel) + 0.5 + frame.size.zw); }

@fragment fn backdrop(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(place.xy);
    let ray = pixel_ray(pixel);
    return compressed(backdrop_along(ray, look_behind(ray, pixel)));
}

@fragment fn lava(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(place.xy);
    let ray = pixel_ray(pixel);
    let jitter = fract(masked(pixel) + frame.nodes.w);
    return compressed(lava_along(ray, look_behind(ray, pixel), jitter));
}
