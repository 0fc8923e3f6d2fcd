// The media that light passes, before the lava or the rock at the end of a ray. The formulas are those of `render::media`
// and `render::water`.

// Numbers of the media, half less: of the first four, and of those after them.
const FIRST_MEDIA = vec4<f32>(0.5, 1.5, 2.5, 3.5);
const MORE_MEDIA = vec4<f32>(4.5, 5.5, 6.5, 7.5);

fn media_count() -> i32 { return i32(frame.media.x); }

fn preset_of(medium: i32) -> f32 { return frame.media_look[medium].z; }

// Whether light passes the surface of a medium; gases have none.
fn is_clear(medium: i32) -> bool { return preset_of(medium) == WATER; }

// Densities by medium: of the first four, and of those after them.
struct Densities { low: vec4<f32>, high: vec4<f32> }

fn pick(d: Densities, medium: i32) -> f32 { return select(d.low, d.high, medium > 3)[medium & 3]; }

// 0 where there are fewer than eight.
fn media_at(p: vec3<f32>) -> Densities {
    let place = p / frame.cells.xyz;
    let count = vec4(frame.media.x);
    let low = textureSampleLevel(media, linear_held, place, 0.0);
    var high = vec4(0.0);
    if frame.media.x > 4.0 { high = textureSampleLevel(more_media, linear_held, place, 0.0); }
    return Densities(
        select(vec4(0.0), low, FIRST_MEDIA < count),
        select(vec4(0.0), high, MORE_MEDIA < count));
}

// Density of one of them.
fn medium_at(p: vec3<f32>, medium: i32) -> f32 {
    let place = p / frame.cells.xyz;
    if medium > 3 { return textureSampleLevel(more_media, linear_held, place, 0.0)[medium & 3]; }
    return textureSampleLevel(media, linear_held, place, 0.0)[medium];
}

// The larger of two, by medium.
fn denser(a: Densities, b: Densities) -> Densities { return Densities(max(a.low, b.low), max(a.high, b.high)); }

// Opacity of one step through a medium, in the plain styles.
fn opacity_of(medium: i32, density: f32) -> f32 {
    let last = arrayLength(&media_opacity) / 2u - 1u;
    let place = saturate1(density) * f32(last);
    let i = min(u32(place), last - 1u);
    let half = select(0u, 1u, medium > 3);
    let k = medium & 3;
    return mix(media_opacity[2u * i + half][k], media_opacity[2u * i + 2u + half][k], place - f32(i));
}

struct MediaSample { t: f32, densities: Densities }

// Next sample at which there may be one of them; t below 0 at the end.
fn next_of_media(w: ptr<function, Walk>, ray: Ray, far: f32) -> MediaSample {
    loop {
        let t = ((*w).n + (*w).jitter) * (*w).step;
        if t >= far || (*w).n + 1.0 <= (*w).n { break; }
        let p = at(ray, t);
        let leave = jump(media_bricks, p, ray, (*w).inverse);
        if leave >= 0.0 {
            (*w).n = max(first_sample(*w, leave - 1e-3), (*w).n + 1.0);
            continue;
        }
        (*w).n += 1.0;
        let d = media_at(p);
        if any(max(d.low, d.high) > vec4(LEAST_OF_MEDIA)) { return MediaSample(t, d); }
    }
    return MediaSample(-1.0, Densities(vec4(0.0), vec4(0.0)));
}

// Twin: field::refined.
// Regula falsi for the surface of one medium between a place outside and one inside.
fn refine_media(ray: Ray, outside: f32, inside: f32, medium: i32) -> f32 {
    var a = outside;
    var b = inside;
    var fa = medium_at(at(ray, a), medium) - SURFACE_OF_MEDIA;
    var fb = medium_at(at(ray, b), medium) - SURFACE_OF_MEDIA;
    if fa >= 0.0 { return a; }
    for (var i = 0; i < REFINEMENTS; i++) {
        let middle = a + (b - a) * clamp(-fa / max(fb - fa, 1e-6), 0.05, 0.95);
        let value = medium_at(at(ray, middle), medium) - SURFACE_OF_MEDIA;
        if value < 0.0 { a = middle; fa = value; } else { b = middle; fb = value; }
    }
    return a + (b - a) * min(-fa / max(fb - fa, 1e-6), 1.0);
}

