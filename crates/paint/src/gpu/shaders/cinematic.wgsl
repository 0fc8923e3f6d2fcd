// The cinematic look: a refined lava surface with a crust that rides on the flow, films on rock, sky and haze. The
// formulas are those of `render::cinematic`, `crust` and `plates`.

struct Pattern { molten: f32, slope: vec3<f32>, tone: f32, grain: f32 }

struct Skin { point: vec3<f32>, normal: vec3<f32>, view: vec3<f32>, cut: bool }

fn heat_at(p: vec3<f32>) -> f32 { return saturate1((specific_energy(p) - frame.heat.x) / (frame.heat.y - frame.heat.x)); }

// Temperature of the lava in kelvin; below 0 where it is not known.
fn temperature(p: vec3<f32>) -> f32 {
    if frame.kelvin.z == 0.0 { return -1.0; }
    return mix(frame.kelvin.x, frame.kelvin.y, specific_energy(p));
}

fn rise(plate: Plate, width: f32, height: f32) -> vec3<f32> {
    return plate.inward * (height / width * (1.0 - ramp(0.0, width, plate.edge)));
}

// Lava under the pattern: its heat, the share of crust by the look, how fast it is, and the lengthening of plates.
struct State { heat: f32, crust: f32, fast: f32, drawn: vec3<f32> }

// Twin: plates::gap.
// Half the width of a crack under a strain.
fn gap(strain: f32) -> f32 { return select(SHUT, WIDE, strain > 0.0) * strain; }

// Twin: plates::folds.
// Slope of the ropes on a plate; w: the share of skin between ropes of open lava.
fn folds(plate: Plate, drawn: vec3<f32>, ragged: f32) -> vec4<f32> {
    let long = length(drawn);
    if long < 1e-3 { return vec4(0.0); }
    let along = drawn / long;
    let ahead = dot(plate.way, along);
    let aside = plate.way - along * ahead;
    let crest = FOLDS * (ahead + BENT * dot(aside, aside) + 0.08 * ragged) + 6.0 * plate.tone;
    let there = long * ramp(0.35, 0.75, fract(plate.tone * 7.0)) * ramp(0.0, 0.25, plate.edge);
    let skin = long * ramp(-0.2, 0.9, sin(OPEN_FOLDS * crest));
    return vec4((along + aside * (2.0 * BENT)) * (FOLDED * there * cos(crest)), skin);
}

// Twin: plates::level.
// Share of the step between plates by how well they hang together.
fn level(plate: Plate) -> f32 { return mix(1.0, LEVELLED, ramp(0.3, 0.7, plate.bond)); }

// Twin: plates::pattern.
fn pattern(p: vec3<f32>, size: f32, state: State) -> Pattern {
    let q = vec3(p.x, p.y * 0.66, p.z) / size;
    let bend = vec3(
        fractal(q * 0.9 + vec3(5.0, 2.0, 9.0), 2),
        fractal(q * 0.9 + vec3(3.0, 8.0, 1.0), 2),
        fractal(q * 0.9 + vec3(8.0, 4.0, 6.0), 2));
    let grain = fractal(p * (2.2 / frame.cells.w), 3);
    let warped = q + bend * PLATE_BENDS + vec3(grain * 0.04);
    let large = plate(warped, state.drawn);
    let small = plate(warped * FINER + vec3(4.0, 7.0, 2.0), state.drawn);
    let ragged = gradient_noise(warped * 2.2 + vec3(6.0, 3.0, 8.0));
    let drift = fractal(q * 0.42 + vec3(1.0, 9.0, 4.0), 3);
    let slow = SLOW_OPENS * state.heat * (2.0 - state.heat);
    let closed = saturate1(state.crust * (1.20 - slow - FAST_OPENS * state.heat * state.fast + 0.5 * drift));
    let open = 1.0 - closed;
    let core = mix(CORE.x, CORE.y, open);
    let strain = STRAIN * open + LAVA_RAGGED * ragged - HOLDS;
    let width = gap(strain - BOND * large.bond) + TORN * ramp(0.75, 1.0, open);
    let crack = saturate1((width + CRACK_SOFT - large.edge) / (CRACK_SOFT + core));
    let chilled = fract(small.tone * 5.0);
    let skin = SKIN * open * chilled * chilled;
    let floats = select(skin, 1.0, small.tone < FLOES * (1.0 - open * open));
    let floe = floats * ramp(RAFT.x, RAFT.y, small.edge);
    let fine = saturate1((gap(strain - FINE - BOND * small.bond) + CRACK_SOFT - small.edge) / (CRACK_SOFT + 2.0 * core));
    let rope = folds(large, state.drawn, ragged);
    let dim = open * (DIM * ramp(-0.2, 0.5, ragged) + SKINNY * rope.w);
    let torn = max(crack * (1.0 - floe) * (1.0 - dim), 0.75 * fine);
    let molten = saturate1(torn + 0.12 * grain * open) * ramp(0.0, 0.12, open);
    let broken = ramp(-0.15, 0.30, drift + 0.3 * ragged);
    let rough = LAVA_ROUGH * ramp(0.7, 0.2, state.heat) * broken;
    let slope = rise(large, 0.30, DOMED * level(large))
        + rise(small, 0.22, (0.10 * broken + rough) * level(small))
        + rope.xyz * (1.0 - broken)
        + vec3(ragged * 0.25 + grain, grain, grain * 0.8 - ragged * 0.25) * (GRAINY + 2.0 * rough);
    return Pattern(molten, slope, large.tone, grain);
}

