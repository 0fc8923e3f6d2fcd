// Colours straight from the palette: emission and absorption, a shaded surface, or the largest value along the ray. The
// formulas are those of `render::transfer`.

// Middles of the two rows of the texture.
const MATTER_ROW = 0.25;
const HAZE_ROW = 0.75;

fn palette(value: f32) -> vec3<f32> { return transfer_at(value).rgb; }

fn transfer_at(value: f32) -> vec4<f32> {
    let n = f32(textureDimensions(transfer).x);
    return textureSampleLevel(transfer, linear_held, vec2((saturate1(value) * (n - 1.0) + 0.5) / n, MATTER_ROW), 0.0);
}

// Colour and opacity of a step of haze at a point, as `render::haze`.
fn haze_at(p: vec3<f32>) -> vec4<f32> {
    let place = textureSampleLevel(smoke_cells, linear_held, smoke_place(p), 0.0).r;
    if place <= 0.0 { return vec4(0.0); }
    let n = f32(textureDimensions(transfer).x);
    let color = textureSampleLevel(transfer, linear_held, vec2((place * (n - 1.0) + 0.5) / n, HAZE_ROW), 0.0).rgb;
    return vec4(color, 1.0 - pow(1.0 - OPACITY_OF_HAZE * place * place, frame.smoke.begins.w));
}

// The value that chooses the colour at a point of this density, 0..1.
fn shown_value(p: vec3<f32>, here: f32) -> f32 {
    if frame.view.y == 0u { return here; }
    return specific_energy(p) / frame.kelvin.w;
}

// Twin: transfer::shading.
fn lamp_shading(gradient: vec3<f32>) -> f32 {
    let steep = length(gradient);
    var facing = 0.0;
    if steep > 1e-4 { facing = -dot(gradient, frame.lamp.xyz) / steep; }
    return mix(0.9, 0.55 + 0.5 * saturate1(facing), saturate1(steep * 8.0));
}

// Premultiplied light and opacity of what lies before `limit`.
fn accumulate(ray: Ray, limit: f32, jitter: f32) -> vec4<f32> {
    var sum = vec4(0.0);
    let s = span(ray, limit);
    if !s.hit { return sum; }
    var w = start_walk(ray, s.near, jitter);
    loop {
        let hit = next_sample(&w, ray, s.far);
        if hit.x < 0.0 { break; }
        let share = (1.0 - sum.a) * transfer_at(hit.y).a;
        if share > 0.0 {
            let p = at(ray, hit.x);
            let color = palette(shown_value(p, hit.y)) * lamp_shading(slope_of_density(p));
            sum += vec4(color * share, share);
        }
        if sum.a > OPAQUE_LAYER { break; }
    }
    return sum;
}

// Twin: land::lit.
// Light on rock of this normal, of which the sky is open to a share.
fn plain_lit(open: f32, normal: vec3<f32>) -> f32 { return 0.30 * open + 0.75 * saturate1(dot(normal, frame.lamp.xyz)); }

fn plain_ground(p: vec3<f32>) -> vec3<f32> {
    let rock = rock_at(p.x, p.z);
    let light = plain_lit(rock.open, ground_normal_at(p.x, p.z, PLAIN_REACH));
    return plain_tone(p) * light;
}

// Twin: plain::tone.
fn plain_tone(p: vec3<f32>) -> vec3<f32> {
    return mix(vec3(0.085, 0.088, 0.095), vec3(0.25, 0.245, 0.24), saturate1(p.y / max(frame.block.y, 1.0)));
}

// Twin: plain::cut.
fn plain_cut(normal: vec3<f32>) -> vec3<f32> {
    return vec3(0.07, 0.072, 0.08) * (0.35 + 0.5 * saturate1(dot(normal, frame.lamp.xyz)));
}

// Twin: plain::backdrop.
fn plain_backdrop(d: vec3<f32>) -> vec3<f32> {
    return mix(vec3(0.012, 0.014, 0.019), vec3(0.040, 0.046, 0.058), saturate1(0.75 + d.y));
}

// Twin: plain::surface.
// The surface in the colour of what lies one cell under it; a cut shows the values themselves.
fn surface_color(ray: Ray, crossing: Crossing) -> vec3<f32> {
    let p = at(ray, crossing.t);
    if crossing.cut {
        return palette(shown_value(p, density(p))) * (0.88 + 0.12 * saturate1(dot(crossing.face, frame.lamp.xyz)));
    }
    let normal = lava_normal(p);
    let under = p - normal * DEPTH_SHOWN;
    let light = 0.28 + 0.77 * saturate1(0.25 + 0.75 * dot(normal, frame.lamp.xyz));
    return palette(shown_value(under, density(under))) * light;
}

// The value at a distance along the ray, 0 where it is too thin to be seen.
fn visible_value(ray: Ray, t: f32) -> vec2<f32> {
    let p = at(ray, t);
    let here = density(p);
    if here <= frame.lamp.w { return vec2(t, 0.0); }
    return vec2(t, shown_value(p, here));
}

fn larger(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return select(a, b, b.y > a.y); }

// Share of a step down to which the peak is looked for between samples.
const LEAST_ASIDE = 0.1;

// Colour and opacity of the largest value before `limit`.
fn largest(ray: Ray, limit: f32, jitter: f32) -> vec4<f32> {
    let s = span(ray, limit);
    if !s.hit { return vec4(0.0); }
    var best = larger(visible_value(ray, s.near), visible_value(ray, s.far));
    var w = start_walk(ray, s.near, jitter);
    loop {
        let hit = next_sample(&w, ray, s.far);
        if hit.x < 0.0 { break; }
        best = larger(best, visible_value(ray, hit.x));
        if best.y >= LARGEST { break; }
    }
    // The peak lies between samples.
    for (var aside = 0.5 * w.step; aside > LEAST_ASIDE * w.step; aside *= 0.5) {
        let before = visible_value(ray, max(best.x - aside, s.near));
        best = larger(best, larger(before, visible_value(ray, min(best.x + aside, s.far))));
    }
    if best.y <= 0.0 { return vec4(0.0); }
    let low = frame.lamp.w;
    return vec4(palette(best.y), ramp(low, low + (1.0 - low) * SOLID_VALUE, best.y));
}