fn media_gradient(p: vec3<f32>, reach: f32, medium: i32) -> vec3<f32> {
    let x = vec3(reach, 0.0, 0.0);
    let y = vec3(0.0, reach, 0.0);
    let z = vec3(0.0, 0.0, reach);
    return vec3(
        medium_at(p + x, medium) - medium_at(p - x, medium),
        medium_at(p + y, medium) - medium_at(p - y, medium),
        medium_at(p + z, medium) - medium_at(p - z, medium)) * (0.5 / reach);
}

// Twin: water::rippled.
fn ripple(broad: vec3<f32>, fine: vec3<f32>, shift: f32) -> f32 {
    return gradient_noise(broad + shift) + 0.6 * gradient_noise(fine + shift);
}

// Twin: water::rippled.
// A normal with ripples that move as steps go by, lower far from the eye.
fn rippled(p: vec3<f32>, normal: vec3<f32>, t: f32, medium: i32) -> vec3<f32> {
    let far = t / (FADED * frame.cells.w);
    let height = RIPPLES * frame.media_look[medium].y / (1.0 + far * far);
    if height <= 0.0 { return normal; }
    let q = p / frame.cells.w;
    let moved = frame.media.y;
    let broad = vec3(0.35 * q.x + moved, 0.2 * q.y, 0.35 * q.z + 0.3 * moved);
    let fine = vec3(0.9 * q.x - 0.7 * moved, 0.2 * q.y + 7.0, 0.9 * q.z + 1.1 * moved);
    var slope = vec2(ripple(broad, fine, 0.0), ripple(broad, fine, 31.7));
    let chop = select(0.0, CHOP / (1.0 + CHOPPY * far * far), has_sea());
    if chop > 0.01 {
        let short = vec3(2.3 * q.x + 1.7 * moved, 3.0, 2.3 * q.z - 0.9 * moved);
        slope += chop * vec2(
            gradient_noise(short) + 0.5 * gradient_noise(short * 2.2),
            gradient_noise(short + 31.7) + 0.5 * gradient_noise(short * 2.2 + 31.7));
    }
    let swell = SWELL * wild(medium);
    if swell > 0.0 {
        let long = vec3(0.11 * q.x - 0.4 * moved, 0.0, 0.16 * q.z + 0.4 * moved);
        slope += swell * vec2(gradient_noise(long), gradient_noise(long + 31.7));
    }
    return unit_or_up(normal + vec3(slope.x, 0.0, slope.y) * height);
}

// How much higher than usual the waves of a medium are, 0 to 1.
fn wild(medium: i32) -> f32 { return saturate1(0.5 * (frame.media_look[medium].y - 1.0)); }

// Twin: water::surf.
// How much water with high waves breaks at a place: where it is shallow, in lines that come and go.
fn surf(p: vec3<f32>, normal: vec3<f32>, medium: i32) -> f32 {
    let high = wild(medium) * ramp(0.6, 0.8, normal.y);
    let depth = (p.y - bed_below(p)) / frame.cells.w;
    if high <= 0.0 || depth >= BREAKS + SWASH { return 0.0; }
    let q = p / frame.cells.w;
    let swash = fractal(vec3(0.30 * q.x, 1.7 * frame.media.y, 0.30 * q.z), 2);
    let flecks = saturate1(0.62 + 0.9 * fractal(vec3(1.1 * q.x, 0.9 * frame.media.y, 1.1 * q.z), 2));
    return high * ramp(BREAKS, 0.2, depth + SWASH * swash) * flecks;
}

// Twin: water::foam.
// Share of a surface of water that is foam, beside gas of this density, by how nearly its body is a drop, and by the shore below it.
fn foam_cover(p: vec3<f32>, normal: vec3<f32>, medium: i32, gas: f32, small: f32) -> f32 {
    let spray = SPRAY * small * saturate1(frame.media_look[medium].y);
    let wanted = max(max(ramp(FOAM.x, FOAM.y, gas), surf(p, normal, medium)), spray);
    if wanted <= 0.0 { return 0.0; }
    let torn = 0.5 + 0.6 * fractal(p * 1.7 + vec3(0.0, 0.3 * frame.media.y, 0.0), 4);
    return ramp(0.06, 0.75, wanted - 0.75 * (1.0 - wanted) * saturate1(1.0 - torn)) * 0.85;
}

