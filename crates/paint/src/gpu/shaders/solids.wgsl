// Materials at whose surface a ray ends, as `render::solid` draws them.

fn is_solid(medium: i32) -> bool { return preset_of(medium) >= SAND; }

fn has_solids() -> bool { return frame.media.z > 0.5; }

// The nearest surface (medium below 0: none), and the densest place of loose grains before it.
struct SolidHit { medium: i32, t: f32, face: vec3<f32>, cut: bool, veil_of: i32, veil_t: f32, veil: f32 }

// The solid medium of the largest density, if that has a surface there.
fn densest_solid(p: vec3<f32>, densities: Densities) -> i32 {
    var best = -1;
    var most = SURFACE_OF_MEDIA;
    for (var k = 0; k < media_count(); k++) {
        let density = pick(densities, k);
        if !is_solid(k) || density <= LEAST_OF_MEDIA { continue; }
        let value = solid_value(p, density, k);
        if value < most { continue; }
        best = k;
        most = value;
    }
    return best;
}

fn cross_solids(ray: Ray, limit: f32, jitter: f32) -> SolidHit {
    var found = SolidHit(-1, limit, vec3(0.0), false, -1, FAR, 0.0);
    let s = span(ray, limit);
    if !s.hit { return found; }
    if s.near > 0.0 {
        let k = densest_solid(at(ray, s.near), media_at(at(ray, s.near)));
        if k >= 0 { return SolidHit(k, s.near, s.entry, true, -1, FAR, 0.0); }
    }
    var w = start_walk(ray, s.near, jitter);
    loop {
        let next = next_of_media(&w, ray, s.far);
        if next.t < 0.0 { break; }
        let k = densest_solid(at(ray, next.t), next.densities);
        if k >= 0 {
            found.medium = k;
            found.t = refine_solid(ray, max(next.t - w.step, s.near), next.t, k);
            return found;
        }
        for (var k = 0; k < media_count(); k++) {
            if preset_of(k) < SAND || preset_of(k) > ASH || pick(next.densities, k) <= found.veil { continue; }
            found.veil = pick(next.densities, k);
            found.veil_t = next.t;
            found.veil_of = k;
        }
    }
    if s.far >= ENDLESS { return found; }
    // A sheet thinner than a step may lie just before the end.
    let end = media_at(at(ray, s.far));
    let k = densest_solid(at(ray, s.far), end);
    if k >= 0 {
        found.medium = k;
        found.t = refine_solid(ray, max(s.far - w.step, s.near), s.far, k);
    } else if found.veil_of >= 0 {
        found.veil -= pick(end, found.veil_of);
    }
    return found;
}

struct SolidPoint { medium: i32, t: f32, point: vec3<f32>, normal: vec3<f32>, cut: bool, behind: vec3<f32>, far: f32 }

// Twin: solid::normal, field::normal.
fn solid_normal(p: vec3<f32>, medium: i32) -> vec3<f32> {
    let preset = preset_of(medium);
    if preset == WALL || preset == ROOF { return built_normal(p, medium); }
    let smoothed = preset < ICE || preset == WAX || preset == GLOSS;
    let even = select(2.6, SHINING, preset == GLOSS);
    let wide = select(vec2(1.5, 0.8), vec2(even, 0.5 * even), smoothed);
    let share = select(0.6, 0.5, smoothed);
    return upright(media_gradient(p, wide.x, medium) + media_gradient(p, wide.y, medium) * share);
}

// The first of the media at which rays end; their number without any.
fn first_solid() -> i32 {
    var first = 0;
    while first < media_count() && !is_solid(first) { first++; }
    return first;
}

// Twin: solid::wets.
// Whether films of a material have a smooth edge, and may lie on one that has.
fn wets(medium: i32) -> bool { return preset_of(medium) >= WAX; }

// A film that is too thin for a surface of its own: share that it covers, and its outward normal.
struct Film { cover: f32, normal: vec3<f32> }

// Twin: solid::ragged.
// A film of this density on rough ground.
fn ragged_film(p: vec3<f32>, density: f32, normal: vec3<f32>, medium: i32) -> Film {
    let ragged = density * (1.0 + 0.35 * fractal(p * 1.2, 2));
    let least = select(VEIL_OF_GRAINS, 0.55 * SURFACE_OF_MEDIA, preset_of(medium) == ICE);
    return Film(ramp(least, 0.8 * SURFACE_OF_MEDIA, ragged), normal);
}

