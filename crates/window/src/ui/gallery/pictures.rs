//! Pictures of the built-in scenes for the start screen, from the folder `pictures` next to this
//! file. `UPDATE_THUMBNAILS=1 cargo test --test program -- thumbnails` redraws the pictures of
//! scenes that have changed.

use std::collections::HashMap;

use kiss3d::egui::{ColorImage, Context, TextureHandle, TextureOptions};

/// Width and height in pixels of the picture of a built-in scene.
#[cfg(test)]
const SIZE: [usize; 2] = [192, 128];

macro_rules! pictures {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("pictures/", $name, ".webp")))),*]
    };
}

/// Contents of the WebP files, each with the name of the scene of the picture.
const FILES: &[(&str, &[u8])] = pictures![
    "ash_fall",
    "basalt",
    "bowl",
    "branching",
    "bridge",
    "channel",
    "chocolate",
    "coast",
    "cycle",
    "cycle_2d",
    "dam",
    "dunes",
    "eruption",
    "float",
    "forest",
    "hazard",
    "ice",
    "inks",
    "island",
    "lake",
    "liquids",
    "maunga_whau",
    "metal",
    "mould",
    "plume",
    "sand_2d",
    "slope",
    "smoke2d",
    "tube",
    "u_tube",
    "vessels",
    "village",
    "volcano",
    "wax",
];

/// Decoded pictures as textures, by name of the scene; `None` for a scene that has no picture.
#[derive(Default)]
pub(super) struct Pictures(HashMap<&'static str, Option<TextureHandle>>);

impl Pictures {
    /// Returns the picture of the built-in scene `name`, decoded on first use; `None` if it has no
    /// picture.
    pub(super) fn texture(
        &mut self,
        context: &Context,
        name: &'static str,
    ) -> Option<TextureHandle> {
        let load = || Some(context.load_texture(name, decoded(name)?, TextureOptions::LINEAR));
        self.0.entry(name).or_insert_with(load).clone()
    }
}

/// Decodes the picture of the built-in scene `name`; `None` if it has no picture.
fn decoded(name: &str) -> Option<ColorImage> {
    let (_, bytes) = FILES.iter().find(|(known, _)| *known == name)?;
    let picture = image::load_from_memory_with_format(bytes, image::ImageFormat::WebP)
        .ok()?
        .to_rgb8();
    let size = [picture.width() as usize, picture.height() as usize];
    Some(ColorImage::from_rgb(size, picture.as_raw()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_files::shipped;

    #[test]
    fn every_scene_has_a_picture_and_all_are_small() {
        let scenes: Vec<_> = shipped::scenes().map(|scene| scene.name).collect();
        assert_eq!(
            FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            scenes
        );
        for name in scenes {
            assert_eq!(
                decoded(name).map(|picture| picture.size),
                Some(SIZE),
                "{name}"
            );
        }
        let bytes: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes <= 400_000, "{bytes} bytes");
    }
}