// Light of lava on a surface that it reaches at full strength.
fn water_lava_light() -> vec3<f32> { return shown(EMBER_KELVIN) * (EMBER_STRENGTH * frame.heat.z); }

// Twin: water::surface.
// What a surface mirrors (rgb), and the share of all light that it does.
fn mirrored(ray: Ray, p: vec3<f32>, normal: vec3<f32>, rough: f32) -> vec4<f32> {
    let view = view_of(ray);
    let facing = saturate1(-dot(view, normal));
    let turned = min(length(vec2(facing, rough)), 1.0);
    let share = WATER_STRAIGHT + (1.0 - WATER_STRAIGHT) * pow(1.0 - turned, 5.0);
    var mirror = view + normal * (2.0 * facing);
    mirror.y = max(mirror.y, 0.02 * saturate1(normal.y)) + rough;
    mirror = unit_or_up(mirror);
    let open = open_at(p);
    let wide = 1.0 / (1.0 + SUN_WIDER * rough);
    let glint = pow(saturate1(dot(mirror, frame.sun.xyz)), SUN_NARROW * wide) * SUN_MIRRORED * wide * open;
    let lava = water_lava_light() * (LAVA_MIRRORED * ramp(TILTED.x, TILTED.y, normal.y) * ember_mirrored(p, mirror));
    return vec4(sky_reflected(mirror) + frame.sun_color.rgb * glint + lava, share);
}

// What a clear liquid does to light: `render::water::Liquid`.
struct Liquid { absorbed: vec3<f32>, deep: vec3<f32>, warmed: vec3<f32> }

// Twin: water::scattered.
// Light that a great depth of a liquid sends back at a point.
fn scattered(liquid: Liquid, p: vec3<f32>) -> vec3<f32> {
    let open = open_at(p);
    let sun = frame.sun_color.rgb * (saturate1(frame.sun.y) * open * 0.15);
    let lava = water_lava_light() * ember_at(p, vec3(0.0, 1.0, 0.0));
    return (sky_ambient(vec3(0.0, 1.0, 0.0)) + sun) * liquid.deep + lava * liquid.warmed;
}

// What the media add along a ray, and the share of the light behind them that comes through, by colour.
// `inside`: a bit for each medium; `by_pane`: whether it came in by a side of what is shown of the box.
struct Passed { light: vec3<f32>, through: vec3<f32>, first: f32, ends_inside: bool, inside: u32, by_pane: bool, t: f32 }

// Twin: water::sunk.
// Share of the light at its surface that a body of liquid behind a pane has at a point, by colour.
fn sunk(p: vec3<f32>, medium: i32) -> vec3<f32> {
    var places = OVER;
    var lengths = LENGTHS_OVER;
    var depth = 0.0;
    var reach = 1.0;
    for (var k = 0; k < PLACES_OVER; k++) {
        let above = p + vec3(0.0, places[k], 0.0);
        let here = min(medium_at(above, medium), 1.0);
        let is_rock = floor_below(above) > above.y;
        reach *= select(ramp(LEAST_OF_MEDIA, ENDS_OVER, here), 1.0, is_rock);
        if reach <= 0.0 { break; }
        depth += lengths[k] * reach * select(here, max(here, UNDER_ROCK), is_rock);
    }
    depth *= oblong().y;
    let moved = frame.media.y;
    let aside = p.xz + frame.sun.xz * (depth / max(frame.sun.y, 0.3) * 0.75);
    let scale = SHAFTS_APART / frame.cells.w;
    let shafts = gradient_noise(vec3(aside.x * scale + moved, 0.4, aside.y * scale - 0.6 * moved));
    let absorbed = frame.media_absorbed[medium].rgb;
    let sinks = absorbed * (SINKS.y / max(max(absorbed.r, max(absorbed.g, absorbed.b)), 1e-4));
    return exp(-depth * (SINKS.x + sinks)) * (UNDER * (1.0 + SHAFTS * shafts));
}