fn land_slope(p: vec3<f32>) -> vec2<f32> {
    return textureSampleLevel(ground_slope, linear_held, column_uv(p.x, p.z), 0.0).rg;
}

// Twin: plates::fall.
// Slope of the bed as far as the lava's surface falls with it.
fn fall(bed: vec2<f32>, normal: vec3<f32>) -> vec2<f32> {
    let surface = length(normal.xz) / max(normal.y, 0.1);
    return bed * ramp(0.15, 0.6, surface / max(length(bed), 1e-3));
}

// Twin: plates::flow.
// Direction and relative speed of the flow, at most 1.
fn flow_at(p: vec3<f32>, slope: vec2<f32>) -> vec3<f32> {
    let glow = ramp(0.05, 0.9, glow_at(p.x, p.z));
    let steep = dot(slope, slope);
    return vec3(-slope.x, -steep, -slope.y) * (glow / (0.5 + sqrt(steep)) / sqrt(1.0 + steep));
}

// Twin: plates::drawn.
// Direction and lengthening of plates by the slope alone.
fn drawn_by(slope: vec2<f32>) -> vec3<f32> {
    let steep = length(slope);
    let along = vec3(-slope.x, -steep * steep, -slope.y) / max(steep * sqrt(1.0 + steep * steep), 1e-6);
    return along * (DRAWN * sqrt(steep / (steep + GENTLE)));
}

// Places at which a pattern is read that rides on the flow, in two copies half a period apart, and the weight of the second.
struct Ride { first: vec3<f32>, second: vec3<f32>, share: f32 }

// Twin: plates::ride.
fn ride(p: vec3<f32>, flow: vec3<f32>) -> Ride {
    let rides = frame.ride.x >= 0.0 && dot(flow, flow) >= 1e-6;
    let shear = SHEAR * gradient_noise(p / (SHEARED * frame.lava.w) + vec3(2.0, 7.0, 5.0));
    let first = p - flow * (frame.lava.w * (RIDE * (frame.ride.x - 0.5) + shear)) + vec3(frame.ride.y);
    let second = p - flow * (frame.lava.w * (RIDE * (frame.ride.z - 0.5) + shear)) + vec3(frame.ride.w);
    let weight = 1.0 - abs(2.0 * frame.ride.z - 1.0);
    let patches = gradient_noise(p / (1.3 * frame.lava.w) + vec3(6.0, 1.0, 3.0));
    let share = ramp(0.44, 0.56, weight + 0.25 * patches * (1.0 - abs(2.0 * weight - 1.0)));
    return Ride(select(p, first, rides), second, select(0.0, share, rides));
}

// Twin: plates::carried.
// The pattern after the ride. `flow`: that of the place, `drawn`: the lengthening of plates there.
fn carried(places: Ride, flow: vec3<f32>, drawn: vec3<f32>, heat: f32) -> Pattern {
    let fast = max(ramp(0.0, FAST, length(flow)), ramp(BOILS.x, BOILS.y, heat));
    let state = State(heat, frame.lava.z, fast, drawn);
    // Two passes through one call: the pattern is long, and inlining it twice doubles what a driver must compile.
    var sum = Pattern(0.0, vec3(0.0), 0.0, 0.0);
    for (var k = 0; k < 2; k++) {
        let part = select(1.0 - places.share, places.share, k == 1);
        if part <= 0.0 { continue; }
        let one = pattern(select(places.first, places.second, k == 1), frame.lava.w, state);
        sum.molten += part * one.molten;
        sum.slope += part * one.slope;
        sum.tone += part * one.tone;
        sum.grain += part * one.grain;
    }
    return sum;
}

// Twin: plates::streaks.
// Broad and fine streaks that the flow draws out.
fn streaks(places: Ride, flow: vec3<f32>) -> vec2<f32> {
    let way = flow / max(length(flow), 1e-6) * (ALONG.y * frame.lava.w);
    var sum = vec2(0.0);
    // A bound that the driver does not know: unrolled, these loops took it minutes to compile.
    let passes = select(0.0, ALONG.x, frame.lava.w > 0.0);
    let copies = select(0, 2, frame.lava.w > 0.0);
    for (var k = 0; k < copies; k++) {
        let part = select(1.0 - places.share, places.share, k == 1);
        if part <= 0.0 { continue; }
        let place = select(places.first, places.second, k == 1);
        for (var i = 0.0; i < passes; i += 1.0) {
            let at = (place + way * (i - 0.5 * (ALONG.x - 1.0))) / frame.lava.w;
            sum += part * vec2(gradient_noise(at * 1.1 + vec3(3.0)), gradient_noise(at * 3.1 + vec3(8.0)));
        }
    }
    return sum / sqrt(ALONG.x);
}