// Twin: solid::edge.
// Rise of a film's density along the surface of this normal that it lies on.
fn along_film(p: vec3<f32>, normal: vec3<f32>, medium: i32) -> vec3<f32> {
    let rise = media_gradient(p, REACH_OF_FILM, medium) / oblong();
    return rise - normal * dot(rise, normal);
}

// Twin: solid::lipped.
// Normal of a smooth material, at its foot that of the film in which it ends.
fn lipped(p: vec3<f32>, normal: vec3<f32>, medium: i32) -> vec3<f32> {
    let high = p.y - height(p.x, p.z);
    if high >= LIP || !wets(medium) || !is_stone() { return normal; }
    let ground = ground_normal_at(p.x, p.z, COATED);
    let film = unit_or_up(ground - along_film(p, ground, medium) * oblong().y);
    return unit_or_up(mix(film, normal, ramp(0.0, LIP, high)));
}

// Twin: solid::smooth.
// A film of this density on a smooth surface with this normal, which ends at a line.
fn smooth_film(p: vec3<f32>, density: f32, normal: vec3<f32>, ends: vec2<f32>, medium: i32) -> Film {
    let seen = ramp(WETS.x, WETS.y, density);
    if seen <= 0.0 { return Film(0.0, normal); }
    let along = along_film(p, normal, medium);
    let inside = p + along / (length(along) + 1e-4) / oblong() * INSIDE_FILM;
    let share = density / max(medium_at(inside, medium), density);
    return Film(seen * ramp(ends.x, ends.y, share), unit_or_up(normal - along * oblong().y));
}

// Twin: hit::own.
// What the material itself leaves of the sun at its surface (x), and its length towards the sun (y).
fn own_sun(hit: SolidPoint) -> vec2<f32> {
    if hit.cut { return vec2(1.0, 0.0); }
    var toward = TOWARD_SUN;
    var lengths = LENGTHS_TO_SUN;
    var shut = 0.0;
    var depth = 0.0;
    for (var k = 0; k < PLACES_TO_SUN; k++) {
        let away = toward[k];
        let here = medium_at(hit.point + hit.normal + frame.sun.xyz / oblong() * away, hit.medium);
        shut = max(shut, here);
        depth += lengths[k] * here;
    }
    return vec2(1.0 - ramp(0.25, 0.75, shut), depth);
}

// Share of the sun's light by colour on a surface that it meets at an angle of this cosine.
fn sun_on(cosine: f32, wrap: f32, bleeds: f32, own: vec2<f32>) -> vec3<f32> {
    let wraps = wrap * (1.0 + bleeds * FARTHER_BY_COLOR);
    let lit = clamp((cosine + wraps) / (1.0 + wraps), vec3(0.0), vec3(1.0)) * own.x;
    return max(lit, exp(-own.y / ENTERS) * (COMES_THROUGH * bleeds));
}

// Twin: hit::arriving.
// Sun, sky and lava on a surface whose light reaches around the edge of the shaded side by `wrap`, and of which some enters it.
fn arriving_light(hit: SolidPoint, normal: vec3<f32>, wrap: f32, bleeds: f32, own: vec2<f32>) -> vec3<f32> {
    let p = hit.point;
    let sun = frame.sun_color.rgb * sun_on(dot(normal, frame.sun.xyz), wrap, bleeds, own) * open_on(p, hit.normal);
    let lava = ember_on_rock(p, normal);
    let hollow = select(medium_at(p + hit.normal * 2.5, hit.medium), 0.0, hit.cut);
    return sun + sky_ambient(normal) * (1.0 - 0.7 * hollow) + lava + flame_at(p, normal) + flame_inside(p) * bleeds;
}

// Twin: grains::wind_ripples, grains::ripple.
// Slope (xyz) and height (w) of the ripples that wind leaves on grains.
fn wind_ripples(hit: SolidPoint) -> vec4<f32> {
    let pixels = frame.cells.w / (WIND_RIPPLES * hit.t * frame.floor.w);
    let seen = ramp(RIPPLES_SEEN.x, RIPPLES_SEEN.y, pixels);
    let waves = frame.media_look[hit.medium].y;
    let whole = saturate1(waves - 1.0) * ramp(BLOWN.x, BLOWN.y, hit.normal.y) * seen;
    if whole <= 0.0 { return vec4(0.0); }
    let q = hit.point / frame.cells.w;
    let wander = gradient_noise(vec3(q.x * 0.05, 0.3, q.z * 0.05)) * 1.6 + gradient_noise(vec3(q.x * 0.17, 2.7, q.z * 0.17)) * 0.45;
    let high = whole * saturate1(0.75 + 0.8 * gradient_noise(vec3(q.x * 0.06, 5.1, q.z * 0.06)));
    let phase = RIPPLE_TURN * (WIND_RIPPLES * dot(q.xz, WIND) + wander);
    let rise = cos(phase) + LEE * sin(2.0 * phase);
    return vec4(vec3(-WIND.x, 0.0, -WIND.y) * (rise * high * RIPPLES_STEEP), high * sin(phase));
}

