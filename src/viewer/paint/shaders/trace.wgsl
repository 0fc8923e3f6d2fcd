// One ray per pixel: ground, slices and lava become light (rgb) and coverage (a).

@vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32((i << 1u) & 2u) * 2.0 - 1.0, f32(i & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

fn face_normal(face: f32) -> vec3<f32> {
    switch u32(face) {
        case 2u: { return vec3(0.0, 0.0, -1.0); }
        case 3u: { return vec3(0.0, 0.0, 1.0); }
        case 4u: { return vec3(-1.0, 0.0, 0.0); }
        case 5u: { return vec3(1.0, 0.0, 0.0); }
        default: { return vec3(0.0, -1.0, 0.0); }
    }
}

// What a ray meets before the lava: distance (FAR: nothing), its light and coverage.
struct Behind { t: f32, front: f32, point: vec3<f32>, face: f32, color: vec3<f32>, cover: f32 }

fn ground_color(ray: Ray, b: Behind) -> vec3<f32> {
    if frame.view.x != CINEMATIC {
        var color = plain_cut(face_normal(b.face));
        if b.face == 1.0 { color = plain_ground(b.point); }
        // The largest values must stand out from the rock.
        if frame.view.x == MAXIMUM && frame.view.z == 1u { color *= 0.6; }
        return color;
    }
    if b.face == 1.0 { return hazed(ray, b.t, bare_rock(b.point)); }
    return hazed(ray, b.t, strata(b.point, face_normal(b.face)));
}

fn cut_texel(axis: i32, p: vec3<f32>) -> vec2<f32> {
    let c = vec3<i32>(clamp(p, vec3(0.0), frame.cells.xyz - 1.0));
    if axis == 0 { return textureLoad(cut_x, vec2(c.z, c.y), 0).rg; }
    if axis == 1 { return textureLoad(cut_y, vec2(c.x, c.z), 0).rg; }
    return textureLoad(cut_z, vec2(c.x, c.y), 0).rg;
}

// The nearest slice with something in it before `limit`: distance, value, content.
fn nearest_slice(ray: Ray, limit: f32) -> vec3<f32> {
    var found = vec3(limit, 0.0, 0.0);
    for (var axis = 0; axis < 3; axis++) {
        let plane = frame.cuts[axis];
        if plane < 0.0 || abs(ray.direction[axis]) < 1e-9 { continue; }
        let t = (plane - ray.origin[axis]) / ray.direction[axis];
        if t <= 0.0 || t >= found.x { continue; }
        let p = at(ray, t);
        var inside = all(p >= vec3(0.0)) && all(p <= frame.cells.xyz);
        if axis == 0 { inside = p.y >= 0.0 && p.y <= frame.cells.y && p.z >= 0.0 && p.z <= frame.cells.z; }
        if axis == 1 { inside = p.x >= 0.0 && p.x <= frame.cells.x && p.z >= 0.0 && p.z <= frame.cells.z; }
        if axis == 2 { inside = p.x >= 0.0 && p.x <= frame.cells.x && p.y >= 0.0 && p.y <= frame.cells.y; }
        if !inside { continue; }
        let texel = cut_texel(axis, p);
        if texel.y > 0.5 / 255.0 { found = vec3(t, texel.x, texel.y * 255.0); }
    }
    return found;
}

fn slice_color(value: f32, content: f32) -> vec3<f32> {
    if content > 1.5 { return vec3(0.105, 0.105, 0.112); }
    return palette(value);
}

fn look_behind(ray: Ray, pixel: vec2<i32>) -> Behind {
    var b = Behind(FAR, FAR, vec3(0.0), 0.0, vec3(0.0), 0.0);
    let hit = textureLoad(ground_hits, pixel, 0).rg;
    if frame.view.w == 1u && hit.y > 0.5 {
        b.t = hit.x;
        b.face = hit.y;
        b.point = at(ray, hit.x);
        b.cover = 1.0;
        // The box's sides cut lava and ground in one plane, where rounding must not decide which of the two is seen.
        b.front = select(hit.x * 0.9999 - 1e-3, hit.x, hit.y == 1.0);
    }
    let slice = nearest_slice(ray, b.t);
    if slice.x < b.t {
        b = Behind(slice.x, slice.x, at(ray, slice.x), 0.0, slice_color(slice.y, slice.z), 1.0);
        return b;
    }
    if b.cover == 0.0 {
        b.color = select(plain_backdrop(ray.direction), sky_backdrop(ray.direction), frame.view.x == CINEMATIC);
    } else {
        b.color = ground_color(ray, b);
    }
    return b;
}

// Lava as it looks in the cinematic style over what lies behind it.
fn cinematic(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    var crossing = Crossing(MISSED, 0.0, 0.0, vec3(0.0), false);
    if frame.view.z == 1u { crossing = cross_surface(ray, b.front, frame.lava.x, jitter); }
    var skin = Skin(b.point, vec3(0.0, 1.0, 0.0), ray.direction, false);
    var cover = 0.0;
    var t = b.t;
    if crossing.kind == CROSSED {
        t = crossing.t;
        skin.point = at(ray, t);
        skin.cut = crossing.cut;
        skin.normal = crossing.face;
        if !crossing.cut { skin.normal = lava_normal(skin.point); }
        cover = 1.0;
    } else if b.face == 1.0 {
        cover = film_cover(b.point);
        skin.normal = ground_normal_at(b.point.x, b.point.z, 0.8);
    }
    var color = vec4(b.color, b.cover);
    // One call for lava and for films on rock: a graphics card runs both ways of a branch anyhow.
    if cover > 0.0 {
        color = vec4(mix(b.color, hazed(ray, t, shade(skin)), cover), 1.0);
    }
    if crossing.kind == GRAZED {
        let glow = grazing_glow(at(ray, crossing.t), crossing.density);
        color = vec4(color.rgb + glow, max(color.a, saturate1(luminance(glow) * 2.0)));
    }
    return color;
}

fn scientific(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    let layer = accumulate(ray, b.front, jitter);
    return vec4(layer.rgb + b.color * (1.0 - layer.a), layer.a + b.cover * (1.0 - layer.a));
}

fn surface(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    let crossing = cross_surface(ray, b.front, frame.lava.x, jitter);
    if crossing.kind != CROSSED { return vec4(b.color, b.cover); }
    return vec4(surface_color(ray, crossing), 1.0);
}

fn maximum(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    let layer = largest(ray, b.front, jitter);
    return vec4(mix(b.color, layer.rgb, layer.a), layer.a + b.cover * (1.0 - layer.a));
}

fn color_along(ray: Ray, b: Behind, jitter: f32) -> vec4<f32> {
    if frame.view.x == CINEMATIC { return cinematic(ray, b, jitter); }
    if frame.view.z == 0u { return vec4(b.color, b.cover); }
    switch frame.view.x {
        case SCIENTIFIC: { return scientific(ray, b, jitter); }
        case SURFACE: { return surface(ray, b, jitter); }
        default: { return maximum(ray, b, jitter); }
    }
}

@fragment fn trace(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(place.xy);
    let ray = ray_through(vec2<f32>(pixel) + 0.5 + frame.size.zw);
    let b = look_behind(ray, pixel);
    let jitter = fract(interleaved(f32(pixel.x), f32(pixel.y)) + frame.nodes.w);
    let light = color_along(ray, b, jitter);
    // Frames are averaged as the eye sees them, not as raw light: one very bright ray must not win the pixel.
    return vec4(light.rgb / (1.0 + max(light.r, max(light.g, light.b))), light.a);
}