// Twin: water::edge.
// Light of the edge of a surface that a pane cuts, where the density of the liquid there is this.
fn edge_light(p: vec3<f32>, density: f32) -> vec3<f32> {
    let seen = ramp(EDGE_ENDS.x, EDGE_ENDS.y, density);
    if seen <= 0.0 { return vec3(0.0); }
    let over = media_at(p + vec3(0.0, OPEN_OVER / oblong().y, 0.0));
    for (var k = 0; k < media_count(); k++) {
        if is_clear(k) && pick(over, k) > 0.3 { return vec3(0.0); }
    }
    return (sky_ambient(vec3(0.0, 1.0, 0.0)) * EDGE.x + frame.sun_color.rgb * (EDGE.y * open_at(p))) * seen;
}

// Twin: water::net.
// Share of its light that a bed under a liquid has in the net that the ripples throw on it.
fn net_of_light(p: vec3<f32>) -> f32 {
    let q = p * (MESHES / frame.cells.w);
    let moved = frame.media.y;
    let one = 1.0 - abs(gradient_noise(vec3(q.x + 1.3 * moved, 0.5 * q.y, q.z + 0.4 * moved)));
    let other = 1.0 - abs(gradient_noise(vec3(1.6 * q.z - 0.8 * moved, 0.5 * q.y + 3.0, 1.6 * q.x + moved)));
    let lines = pow(one * other, 5.0);
    let lit = open_at(p) * saturate1(0.7 * frame.sun_color.y);
    return mix(1.0, mix(NET.x, NET.y, lines), lit);
}

fn is_inside(passed: ptr<function, Passed>, medium: i32) -> bool { return ((*passed).inside & (1u << u32(medium))) != 0u; }

fn leave_medium(passed: ptr<function, Passed>, medium: i32) { (*passed).inside &= ~(1u << u32(medium)); }

// The stretch up to `to`, in gas where it is in no other medium.
fn absorb(passed: ptr<function, Passed>, ray: Ray, to: f32, jitter: f32) {
    if is_cloudy() && (*passed).inside == 0u { scatter_up_to(passed, ray, to, jitter); }
    // The first one fills the place: the low-pass of lighter liquids reaches into heavier ones.
    if (*passed).inside != 0u && to > (*passed).t {
        let k = countTrailingZeros((*passed).inside);
        let liquid = Liquid(frame.media_absorbed[k].rgb, frame.media_deep[k].rgb, frame.media_warmed[k].rgb);
        let kept = exp(liquid.absorbed * (((*passed).t - to) * pace_of(ray)));
        let middle = at(ray, 0.5 * ((*passed).t + to));
        var light = scattered(liquid, middle);
        if (*passed).by_pane { light *= sunk(middle, i32(k)); }
        (*passed).light += (*passed).through * (1.0 - kept) * light;
        (*passed).through *= kept;
    }
    (*passed).t = to;
    (*passed).first = min((*passed).first, to);
}

fn is_cloudy() -> bool { return has_gas() || has_smoke(); }

// Gas and smoke. Where a ray may meet both, they take turns in parts so short that their order hardly matters.
fn scatter_up_to(passed: ptr<function, Passed>, ray: Ray, to: f32, jitter: f32) {
    let both = has_gas() && has_smoke();
    var start = (*passed).t;
    var end = to;
    if both {
        let gas = fog_span(ray, to);
        let smoke = smoke_span(ray, to);
        if !gas.hit && !smoke.hit { return; }
        start = max(start, min(select(FAR, gas.near, gas.hit), select(FAR, smoke.near, smoke.hit)));
        end = min(end, max(select(0.0, gas.far, gas.hit), select(0.0, smoke.far, smoke.hit)));
    }
    loop {
        if start >= end { break; }
        let part = select(end, min(start + TURN * frame.smoke.begins.w, end), both);
        if has_gas() {
            let gas = scatter(ray, start, part, jitter);
            (*passed).light += (*passed).through * gas.light;
            (*passed).through *= gas.through;
            (*passed).first = min((*passed).first, gas.first);
        }
        if has_smoke() { scatter_smoke(passed, ray, start, part, jitter); }
        if part <= start || max((*passed).through.r, max((*passed).through.g, (*passed).through.b)) <= CLOSED { break; }
        start = part;
    }
}