// Twin: crust::by_degrees.
// Temperature of a surface that the model does not know.
fn by_degrees(places: Ride, flow: vec3<f32>, heat: f32, thickness: f32, here: Pattern) -> f32 {
    let drawn_out = streaks(places, flow);
    let sum = OPENS.x + OPENS.y * heat + OPENS.z * ramp(0.0, FAST, length(flow))
        + OPENS.w * (ramp(0.0, 1.8, thickness) - AT_MARGIN)
        + LAVA_STREAKS.x * drawn_out.x + LAVA_STREAKS.y * drawn_out.y - LAVA_STREAKS.z * (1.0 - here.molten);
    let open = ramp(BETWEEN.x, BETWEEN.y, sum);
    let closed = mix(CLOSED_K.x, CLOSED_K.y, heat) + 60.0 * here.grain;
    let crack = mix(closed, mix(CRACK_K.x, CRACK_K.y, heat), here.molten * (1.0 - open));
    return max(mix(closed, mix(OPEN_K.x, OPEN_K.y, heat), open), crack);
}

// Twin: crust::glowing.
fn glowing(kelvin: f32) -> vec3<f32> { return shown(kelvin) * LAVA_BRIGHT; }

// Light of a body whose temperature is known.
fn body(kelvin: f32) -> vec3<f32> { return glowing(kelvin) * ramp(GLOWS.x, GLOWS.y, kelvin); }

// How young a crust with a surface of this temperature is, 0 to 1.
fn youth(kelvin: f32) -> f32 { return ramp(AGES.x, AGES.y, kelvin); }

// Twin: crust::lit, crust::albedo.
// Sun, sky and neighbouring glow on the crust, whose surface has a temperature, 0 where that is not known.
fn lit(skin: Skin, normal: vec3<f32>, here: Pattern, surface: f32) -> vec3<f32> {
    let p = skin.point;
    let open_sun = open_on(p, skin.normal);
    let sun = frame.sun_color.rgb * (saturate1(dot(normal, frame.sun.xyz)) * open_sun);
    let ember = glowing(1150.0) * (OWN_LIGHT * frame.heat.z * ember_at(p, normal));
    var tint = mix(vec3(0.015, 0.015, 0.016), vec3(0.040, 0.039, 0.040),
        saturate1(here.tone * 0.7 + 0.15 + 0.25 * here.grain));
    var shines = 1.0;
    if surface > 0.0 {
        let young = youth(surface);
        tint = mix(tint, DULL * (0.5 + here.tone + 0.4 * here.grain), DULLED * (1.0 - young));
        shines = mix(SHINES.x, SHINES.y, young);
    }
    let crust = 1.0 - here.molten;
    let matte = tint * (sun + sky_ambient(normal) + ember) * crust;
    let half = unit_or_up(frame.sun.xyz - skin.view);
    let gloss = frame.sun_color.rgb * (pow(saturate1(dot(normal, half)), 24.0) * 0.10) * crust * shines;
    let mirror = skin.view - normal * (2.0 * dot(skin.view, normal));
    let rim = pow(1.0 - saturate1(-dot(skin.view, normal)), 3.0) * SHEEN;
    return matte + gloss * open_sun + sky_reflected(mirror) * (rim * crust * shines);
}

// Twin: crust::chilled.
// How near cut lava is to its bed.
fn chilled(p: vec3<f32>) -> f32 {
    var lava = ramp(BEDDED.x, BEDDED.y, density(p - vec3(0.0, 0.33 * CHILLED, 0.0)));
    lava += ramp(BEDDED.x, BEDDED.y, density(p - vec3(0.0, 0.67 * CHILLED, 0.0)));
    lava += ramp(BEDDED.x, BEDDED.y, density(p - vec3(0.0, CHILLED, 0.0)));
    return 1.0 - lava / 3.0;
}