// Twin: grains::light, grains::made.
fn grains_light(hit: SolidPoint) -> vec3<f32> {
    let p = hit.point;
    let look = frame.media_look[hit.medium].y;
    let waves = min(look, 1.0) * mix(1.0, BLOWN_GRAIN, saturate1(look - 1.0));
    let ripples = wind_ripples(hit);
    let fine = gradient_noise(p * 4.3);
    let coarse = gradient_noise(p * 1.9 + vec3(7.0, 3.0, 1.0));
    let broad = fractal(p * (0.11 / frame.cells.w) + vec3(1.0, 6.0, 2.0), 3);
    let tone = max(1.0 + waves * (0.34 * fine + 0.16 * coarse) + 0.22 * broad + CRESTS * ripples.w, DARKEST_GRAIN);
    let rough = vec3(fine, 0.3 * coarse, gradient_noise(p * 4.3 + vec3(19.0, 0.0, 5.0))) * (0.30 * waves);
    var normal = hit.normal;
    if !hit.cut { normal = unit_or_up(hit.normal + rough + ripples.xyz); }
    return frame.media_color[hit.medium].rgb * (0.46 * tone) * arriving_light(hit, normal, GRAINS_WRAP, 0.0, own_sun(hit));
}

// Twin: grains::frayed.
// Share of a place on grains that hides what is behind them: a falling stream is thin, and frays at its edges.
fn frayed(ray: Ray, p: vec3<f32>, normal: vec3<f32>, medium: i32) -> f32 {
    if preset_of(medium) < SAND || preset_of(medium) > ASH { return 1.0; }
    let thin = ramp(THIN_ENDS.x, THIN_ENDS.y, medium_at(p - normal * THIN, medium)) * (1.0 - abs(normal.y));
    if thin <= 0.0 { return 1.0; }
    let fallen = frame.media.y * STREAKS.z;
    let streaks = gradient_noise(vec3(p.x * STREAKS.x, p.y * STREAKS.y + fallen, p.z * STREAKS.x));
    let facing = saturate1(-dot(view_of(ray), normal));
    return mix(1.0, ramp(FRAYED.x, FRAYED.y, facing + FRAYED.z * streaks), thin);
}

// Twin: ice::under.
// How cracks and bubbles under a point of ice turn a ray inside (xyz), and the share of light that they send back (w).
fn ice_flaws(q: vec3<f32>, bent: vec3<f32>) -> vec4<f32> {
    var found = vec4(0.0);
    for (var layer = 0; layer < 2; layer++) {
        let inside = q + bent * select(ICE_LAYERS.x, ICE_LAYERS.y, layer > 0);
        let crystal = plate(inside * CRYSTALS + vec3(3.0 * f32(layer)), vec3(0.0));
        let open = ramp(ICE_SHUT.x, ICE_SHUT.y, crystal.bond);
        let crack = open * (0.45 * ramp(ICE_EDGES.x, 0.0, crystal.edge) + 0.3 * ramp(ICE_EDGES.y, 0.0, crystal.edge));
        let bubbles = ramp(0.35, 0.8, gradient_noise(inside * 1.9)) * 0.4;
        let nearer = 1.0 / (1.0 + 0.6 * f32(layer));
        let turn = fract(crystal.tone * vec3(1.0, 7.0, 13.0)) - 0.5;
        found = vec4(found.xyz + turn * (ICE_TURNS * nearer), max(found.w, max(crack, bubbles) * nearer));
    }
    return found;
}