// Films of lighter liquids on the surface of a medium, too thin to have one of their own.
fn tint_by_films(passed: ptr<function, Passed>, p: vec3<f32>, medium: i32) {
    for (var k = medium + 1; k < media_count(); k++) {
        if !is_clear(k) || is_inside(passed, k) { continue; }
        let film = max(medium_at(p, k), medium_at(p + vec3(0.0, 0.5, 0.0), k));
        if film <= LEAST_OF_MEDIA { continue; }
        let kept = exp(-frame.media_absorbed[k].rgb * film);
        let liquid = Liquid(frame.media_absorbed[k].rgb, frame.media_deep[k].rgb, frame.media_warmed[k].rgb);
        (*passed).light += (*passed).through * (1.0 - kept) * scattered(liquid, p);
        (*passed).through *= kept;
    }
}

// Samples of the way through a drop.
const DROP_SAMPLES = 6;

// How nearly the body of a medium that is entered is a drop or a thin stream, by samples of the way through it.
fn smallness(ray: Ray, t: f32, medium: i32) -> f32 {
    for (var k = 1; k <= DROP_SAMPLES; k++) {
        if medium_at(at(ray, t + f32(k) * (DROP / f32(DROP_SAMPLES))), medium) < SURFACE_OF_MEDIA { return 1.0 - (f32(k) - 0.5) / f32(DROP_SAMPLES); }
    }
    return 0.0;
}

fn is_wet(p: vec3<f32>, medium: i32) -> bool { return medium_at(p, medium) >= SURFACE_OF_MEDIA; }

// Twin: pass::lies.
// Whether the liquid at a place lies on more of it: a ripple is no drop, and no stream.
fn lies(p: vec3<f32>, medium: i32) -> bool {
    let east = vec3(LIES.x, 0.0, 0.0);
    let south = vec3(0.0, 0.0, LIES.x);
    let below = p - vec3(0.0, LIES.y, 0.0);
    return (is_wet(below + east, medium) && is_wet(below - east, medium)) || (is_wet(below + south, medium) && is_wet(below - south, medium));
}

// Twin: pass::smallness.
// How nearly the body that a ray enters is a drop; none is where it lies on more of the liquid or on the ground.
fn dropness(ray: Ray, t: f32, medium: i32) -> f32 {
    let small = smallness(ray, t, medium);
    if small <= 0.0 || lies(at(ray, t), medium) { return 0.0; }
    let q = at(ray, t + DROP);
    return select(small, 0.0, q.y < height(q.x, q.z));
}

// Twin: water::of_drop.
// What the surface of a drop sends on, which gathers light from all around like a lens.
fn of_drop(p: vec3<f32>, small: f32, mirror: vec4<f32>) -> vec4<f32> {
    if small <= 0.0 { return mirror; }
    let sun = frame.sun_color.rgb * (GATHERED_OF_SUN * open_at(p));
    let gathered = max(mirror.rgb, sky_ambient(vec3(0.0, 1.0, 0.0)) * GATHERED + sun);
    return vec4(mix(mirror.rgb, gathered, small), mix(mirror.a, clamp(mirror.a, OF_DROP.x, OF_DROP.y), small));
}

// Twin: pass::air.
// Haze between what is met first, such as smoke, and a surface behind it: all of them get that of the first one at the end.
fn air_between(passed: ptr<function, Passed>, ray: Ray, t: f32) {
    let clear = clearness(ray, t) / max(clearness(ray, (*passed).first), 1e-6);
    (*passed).light += (*passed).through * sky_haze(view_of(ray)) * (1.0 - clear);
    (*passed).through *= clear;
}

// The end of a stretch of a ray: how far along the ray, the border of which medium, whether it goes into that or out of it, and by which
// side of the box it goes in, if by one.
struct Border { t: f32, medium: i32, change: u32, face: vec3<f32>, cut: bool }

const BORDER_OF_NONE = 0u;
const BORDER_IN = 1u;
const BORDER_OUT = 2u;