// Twin: crust::shade, crust::state, crust::opened, crust::made.
// Light that leaves the skin towards the eye.
fn shade(skin: Skin) -> vec3<f32> {
    let under = heat_at(skin.point - skin.normal * 0.6);
    let hot = temperature(skin.point - skin.normal * 0.6);
    if skin.cut {
        // Dark where it cools at the edge of the cut and over its bed, glowing inside.
        let inside = ramp(frame.lava.x, 1.0, density(skin.point));
        let chilled = chilled(skin.point);
        let sheets = fractal(skin.point * vec3(0.3, 1.1, 0.3) / frame.cells.w, 3);
        let ragged = gradient_noise(skin.point * (ROOF_GRAINS / frame.cells.w));
        let roofless = ramp(CUT_ROOF.x, CUT_ROOF.y, density(skin.point + vec3(0.0, ROOF_THICK, 0.0)) + ROOF_RAGGED * ragged);
        let light = sky_ambient(skin.normal) + frame.sun_color.rgb * saturate1(dot(skin.normal, frame.sun.xyz));
        let roof = ROOF_TINT * light * ((1.0 + ragged) * (1.0 - roofless));
        if hot >= 0.0 {
            let kelvin = mix(0.75, 1.0, inside) * hot - KNOWN * (COLDER * chilled - SHEETS * min(sheets, 0.0));
            return body(mix(min(kelvin, ROOFED), kelvin, roofless)) + roof;
        }
        let core = mix(mix(820.0, 900.0, under), mix(960.0, 1090.0, under), inside) - COLDER * chilled + SHEETS * sheets;
        return glowing(mix(min(core, ROOFED), core, roofless)) + roof;
    }
    let thickness = skin.point.y - floor_below(skin.point);
    let surface = crust_at(skin.point);
    let margin = mix(0.55, 1.0, ramp(0.0, 1.8, thickness));
    let cracks = UNDER_CRUST * ramp(LIQUID.x, LIQUID.y, hot);
    let heat = select(under * margin, max(youth(surface), cracks), surface > 0.0);
    let bed = fall(land_slope(skin.point), skin.normal);
    let flow = flow_at(skin.point, bed);
    let places = ride(skin.point, flow);
    var here = carried(places, flow, drawn_by(bed), heat);
    if surface > 0.0 { here.molten *= ramp(CRACKS.x, CRACKS.y, surface); }
    let slope = here.slope - skin.normal * dot(here.slope, skin.normal);
    let normal = unit_or_up(skin.normal - slope * (1.0 - 0.75 * here.molten));
    let usual_k = mix(500.0, 760.0, heat * heat);
    let known_k = surface - SKINNED * youth(surface);
    let crust_k = select(usual_k, known_k, surface > 0.0) + 80.0 * (here.tone - 0.5) + 90.0 * here.grain;
    // What is open is as hot as the lava, and no crust is hotter.
    if hot >= 0.0 {
        let open = here.molten * (2.0 - here.molten);
        return body(mix(min(crust_k, hot), hot, open)) + lit(skin, normal, here, surface);
    }
    if surface > 0.0 {
        let open_k = mix(OPEN_COLD, OPEN_HOT, heat) + 70.0 * here.grain;
        return glowing(mix(crust_k, open_k, here.molten)) + lit(skin, normal, here, surface);
    }
    return body(by_degrees(places, flow, under, thickness, here)) + lit(skin, normal, here, surface);
}

// Twin: shading::clear_air.
// Share of light that haze lets through over a distance along a ray.
fn clearness(ray: Ray, t: f32) -> f32 { return exp(-0.00045 * frame.heat.w * t * pace_of(ray) / frame.cells.w); }

fn hazed(ray: Ray, t: f32, color: vec3<f32>) -> vec3<f32> {
    return mix(sky_haze(view_of(ray)), color, clearness(ray, t));
}

fn ember_on_rock(p: vec3<f32>, n: vec3<f32>) -> vec3<f32> {
    return shown(EMBER_KELVIN) * (EMBER_STRENGTH * frame.heat.z * ember_at(p, n));
}

// Twin: cinematic::over.
// Density of the liquid over the rock at p, up to one that is too thin to have a surface of its own.
fn film_over(p: vec3<f32>) -> f32 {
    if !shows(p) { return 0.0; }
    return max(density(p), density(p + vec3(0.0, 0.5, 0.0)));
}

// Twin: cinematic::toe.
// Normal of a film of lava on the rock at p: it swells inwards from its edge, as the toe of a flow does.
fn toe(p: vec3<f32>) -> vec3<f32> {
    let normal = ground_normal_at(p.x, p.z, COATED);
    let rise = gradient_of_density(p + vec3(0.0, 0.5, 0.0), COATED) / oblong();
    return unit_or_up(normal - (rise - normal * dot(rise, normal)) * SWELLS);
}

// Twin: cinematic::margin.
// Share of the rock that lava of this density over it covers at p (w), and the rise of the blocks into which it breaks up.
fn margin(p: vec3<f32>, film: f32) -> vec4<f32> {
    if film <= FILM_SEEN * frame.lava.y { return vec4(0.0); }
    let bent = fractal(p * 1.2, 3);
    let block = plate((p + vec3(0.3 * bent)) / (SHED * frame.cells.w), vec3(0.0));
    let loose = 1.0 - ramp(LOOSE.x * frame.lava.y, LOOSE.y * frame.lava.y, film);
    let ragged = film * (1.0 + 0.45 * bent) * mix(1.0, mix(STRAY.x, STRAY.y, block.tone), loose);
    let seam = mix(1.0, ramp(0.0, SHED_SEAM, block.edge), loose * loose);
    let cover = ramp(frame.lava.y, 1.2 * frame.lava.y, ragged) * seam;
    return vec4(block.inward * (loose * SHED_ROUND * (1.0 - ramp(0.0, 0.4, block.edge))), cover);
}

// Twin: cinematic::ambient.
// Light of the sky on rock that sees this share of it.
fn ambient_on(normal: vec3<f32>, open: f32) -> vec3<f32> {
    let above = sky_ambient(normal);
    if !is_stone() { return above * open; }
    return max(above, sky_ambient(vec3(0.0, 1.0, 0.0)) * PALE.x) * max(open, PALE.y);
}

