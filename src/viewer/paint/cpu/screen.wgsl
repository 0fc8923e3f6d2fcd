// A finished picture over the whole window.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var linear_held: sampler;

struct Corner { @builtin(position) place: vec4<f32>, @location(0) uv: vec2<f32> }

@vertex fn whole(@builtin(vertex_index) i: u32) -> Corner {
    let uv = vec2(f32((i << 1u) & 2u), f32(i & 2u));
    return Corner(vec4(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

@fragment fn shown(in: Corner) -> @location(0) vec4<f32> {
    return vec4(textureSample(picture, linear_held, in.uv).rgb, 1.0);
}