// Twin: water::level.
// The stretch up to a border, and the border.
fn pass_border(passed: ptr<function, Passed>, ray: Ray, border: Border, jitter: f32) {
    let t = border.t;
    let medium = border.medium;
    absorb(passed, ray, t, jitter);
    if border.change == BORDER_OUT { leave_medium(passed, medium); }
    if border.change != BORDER_IN { return; }
    let submerged = (*passed).inside != 0u;
    let sunken = ((*passed).inside & ((1u << u32(medium)) - 1u)) != 0u;
    (*passed).inside |= 1u << u32(medium);
    if !submerged { (*passed).by_pane = border.cut; }
    if sunken { return; }
    let p = at(ray, t);
    if !submerged && (*passed).first < t { air_between(passed, ray, t); }
    let beyond_cells = select(0.0, beyond_box(p), has_sea());
    if beyond_cells > 0.0 { sea_distance(passed, ray, beyond_cells); }
    let away = t * pace_of(ray);
    var normal = border.face;
    if !border.cut {
        var level = vec3(0.0, 1.0, 0.0);
        if beyond_cells <= 0.0 { level = upright(media_gradient(p, 0.8, medium)); }
        normal = rippled(p, level, away, medium);
    }
    var mirror = mirrored(ray, p, normal, roughness(p, away, medium));
    mirror.a *= select(1.0, SUBMERGED, submerged);
    var small = 0.0;
    if !border.cut && !submerged && beyond_cells <= 0.0 { small = dropness(ray, t, medium); }
    mirror = of_drop(p, small, mirror);
    (*passed).light += (*passed).through * mirror.rgb * mirror.a;
    (*passed).through *= 1.0 - mirror.a;
    if border.cut && !submerged { (*passed).light += (*passed).through * edge_light(p, medium_at(p, medium)); }
    tint_by_films(passed, p, medium);
    var gas = 0.0;
    if has_gas() { gas = fog_density(p + normal); }
    let foam = foam_cover(p, normal, medium, gas, small);
    if foam > 0.0 {
        (*passed).light += (*passed).through * foam_light(p, normal) * foam;
        (*passed).through *= 1.0 - foam;
    }
}

// Steps between samples from which on the walk left some out.
const SKIPPED = 1.5;

// Most borders of one medium between two samples: that before samples which the walk left out, and both of a thin stream.
const BORDERS = 3;

// The surfaces of media along a part of a ray, and what lies between them. One call of what passes a border: a driver copies a function
// to each place that calls it.
fn pass_surfaces(to: ptr<function, Passed>, ray: Ray, s: Span, jitter: f32) {
    var passed = *to;
    var w = start_walk(ray, s.near, jitter);
    var last = s.near;
    var begins = true;
    loop {
        var t = s.near;
        var ends = false;
        var skipped = false;
        var densities = Densities(vec4(0.0), vec4(0.0));
        if !begins {
            let next = next_of_media(&w, ray, s.far);
            ends = next.t < 0.0;
            t = select(next.t, s.far, ends);
            // Samples that the walk skipped are outside.
            skipped = t - last > SKIPPED * w.step;
            densities = next.densities;
        }
        // At the end, a sheet thinner than a step may lie before what is behind it.
        if begins || ends { densities = media_at(at(ray, t)); }
        let before = max(t - w.step, s.near);
        let middle = t - 0.5 * w.step;
        for (var k = 0; k < media_count(); k++) {
            if !is_clear(k) { continue; }
            let density = pick(densities, k);
            let now = density >= SURFACE_OF_MEDIA;
            var streams = false;
            for (var turn = 0; turn < BORDERS; turn++) {
                // The sea may go on into the box.
                let inside = is_inside(&passed, k);
                var outside = t;
                var within = before;
                if begins {
                    if now == inside { break; }
                    if now && s.near <= 0.0 {
                        passed.inside |= 1u << u32(k);
                        passed.first = 0.0;
                        break;
                    }
                } else if turn == 0 {
                    if !skipped || !inside { continue; }
                    outside = last + w.step;
                    within = last;
                } else if turn == 1 {
                    // Two neighbouring samples are outside of a stream that is thinner than a step.
                    streams = !now && !ends && !inside && density >= NEAR_A_SURFACE && middle > s.near;
                    if streams { streams = is_wet(at(ray, middle), k); }
                    if !streams && (now == inside || (ends && !now)) { break; }
                    if !inside {
                        outside = before;
                        within = select(t, middle, streams);
                    }
                } else {
                    if !streams { break; }
                    within = middle;
                }
                var place = t;
                if !begins { place = refine_media(ray, outside, within, k); }
                let face = select(vec3(0.0), s.entry, begins);
                pass_border(&passed, ray, Border(place, k, select(BORDER_IN, BORDER_OUT, inside), face, begins), jitter);
            }
        }
        if ends { break; }
        last = t;
        begins = false;
    }
    *to = passed;
}