// Rock under sun and sky.
fn rock_by_day(rock: Rock) -> vec3<f32> {
    let sun = frame.sun_color.rgb * (saturate1(dot(rock.normal, frame.sun.xyz)) * rock.sun);
    return rock.albedo * (sun + ambient_on(rock.normal, rock.open));
}

// Twin: cinematic::lit_rock.
// What the lava's light adds to it.
fn rock_by_lava(p: vec3<f32>, rock: Rock) -> vec3<f32> {
    return rock.albedo * (ember_on_rock(p, rock.normal) + flame_on_rock(p, rock.normal)) * (0.4 + 0.6 * rock.open);
}

// Twin: surface::albedo without rills, surface::old_flow, surface::basalt.
// The side of a cell in a cave, with the colours of the ground above, or lava that set: one pattern of fractals for both, since a
// driver copies them to each place.
fn block_rock(at_point: vec3<f32>, side: vec3<f32>, bumps: vec3<f32>, sun: f32, open: f32) -> Rock {
    let p = pattern_place(at_point);
    let grain = select(bumps, side, is_stone());
    let is_set = has_caves() && is_rounded(any_column(at_point.x, at_point.z));
    let altitude = saturate1((at_point.y - frame.altitude.x) / frame.altitude.y);
    let speckle = fractal(select(p * 1.7, p * 1.3 + vec3(4.0, 9.0, 2.0), is_set), 4);
    let ropes = vec3(p.x, 0.5 * p.y, p.z) * 0.45 + vec3(2.0, 7.0, 5.0);
    let mottled = fractal(select(p * 0.11 + vec3(7.0, 1.0, 3.0), ropes, is_set), select(4, 3, is_set));
    if is_set {
        let share = saturate1(0.42 + 0.7 * speckle + 0.35 * mottled);
        return Rock(mix(vec3(0.016, 0.016, 0.018), vec3(0.046, 0.043, 0.043), share), grain, open, sun);
    }
    let patches = fractal(p * 0.055 + vec3(31.0, 4.0, 12.0), 4);
    let basalt = mix(vec3(0.040, 0.036, 0.036), vec3(0.092, 0.080, 0.072), saturate1(0.5 + 0.6 * mottled));
    let ash = mix(vec3(0.150, 0.128, 0.108), vec3(0.205, 0.172, 0.140), saturate1(0.5 + speckle));
    let scoria = mix(vec3(0.120, 0.060, 0.044), vec3(0.180, 0.100, 0.066), saturate1(0.5 + mottled));
    let ashy = saturate1(ramp(0.62, 0.95, side.y) * (0.35 + 0.9 * patches) + 0.10);
    let red = ramp(0.05, 0.45, mottled + 0.55 * (altitude - 0.62)) * (0.35 + 0.5 * altitude);
    let ground = mix(mix(basalt, ash, ashy * 0.75), scoria, saturate1(red));
    let old = ramp(0.02, 0.12, fractal(vec3(p.x, 0.0, p.z) * 0.045 + vec3(2.0, 5.0, 9.0), 5));
    let worn = mix(ground, basalt * 0.6, old * ramp(0.62, 0.95, side.y) * 0.8);
    let land = worn * mix(0.78, 1.22, saturate1(0.5 + 0.7 * speckle));
    let albedo = select(land, STONE, is_stone());
    return Rock(albedo, grain, open, sun);
}

// Twin: surface::rugged.
// Rock of a coarse land, by its normal with grain.
fn rugged(n: vec3<f32>, grain: vec3<f32>) -> vec3<f32> { return unit_or_up(n + (grain - n) * RUGGED); }

// Twin: surface::bumped, surface::tangents, surface::fields.
// Grain of rock.
fn bumped(n: vec3<f32>, p: vec3<f32>) -> vec3<f32> {
    let e = 0.12;
    let shift = vec3(2.0, 6.0, 4.0);
    let here = fractal(p * 1.9 + shift, 3);
    let level = length(n.xy);
    let along = select(vec3(n.y, -n.x, 0.0) / max(level, 1e-3), vec3(1.0, 0.0, 0.0), level < 1e-3);
    let across = cross(along, n);
    let east = fractal((p + along * e) * 1.9 + shift, 3) - here;
    let south = fractal((p + across * e) * 1.9 + shift, 3) - here;
    let fields = ramp(-0.25, 0.35, fractal(p * 0.06 + vec3(9.0, 2.0, 7.0), 3));
    let strength = mix(0.06, 0.15, fields) * mix(1.0, 0.6, ramp(0.75, 0.98, n.y));
    return normalize(n - (along * east + across * south) / e * strength);
}