// Twin: ice::light, ice::milkiness, ice::thickness.
fn ice_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    let look = frame.media_look[hit.medium];
    let q = hit.point / frame.cells.w;
    let view = view_of(ray);
    let frost = fractal(q * 0.5, 4);
    let scales = vec3(fractal(q * 0.9 + vec3(5.0, 1.0, 3.0), 2), 0.0, fractal(q * 0.9 + vec3(9.0, 4.0, 2.0), 2));
    var normal = hit.normal;
    if !hit.cut { normal = unit_or_up(hit.normal + (scales * 0.15 + vec3(frost, 0.0, -frost) * 0.10) * look.y); }
    var deep = 0.0;
    let part = ICE_DEEP / f32(ICE_SAMPLES);
    for (var i = 0; i < ICE_SAMPLES; i++) {
        let t = hit.t + (f32(i) + 0.5) * part;
        if t >= hit.far { break; }
        deep += part * ramp(0.3, 0.6, medium_at(at(ray, t), hit.medium));
    }
    if hit.far <= hit.t { deep = ICE_FILM; }
    deep *= pace_of(ray);
    let there = saturate1(deep);
    var bent = unit_or_up(view * (1.0 - ICE_BENDS) - normal * ICE_BENDS);
    var flaws = vec4(0.0);
    if !hit.cut { flaws = ice_flaws(q, bent); }
    let milk = max(saturate1(0.08 + look.y * (0.7 * ramp(0.0, 0.7, frost + 0.45 * normal.y - 0.35))), max(flaws.w * there, 0.9 * (1.0 - there)));
    let lit = arriving_light(hit, normal, ICE_WRAP, 0.0, own_sun(hit));
    let kept = exp(ICE_ABSORBS * (-deep * look.x));
    let body = ICE_COLOR * mix(kept, vec3(1.0), 0.6 * milk) * lit * (mix(ICE_GLASSY, ICE_WHITE, milk) * sqrt(there));
    bent += flaws.xyz;
    let turned = unit_or_up(vec3(bent.x, abs(bent.y) + ICE_LIFTED, bent.z));
    let gathered = sky_mirrored(turned, 0.0) * ICE_GATHERS.x + sky_ambient(vec3(0.0, 1.0, 0.0)) * ICE_GATHERS.y;
    let clear = exp(-ICE_TURBID * deep * look.x);
    let through = mix(gathered, hit.behind, mix(1.0, ICE_BEHIND * clear, there)) * kept * mix(1.0, ICE_CLEAR * (1.0 - milk), there);
    let facing = saturate1(-dot(view, normal));
    let share = ICE_MIRRORS + (1.0 - ICE_MIRRORS) * pow(1.0 - facing, 5.0) * mix(1.0, 0.35, milk);
    let mirror = unit_or_up(view - normal * (2.0 * dot(view, normal)));
    let open = open_on(hit.point, hit.normal) * (1.0 - 0.8 * milk);
    let near = saturate1(dot(mirror, frame.sun.xyz));
    let glint = (pow(near, 96.0) * 6.0 + pow(near, 12.0) * 0.25) * open;
    return (body + through) * (1.0 - share) + (sky_mirrored(mirror, 0.0) + frame.sun_color.rgb * glint) * max(share, 0.04);
}

// Twin: crust::broken, crust::uneven.
// Cold, broken crust.
fn rubble_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    var here = pattern(hit.point, BLOCKS * frame.lava.w, State(0.0, 1.0, 0.0, vec3(0.0)));
    here.molten = 0.0;
    let slope = here.slope - hit.normal * dot(here.slope, hit.normal);
    let normal = unit_or_up(hit.normal - slope * (1.3 * frame.media_look[hit.medium].y));
    return lit(Skin(hit.point, hit.normal, view_of(ray), false), normal, here, 0.0);
}

fn shine_of(preset: f32) -> Shine {
    if preset == WAX { return SHINE_OF_WAX; }
    if preset == GLOSS { return SHINE_OF_GLOSS; }
    return SHINE_OF_METAL;
}

// Twin: smooth::oxide.
// Share of a place on metal that is skin of oxide.
fn oxide(p: vec3<f32>, waves: f32) -> f32 {
    let patches = fractal(p * 0.13 + vec3(11.0, 2.0, 5.0), 4);
    return ramp(-0.12, 0.16, patches + 0.45 * (waves - 1.0));
}

// Twin: smooth::unevenness.
// Slope that its unevenness adds to the normal.
fn unevenness(p: vec3<f32>, shine: Shine, skin: f32) -> vec3<f32> {
    let q = p * 0.16;
    let swell = vec3(fractal(q + vec3(0.0, 1.0, 3.0), 2), 0.0, fractal(q + vec3(31.0, 1.0, 3.0), 2)) * shine.uneven;
    if skin <= 0.0 { return swell; }
    let fine = vec3(fractal(p * 0.7 + vec3(7.0, 5.0, 1.0), 3), 0.0, fractal(p * 0.7 + vec3(41.0, 5.0, 1.0), 3));
    return swell + fine * (0.12 * skin);
}

