// Materials at whose surface a ray ends, as `render::solid` draws them.

fn is_solid(medium: i32) -> bool { return preset_of(medium) >= SAND; }

fn has_solids() -> bool { return frame.media.z > 0.5; }

// The nearest surface (medium below 0: none), and the densest place of loose grains before it.
struct SolidHit { medium: i32, t: f32, face: vec3<f32>, cut: bool, veil_of: i32, veil_t: f32, veil: f32 }

// The solid medium of the largest density, if that has a surface there.
fn densest_solid(densities: Densities) -> i32 {
    var best = -1;
    var most = SURFACE_OF_MEDIA;
    for (var k = 0; k < media_count(); k++) {
        if !is_solid(k) || pick(densities, k) < most { continue; }
        best = k;
        most = pick(densities, k);
    }
    return best;
}

fn cross_solids(ray: Ray, limit: f32, jitter: f32) -> SolidHit {
    var found = SolidHit(-1, limit, vec3(0.0), false, -1, FAR, 0.0);
    let s = span(ray, limit);
    if !s.hit { return found; }
    if s.near > 0.0 {
        let k = densest_solid(media_at(at(ray, s.near)));
        if k >= 0 { return SolidHit(k, s.near, s.entry, true, -1, FAR, 0.0); }
    }
    var w = start_walk(ray, s.near, jitter);
    loop {
        let next = next_of_media(&w, ray, s.far);
        if next.t < 0.0 { break; }
        let k = densest_solid(next.densities);
        if k >= 0 {
            found.medium = k;
            found.t = refine_media(ray, max(next.t - w.step, s.near), next.t, k);
            return found;
        }
        for (var k = 0; k < media_count(); k++) {
            if preset_of(k) < SAND || preset_of(k) > ASH || pick(next.densities, k) <= found.veil { continue; }
            found.veil = pick(next.densities, k);
            found.veil_t = next.t;
            found.veil_of = k;
        }
    }
    if s.far >= 1e30 { return found; }
    // A sheet thinner than a step may lie just before the end.
    let end = media_at(at(ray, s.far));
    let k = densest_solid(end);
    if k >= 0 {
        found.medium = k;
        found.t = refine_media(ray, max(s.far - w.step, s.near), s.far, k);
    } else if found.veil_of >= 0 {
        found.veil -= pick(end, found.veil_of);
    }
    return found;
}

struct SolidPoint { medium: i32, t: f32, point: vec3<f32>, normal: vec3<f32>, cut: bool, behind: vec3<f32>, far: f32 }

fn solid_normal(p: vec3<f32>, medium: i32) -> vec3<f32> {
    let wide = select(vec2(1.5, 0.8), vec2(2.6, 1.3), preset_of(medium) < ICE);
    let share = select(0.6, 0.5, preset_of(medium) < ICE);
    return upright(media_gradient(p, wide.x, medium) + media_gradient(p, wide.y, medium) * share);
}

// Share of the sun that the material itself leaves at its surface.
fn own_sunlight(hit: SolidPoint) -> f32 {
    var shut = 0.0;
    for (var k = 0; k < 4; k++) {
        let away = vec4(2.0, 4.0, 7.0, 11.0)[k];
        shut = max(shut, medium_at(hit.point + hit.normal + frame.sun.xyz / oblong() * away, hit.medium));
    }
    return select(1.0 - ramp(0.25, 0.75, shut), 1.0, hit.cut);
}

// Sun, sky and lava on a surface whose light reaches around the edge of the shaded side by `wrap`.
fn arriving_light(hit: SolidPoint, normal: vec3<f32>, wrap: f32) -> vec3<f32> {
    let p = hit.point;
    let facing = saturate1((dot(normal, frame.sun.xyz) + wrap) / (1.0 + wrap));
    let own = own_sunlight(hit);
    let sun = frame.sun_color.rgb * (facing * sunlight(p.x, p.z) * own * cloud_sunlight(p));
    let lava = shown(1040.0) * (14.0 * frame.heat.z * ember_at(p, normal));
    let hollow = select(medium_at(p + hit.normal * 2.5, hit.medium), 0.0, hit.cut);
    return sun + sky_ambient(normal) * (1.0 - 0.7 * hollow) + lava;
}

fn grains_light(hit: SolidPoint) -> vec3<f32> {
    let p = hit.point;
    let waves = frame.media_look[hit.medium].y;
    let fine = gradient_noise(p * 4.3);
    let coarse = gradient_noise(p * 1.9 + vec3(7.0, 3.0, 1.0));
    let broad = fractal(p * (0.11 / frame.cells.w) + vec3(1.0, 6.0, 2.0), 3);
    let tone = max(1.0 + waves * (0.34 * fine + 0.16 * coarse) + 0.22 * broad, 0.15);
    let rough = vec3(fine, 0.3 * coarse, gradient_noise(p * 4.3 + vec3(19.0, 0.0, 5.0))) * (0.30 * waves);
    var normal = hit.normal;
    if !hit.cut { normal = unit_or_up(hit.normal + rough); }
    return frame.media_color[hit.medium].rgb * (0.46 * tone) * arriving_light(hit, normal, 0.15);
}

