// A finished picture over the whole window.

@group(0) @binding(0) var picture: texture_2d<f32>;

struct Corner { @builtin(position) place: vec4<f32>, @location(0) uv: vec2<f32> }

@vertex fn whole(@builtin(vertex_index) i: u32) -> Corner {
    let uv = vec2(f32((i << 1u) & 2u), f32(i & 2u));
    return Corner(vec4(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

// It has the window's size, but for a moment while that changes: no filter is worth its time.
@fragment fn shown(in: Corner) -> @location(0) vec4<f32> {
    let place = vec2<i32>(in.uv * vec2<f32>(textureDimensions(picture)));
    return vec4(textureLoad(picture, place, 0).rgb, 1.0);
}