// Twin: sky::mirrored.
// Surroundings seen in a smooth surface: a sky with clouds over a horizon, and dark ground below it; indoors lamps, with edges so
// much softer.
fn sky_mirrored(d: vec3<f32>, softer: f32) -> vec3<f32> {
    if is_stone() { return studio(d, softer); }
    let sky = mix(frame.horizon.rgb, frame.zenith.rgb * 2.0, saturate1(d.y));
    let dome = vec3(d.x, 0.0, d.z) * (1.1 / (0.25 + max(d.y, 0.0)));
    let cloud = ramp(-0.15, 0.45, fractal(dome, 3)) * ramp(0.0, 0.2, d.y);
    let above = mix(sky, frame.sun_color.rgb * CLOUD + frame.horizon.rgb, cloud);
    return mix(frame.nadir.rgb, above, ramp(-0.12, 0.06, d.y));
}

// Twin: smooth::lit.
// Light of a material that is seen in a mirror, at a place with this normal.
fn lit_in_mirror(color: vec3<f32>, p: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let facing = saturate1(dot(normal, frame.sun.xyz)) * open_at(p + normal * OFF_PLACE);
    return color * (sky_ambient(normal) * 0.7 + frame.sun_color.rgb * (SEEN_OF_SUN * facing)) * SEEN;
}

// Twin: smooth::mirrored_light.
// Light that arrives from a mirrored direction: `sky` unless a material or the ground stands before it.
fn around(hit: SolidPoint, mirror: vec3<f32>, sky: vec3<f32>) -> vec3<f32> {
    let toward = mirror / oblong();
    let start = hit.point + hit.normal;
    var away = MIRRORED_NEAREST;
    var light = vec3(0.0);
    var open = 1.0;
    for (var i = 0; i < MIRRORED_PLACES; i++) {
        let p = start + toward * away;
        let densities = media_at(p);
        for (var k = 0; k < media_count(); k++) {
            if !is_solid(k) { continue; }
            let cover = ramp(0.3, 0.7, pick(densities, k)) * open;
            if cover <= UNSEEN { continue; }
            light += lit_in_mirror(frame.media_color[k].rgb, p, upright(media_gradient(p, FACES, k))) * cover;
            open -= cover;
        }
        if open <= UNSEEN || p.y < height(p.x, p.z) { break; }
        away *= MIRRORED_FARTHER;
    }
    let end = start + toward * away;
    if open > UNSEEN && end.y < height(end.x, end.z) {
        light += lit_in_mirror(STONE, end, ground_normal_at(end.x, end.z, FACES)) * open;
        open = 0.0;
    }
    return light + sky * open;
}

// Twin: smooth::light.
// Wax, a melt or metal.
fn smooth_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    let p = hit.point;
    let shine = shine_of(preset_of(hit.medium));
    let waves = frame.media_look[hit.medium].y;
    var skin = 0.0;
    if shine.tinted { skin = oxide(p, waves); }
    var normal = hit.normal;
    if !hit.cut { normal = unit_or_up(hit.normal + unevenness(p, shine, skin) * waves); }
    let color = frame.media_color[hit.medium].rgb;
    let own = own_sun(hit);
    let diffuse = color * arriving_light(hit, normal, shine.wrap, shine.bleeds, own) * mix(shine.matt, OXIDE, skin);
    let view = view_of(ray);
    let facing = saturate1(-dot(view, normal));
    let share = (shine.mirrors + max(shine.clear - shine.mirrors, 0.0) * pow(1.0 - facing, 5.0)) * mix(1.0, OXIDE_LEAVES, skin);
    let mirror = unit_or_up(view - normal * (2.0 * dot(view, normal)));
    let open = open_on(p, hit.normal) * own.x;
    let glint = pow(saturate1(dot(mirror, frame.sun.xyz)), shine.power) * shine.strength * open * (1.0 - 0.7 * skin);
    let sky = sky_mirrored(mirror, shine.softer);
    let seen = around(hit, mirror, mix(vec3((sky.x + sky.y + sky.z) / 3.0), sky, SKY_COLOR));
    let tint = select(vec3(1.0), color, shine.tinted);
    return diffuse * (1.0 - share) + (seen + frame.sun_color.rgb * glint) * tint * share;
}

fn solid_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    var light = vec3(0.0);
    if preset_of(hit.medium) == ICE {
        light = ice_light(ray, hit);
    } else if preset_of(hit.medium) == RUBBLE {
        light = rubble_light(ray, hit);
    } else if preset_of(hit.medium) == LEAVES {
        light = leaves_light(ray, hit);
    } else if stands(hit.medium) {
        light = built_light(hit);
    } else if preset_of(hit.medium) >= WAX {
        light = smooth_light(ray, hit);
    } else {
        light = grains_light(hit);
    }
    return hazed(ray, hit.t, light);
}