// Twin: pass::filmed.
// Light that films of media, too thin to have a surface of their own, make of the light of the rock under them; a: 1 where
// there is one.
fn filmed(ray: Ray, b: Behind, behind: vec3<f32>) -> vec4<f32> {
    var light = behind;
    var any_film = 0.0;
    let film = denser(media_at(b.point), media_at(b.point + vec3(0.0, 0.5, 0.0)));
    for (var k = 0; k < media_count(); k++) {
        let cover = ramp(LEAST_OF_MEDIA, 0.6 * SURFACE_OF_MEDIA, pick(film, k));
        if cover <= 0.0 || !is_clear(k) { continue; }
        any_film = 1.0;
        let normal = rippled(b.point, ground_normal_at(b.point.x, b.point.z, COATED), b.t * pace_of(ray), k);
        let mirror = mirrored(ray, b.point, normal, 0.0);
        light = mix(light, light * WET * (1.0 - mirror.a) + mirror.rgb * mirror.a, cover);
    }
    return vec4(light, any_film);
}

// Premultiplied light and opacity of the media and the haze before `limit`, with the lava or without it, in the plain styles.
fn accumulate_all(ray: Ray, limit: f32, jitter: f32, with_lava: bool) -> vec4<f32> {
    var sum = vec4(0.0);
    let with_media = frame.media.x > 0.0;
    let s = span(ray, limit);
    var haze = Span(0.0, 0.0, vec3(0.0), false);
    if has_smoke() { haze = smoke_span(ray, limit); }
    var w = start_walk(ray, s.near, jitter);
    var n = ceil(haze.near / max(frame.smoke.begins.w, 1e-3) - jitter);
    loop {
        // The next places in matter and in haze, which has steps of its own.
        var t = (w.n + w.jitter) * w.step;
        if !s.hit || !(with_media || with_lava) || t >= s.far || w.n + 1.0 <= w.n { t = FAR; }
        var t_haze = (n + jitter) * frame.smoke.begins.w;
        if !haze.hit || t_haze >= haze.far || n + 1.0 <= n { t_haze = FAR; }
        if min(t, t_haze) >= FAR || sum.a > OPAQUE_LAYER { break; }
        let p = at(ray, min(t, t_haze));
        if t_haze <= t {
            n += 1.0;
            let here = haze_at(p);
            let share = (1.0 - sum.a) * here.a;
            sum += vec4(here.rgb * share, share);
            continue;
        }
        var leave = FAR;
        if with_media { leave = jump(media_bricks, p, ray, w.inverse); }
        var leave_lava = FAR;
        if with_lava { leave_lava = jump(bricks, p, ray, w.inverse); }
        if leave >= 0.0 && leave_lava >= 0.0 {
            w.n = max(first_sample(w, min(leave, leave_lava) - 1e-3), w.n + 1.0);
            continue;
        }
        w.n += 1.0;
        if leave_lava < 0.0 {
            let here = density(p);
            let share = (1.0 - sum.a) * select(0.0, transfer_at(here).a, here > frame.block.z);
            if share > 0.0 {
                sum += vec4(palette(shown_value(p, here)) * lamp_shading(slope_of_density(p)) * share, share);
            }
        }
        if leave >= 0.0 { continue; }
        let d = media_at(p);
        for (var k = 0; k < media_count(); k++) {
            let share = (1.0 - sum.a) * opacity_of(k, pick(d, k));
            if share <= 0.0 { continue; }
            let slope = media_gradient(clamp(p, vec3(0.5), frame.cells.xyz - 0.5), 1.0, k);
            sum += vec4(frame.media_color[k].rgb * lamp_shading(slope) * share, share);
        }
    }
    return sum;
}