// Twin: cinematic::strata, cinematic::strata_rock.
// The cut sides: layers of old flows and ash, darker towards the foot; under sun and sky, or by the lava's light alone.
fn strata(hit: vec3<f32>, t: f32, normal: vec3<f32>, by_lava: bool) -> vec3<f32> {
    if by_lava && glow_at(hit.x, hit.z) < 1e-4 && !has_flame() { return vec3(0.0); }
    let below = max(height(hit.x, hit.z) - hit.y, 0.0);
    let p = pattern_place(hit);
    let bend = fractal(vec3(p.x * 0.035, p.y * 0.03, p.z * 0.035), 4);
    let mottle = fractal(p * 0.55, 5);
    let level = p.y * 0.17 + bend * 1.1 + 0.10 * mottle;
    let bed = floor(level);
    let tone = gradient_noise(vec3(bed * 1.37 + 0.4, bed * 0.71 + 0.2, 0.6)) + 0.3 * gradient_noise(p * 0.08);
    let seam = ramp(0.0, 0.10, level - bed) * ramp(1.0, 0.93, level - bed);
    var color = mix(vec3(0.040, 0.039, 0.042), vec3(0.125, 0.113, 0.106), saturate1(0.42 + 0.9 * tone + 0.45 * mottle));
    color = mix(color, vec3(0.105, 0.062, 0.050), ramp(0.10, 0.45, tone + 0.2 * mottle) * 0.6);
    var face = Rock(select(color * (0.8 * mix(0.5, 1.0, seam)), STONE, is_stone()), normal, 0.0, 0.0);
    if !is_stone() { face = stony(face, hit, t, STONES_CUT); }
    let share = saturate1((hit.y - frame.block.x) / (0.35 * (frame.block.y - frame.block.x)));
    let sun = frame.sun_color.rgb * (saturate1(dot(face.normal, frame.sun.xyz)) * 0.8);
    var light = sun + sky_ambient(face.normal) * 1.1;
    if by_lava {
        let crest = vec3(hit.x, hit.y + below, hit.z);
        light = (ember_on_rock(crest, normal) + flame_on_rock(crest, normal)) * exp(-below * 0.35);
    }
    return face.albedo * light * mix(0.35, 1.0, sqrt(share));
}

// Sky --------------------------------------------------------------------------------------------------------------

// Twin: sky::clouds_at.
fn clouds_at(p: vec2<f32>) -> f32 { return fractal(vec3(0.9 * p.x + 3.0, 7.0, 1.4 * p.y + 1.0), 5); }

// Twin: sky::with_clouds.
// Stars, and clouds before them.
fn sky_with_clouds(d: vec3<f32>, clear: vec3<f32>) -> vec3<f32> {
    let out = ramp(SKY_OUT.x, SKY_OUT.y, d.y);
    var air = clear;
    if frame.sky.y > 0.0 {
        let star = ramp(STAR.x, STAR.y, gradient_noise(d * STARS));
        air += vec3(frame.sky.y * star * star * out);
    }
    if frame.sky.x <= 0.0 || out <= 0.0 { return air; }
    let place = d.xz / (CLOUD_LAYER + d.y);
    let begins = mix(CLOUD_BEGIN.x, CLOUD_BEGIN.y, frame.sky.x);
    var dense = vec2(0.0);
    for (var k = 0; k < 2; k++) {
        dense[k] = ramp(begins, begins + CLOUD_DENSE, clouds_at(place + frame.sun.xz * (f32(k) * CLOUD_TOWARD)));
    }
    let shade = exp(-CLOUD_SHADES * dense.y);
    let beside = CLOUD_BESIDE * pow(saturate1(dot(d, frame.sun.xyz)), 6.0) * (1.0 - dense.x);
    let cloud = frame.sun_color.rgb * (CLOUD_LIT * mix(0.3, 1.0, shade) + beside)
        + frame.horizon.rgb * (CLOUD_SEEN * mix(0.55, 1.0, shade));
    return mix(air, cloud, dense.x * out * 0.9);
}

// Twin: sky::crests_at.
// Sine of the angle of the crest of a row of hills in a direction of length 1.
fn crest_at(flat: vec2<f32>, row: i32) -> f32 {
    let wave = HILL_WAVES[row];
    let tall = 0.5 + 0.9 * fractal(vec3(wave * flat.x + 5.0, 3.0 + 9.0 * f32(row), wave * flat.y + 2.0), 6);
    return mix(HILL_CRESTS[row].x, HILL_CRESTS[row].y, saturate1(tall));
}

// Twin: sky::with_hills.
// Rows of hills in haze, before the sky.
fn sky_with_hills(d: vec3<f32>, sky: vec3<f32>) -> vec3<f32> {
    if d.y > max(HILL_CRESTS[0].y, HILL_CRESTS[1].y) { return sky; }
    let flat = d.xz / max(length(d.xz), 1e-6);
    let dark = (frame.sun_color.rgb * (0.5 * frame.sun.y) + frame.ambient_above.rgb) * HILL_DARK;
    let mist = sky_air(vec3(flat.x, 0.0, flat.y));
    var seen = sky;
    for (var row = 0; row < 2; row++) {
        let crest = crest_at(flat, row);
        let edge = HILL_CRESTS[row].y * 0.03;
        let cover = ramp(crest + edge, crest - edge, d.y);
        let clear = HILLS_THROUGH[row] * saturate1(d.y / crest);
        let waves = HILL_RIDGES * (1.0 + 0.6 * f32(row));
        let ridge = vec3(waves.x * flat.x, waves.y * d.y + 7.0 * f32(row), waves.x * flat.y);
        let tone = max(1.0 + HILLS_RIDGED * fractal(ridge, 4), 0.0);
        seen = mix(seen, mix(mist, dark * tone, clear), cover);
    }
    return seen;
}