fn ice_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    let look = frame.media_look[hit.medium];
    let q = hit.point / frame.cells.w;
    let view = view_of(ray);
    let facing = saturate1(-dot(view, hit.normal));
    let frost = fractal(q * 0.5, 4);
    let scales = vec3(fractal(q * 0.9 + vec3(5.0, 1.0, 3.0), 2), 0.0, fractal(q * 0.9 + vec3(9.0, 4.0, 2.0), 2));
    var normal = hit.normal;
    if !hit.cut { normal = unit_or_up(hit.normal + (scales * 0.22 + vec3(frost, 0.0, -frost) * 0.10) * look.y); }
    var deep = 0.0;
    for (var i = 0; i < 8; i++) {
        let t = hit.t + (f32(i) + 0.5) * 0.5;
        if t >= hit.far { break; }
        deep += 0.5 * ramp(0.3, 0.6, medium_at(at(ray, t), hit.medium));
    }
    deep *= pace_of(ray);
    let body = ICE_COLOR * exp(ICE_ABSORBS * (-deep * look.x));
    let diffuse = body * arriving_light(hit, normal, 0.5) * mix(0.20, 0.30, saturate1(0.5 + frost));
    let through = hit.behind * (0.25 * exp(-0.5 * deep * look.x));
    let share = 0.018 + 0.982 * pow(1.0 - facing, 5.0);
    let mirror = unit_or_up(view - normal * (2.0 * dot(view, normal)));
    let open = sunlight(hit.point.x, hit.point.z) * cloud_sunlight(hit.point);
    let glint = pow(saturate1(dot(mirror, frame.sun.xyz)), 96.0) * 3.0 * open;
    return (diffuse + through) * (1.0 - share) + (sky_reflected(mirror) + frame.sun_color.rgb * glint) * share;
}

// Cold, broken crust.
fn rubble_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    var here = pattern_of(hit.point, 0.0, 0.75 * frame.lava.w, 1.0);
    here.molten = 0.0;
    let slope = here.slope - hit.normal * dot(here.slope, hit.normal);
    let normal = unit_or_up(hit.normal - slope * (1.3 * frame.media_look[hit.medium].y));
    return lit(Skin(hit.point, hit.normal, view_of(ray), false), normal, here, 0.0);
}

// How a smooth material shines: `render::solid::Shine`.
struct Shine { wrap: f32, matt: f32, mirrors: f32, tinted: bool, clear: f32, power: f32, strength: f32 }

fn shine_of(preset: f32) -> Shine {
    if preset == WAX { return Shine(0.45, 0.42, 0.03, false, 0.35, 18.0, 0.8); }
    if preset == GLOSS { return Shine(0.2, 0.55, 0.03, false, 0.5, 96.0, 5.0); }
    return Shine(0.0, 0.08, 0.75, true, 1.0, 48.0, 1.2);
}

// Wax, a melt or metal.
fn smooth_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    let p = hit.point;
    let shine = shine_of(preset_of(hit.medium));
    let east = fractal(p * 0.35 + vec3(0.0, 1.0, 3.0), 2);
    let south = fractal(p * 0.35 + vec3(31.0, 1.0, 3.0), 2);
    var normal = hit.normal;
    if !hit.cut { normal = unit_or_up(hit.normal + vec3(east, 0.0, south) * (0.10 * frame.media_look[hit.medium].y)); }
    let color = frame.media_color[hit.medium].rgb;
    let diffuse = color * arriving_light(hit, normal, shine.wrap) * shine.matt;
    let view = view_of(ray);
    let facing = saturate1(-dot(view, normal));
    let share = shine.mirrors + max(shine.clear - shine.mirrors, 0.0) * pow(1.0 - facing, 5.0);
    let mirror = unit_or_up(view - normal * (2.0 * dot(view, normal)));
    let glint = pow(saturate1(dot(mirror, frame.sun.xyz)), shine.power) * shine.strength * sunlight(p.x, p.z) * cloud_sunlight(p) * own_sunlight(hit);
    let seen = sky_reflected(mirror);
    let mirrored = mix(vec3((seen.x + seen.y + seen.z) / 3.0), seen, 0.35) + frame.sun_color.rgb * glint;
    let tint = select(vec3(1.0), color, shine.tinted);
    return diffuse * (1.0 - share) + mirrored * tint * share;
}

fn solid_light(ray: Ray, hit: SolidPoint) -> vec3<f32> {
    var light = vec3(0.0);
    if preset_of(hit.medium) == ICE {
        light = ice_light(ray, hit);
    } else if preset_of(hit.medium) == RUBBLE {
        light = rubble_light(ray, hit);
    } else if preset_of(hit.medium) >= WAX {
        light = smooth_light(ray, hit);
    } else {
        light = grains_light(hit);
    }
    return hazed(ray, hit.t, light);
}
