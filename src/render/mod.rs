//! Pictures: camera, volume ray-marcher, slices and palettes.