// Twin: sky::backdrop.
fn sky_with_all(d: vec3<f32>, air: vec3<f32>) -> vec3<f32> {
    if d.y <= 0.0 { return air; }
    let sky = sky_with_clouds(d, air);
    if frame.sky.z > 0.5 { return sky_with_hills(d, sky); }
    return sky;
}

// The floor around the box ----------------------------------------------------------------------------------------

// Twin: floor::passed.
// Heights over a point between which the way to the sun is in the box up to a height; none if they are not ascending.
fn floor_passed(p: vec3<f32>, high: f32) -> vec2<f32> {
    var along = frame.sun.xz / frame.sun.y;
    along = select(along, vec2(1e-4), abs(along) < vec2(1e-4));
    let a = -p.xz / along;
    let b = (frame.cells.xz - p.xz) / along;
    let low = max(min(a, b), vec2(0.0));
    let top = min(max(a, b), vec2(high));
    return vec2(max(low.x, low.y), min(top.x, top.y));
}

// Twin: floor::lit.
// Share of the sun that the sides of the box leave at a point.
fn floor_lit(p: vec3<f32>, high: f32) -> f32 {
    let passed = floor_passed(p, high);
    return 1.0 - ramp(0.0, 0.25, max(passed.y - passed.x, 0.0) / max(high, 1e-3));
}

// Where to ask for the share of the sun that gases, smoke and solid media leave at a place, and how much of their shade arrives there.
struct SunWay { place: vec3<f32>, shade: f32 }

// Twin: floor::shaded, floor::seen.
// For the floor where a ray meets it, behind what stands in the box between it and the sun.
fn floor_way(ray: Ray) -> SunWay {
    let fall = frame.altitude.z - ray.origin.y;
    if !has_fog() || frame.floor.x <= 0.5 || ray.direction.y > -1e-5 || fall >= 0.0 { return SunWay(vec3(0.0), 0.0); }
    let p = at(ray, fall / ray.direction.y);
    return way_beside(p, floor_lit(p, frame.floor.y * oblong().y));
}

// Twin: shading::sunlight_beside, floor::entry.
// For a place beside the box: where the way from it to the sun enters the box.
fn way_beside(p: vec3<f32>, shade: f32) -> SunWay {
    let passed = floor_passed(p, FAR);
    if shade <= 0.0 || passed.y <= passed.x { return SunWay(p, 0.0); }
    let along = frame.sun.xz / frame.sun.y * passed.x;
    return SunWay(vec3(p.x + along.x, p.y + passed.x / oblong().y, p.z + along.y), shade);
}

// Twin: floor::light.
// Light that arrives on the floor beside the box, on a surface with this normal.
fn floor_light(p: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let high = frame.floor.y * oblong().y;
    let away = max(max(-p.xz, p.xz - frame.cells.xz), vec2(0.0));
    let open = 1.0 - 0.6 * exp(-length(away) / (0.7 * high + 0.5));
    return frame.sun_color.rgb * (saturate1(dot(frame.sun.xyz, normal)) * floor_lit(p, high)) + sky_ambient(normal) * open;
}

// A place of the floor: its colour, and its normal.
struct FloorPlace { color: vec3<f32>, normal: vec3<f32> }

// Twin: floor::slate.
// Colour of the table; its pattern is lost in the distance.
fn slate(p: vec3<f32>, away: f32) -> FloorPlace {
    let q = vec3(p.x, 0.0, p.z) / frame.cells.w;
    let near = exp(-away / (2.6 * max(frame.cells.x, frame.cells.z)));
    let mottled = near * fractal(q * 0.11 + vec3(5.0, 2.0, 8.0), 6);
    let beside = length(p.xz - 0.5 * frame.cells.xz) / (POOL * max(frame.cells.x, frame.cells.z));
    let color = SLATE * ((1.0 + 0.10 * mottled) * mix(UNLIT, 1.0, exp(-beside * beside)));
    return FloorPlace(color, vec3(0.0, 1.0, 0.0));
}

// Twin: floor::plain, floor::plain_rock.
// A place of the plain, whose pixels are so many cells wide: low hills.
fn plain(p: vec3<f32>, pixel: f32) -> FloorPlace {
    let q = vec3(p.x, 0.0, p.z) / frame.cells.w;
    let level = max(length(frame.sun.xz), 1e-4);
    let ahead = vec3(frame.sun.x, 0.0, frame.sun.z) * (PLAIN_AHEAD / level);
    var height = 0.0;
    var rise = 0.0;
    var tall = 1.0;
    var place = q * PLAIN_ROLLS + vec3(5.0, 2.0, 8.0);
    var waves = PLAIN_ROLLS / frame.cells.w * pixel;
    for (var octave = 0; octave < PLAIN_OCTAVES; octave++) {
        let seen = ramp(PLAIN_PIXELS.x, PLAIN_PIXELS.y, 1.0 / waves);
        if seen <= 0.0 { break; }
        let here = gradient_noise(place);
        height += seen * tall * here;
        rise += seen * (gradient_noise(place + ahead) - here) / PLAIN_AHEAD;
        tall *= 0.5;
        waves *= 2.03;
        place = place * 2.03 + vec3(17.3, 5.1, 9.7);
    }
    let fields = fractal(q * FLOOR_FIELDS + vec3(1.0, 6.0, 3.0), 4);
    let tone = saturate1(0.55 + 0.45 * height - 0.45 * smoothstep(0.02, 0.12, fields));
    let tilt = rise * PLAIN_STEEP / level;
    let normal = unit_or_up(vec3(-frame.sun.x * tilt, 1.0, -frame.sun.z * tilt));
    return FloorPlace(mix(PLAIN_LOAM, PLAIN_BARE, tone) * saturate1(1.0 + PLAIN_HOLLOW * height), normal);
}

// Twin: floor::polished.
// Light of a place of the table with what it mirrors of the box and of the wall behind it.
fn polished(p: vec3<f32>, way: vec3<f32>, light: vec3<f32>) -> vec3<f32> {
    let share = mix(POLISH.x, POLISH.y, pow(max(1.0 + way.y, 0.0), 5.0));
    let wall = mix(frame.horizon.rgb, frame.zenith.rgb, saturate1(-way.y));
    let along = select(way.xz, vec2(1e-4), abs(way.xz) < vec2(1e-4));
    let a = -p.xz / along;
    let b = (frame.cells.xz - p.xz) / along;
    let first = min(a, b);
    let last = max(a, b);
    let near = max(first.x, first.y);
    if near < 0.0 || near >= min(last.x, last.y) { return mix(light, wall, share); }
    let normal = select(vec3(0.0, 0.0, -sign(way.z)), vec3(-sign(way.x), 0.0, 0.0), first.x > first.y);
    let high = frame.floor.y * oblong().y;
    let rise = -way.y * near;
    let there = ramp(1.1, 0.9, rise / max(high, 1e-3)) * exp(-rise / (SHOWN_IN_TABLE * high + 1.0));
    let sun = frame.sun_color.rgb * (saturate1(dot(normal, frame.sun.xyz)) * 0.8);
    let side = STONE * (sun + sky_ambient(normal) * 0.8);
    return mix(light, mix(wall, side, there), share);
}

// Twin: floor::seen.
// Light along a ray that meets nothing else: of the floor, where there is one and the ray goes down, or of the sky.
fn surroundings(ray: Ray) -> vec3<f32> {
    let way = ray.direction * oblong();
    let fall = frame.altitude.z - ray.origin.y;
    let falls = frame.floor.x > 0.5 && ray.direction.y <= -1e-5 && fall < 0.0;
    // One call for both: a driver copies a function to each place that calls it.
    let direction = unit_or_up(vec3(way.x, select(way.y, 0.0, falls), way.z));
    let sky = sky_air(direction);
    if !falls { return sky_with_all(direction, sky); }
    let t = fall / ray.direction.y;
    let away = t * length(way);
    let p = at(ray, t);
    let unit = unit_or_up(way);
    var place: FloorPlace;
    if is_stone() { place = slate(p, away); } else { place = plain(p, away * frame.floor.w * pow(-unit.y, -PLAIN_FLAT)); }
    var light = place.color * floor_light(p, place.normal);
    if is_stone() { light = polished(p, unit, light); }
    if goes_on() { return hazed(ray, t, mix(sky, light, floor_clear(beyond_box(p)))); }
    return mix(sky, light, floor_clear(away));
}

// Twin: floor::clear.
// Share of the light of the floor that comes through the haze over it.
fn floor_clear(far: f32) -> f32 {
    return exp(-far / (select(FLOOR_FAR.x, FLOOR_FAR.y, is_stone()) * max(frame.cells.x, frame.cells.z)));
}

// Twin: floor::faded.
// Light of the plain around the box through the haze over it.
fn plain_faded(ray: Ray, p: vec3<f32>, light: vec3<f32>) -> vec3<f32> {
    if frame.floor.x <= 0.5 { return light; }
    let way = ray.direction * oblong();
    return mix(sky_air(unit_or_up(vec3(way.x, 0.0, way.z))), light, floor_clear(beyond_box(p)));
}

// Twin: cinematic::grazed.
// A ray that passes through the outermost lava without reaching its surface: a thin glow, never a dark rim.
fn grazing_glow(p: vec3<f32>, seen: f32) -> vec3<f32> {
    let depth = ramp(0.45 * frame.lava.x, frame.lava.x, seen);
    let heat = heat_at(p);
    let hot = temperature(p);
    if hot >= 0.0 { return body(hot) * (depth * depth * 0.3 * heat); }
    return shown(mix(700.0, 1150.0, heat)) * (depth * depth * 0.5 * heat);
}
