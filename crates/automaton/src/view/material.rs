//! Look of a material other than the lava, as written in a scene file under `look` of its
//! `[[material]]`.

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, table, words};
use lavoxel_base::validate::Invalid;

use super::look::validate_opacity;
use super::palette::hex;
use super::palette::srgb_to_linear;

/// Predefined appearance of a material in the cinematic style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Clear water: the surface mirrors sky and sun, and the depth absorbs first red, then green
    /// light from below.
    #[default]
    Water,
    /// Cloud without a surface, lit by sky and sun from above and by lava from below.
    Steam,
    /// Bright sand with coarse grains.
    Sand,
    /// Dark ash with fine grains.
    Ash,
    /// Ice: bluish where thick; transmits a little of the light from behind.
    Ice,
    /// Rubble: broken rock that looks like the crust of cold lava.
    Rubble,
    /// Foliage: clumps with gaps between them, dark inside and bright against the sun.
    Leaves,
    /// Walls with sharp corners, of plaster or masonry.
    Wall,
    /// Roofs with sharp edges and even slopes, covered with roof tiles.
    Roof,
    /// Wax: translucent, smooth and matt; light passes around its edges.
    Wax,
    /// Smooth, shining, opaque material, such as a melt.
    Gloss,
    /// Smooth metal that mirrors its surroundings in its own colour.
    Metal,
}

/// Way in which a material is drawn along a ray in the cinematic style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Transparent: the ray continues behind the material's surface.
    Clear,
    /// Cloud without a surface: light is scattered and absorbed along the ray.
    Cloud,
    /// Opaque: the ray ends at the material's surface.
    Solid,
}

impl Preset {
    /// All presets, in the order of their declaration.
    pub const ALL: [Self; 12] = [
        Self::Water,
        Self::Steam,
        Self::Sand,
        Self::Ash,
        Self::Ice,
        Self::Rubble,
        Self::Leaves,
        Self::Wall,
        Self::Roof,
        Self::Wax,
        Self::Gloss,
        Self::Metal,
    ];

    /// Returns true if the material is drawn from unfiltered amounts, because the low-pass filter
    /// would round its edges.
    pub fn is_sharp(self) -> bool {
        matches!(self, Self::Wall | Self::Roof)
    }

    /// Way in which the material is drawn along a ray in the cinematic style.
    pub fn form(self) -> Form {
        match self {
            Self::Water => Form::Clear,
            Self::Steam => Form::Cloud,
            Self::Sand | Self::Ash | Self::Ice | Self::Rubble => Form::Solid,
            Self::Leaves | Self::Wall | Self::Roof | Self::Wax | Self::Gloss | Self::Metal => {
                Form::Solid
            }
        }
    }
}

words!(Preset);

table! {
    /// Look of a material in pictures. Keys left out have defaults.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct MaterialLook {
        /// Optical preset: `"water"`, `"steam"`, `"sand"`, `"ash"`, `"ice"`, `"rubble"`,
        /// `"leaves"`, `"wall"`, `"roof"`, `"wax"`, `"gloss"` or `"metal"`.
        pub preset: Preset = Preset::default();
        /// Strength of the absorption of light in water, steam or ice, 0 none, 1 usual. Cinematic
        /// style only.
        pub depth: f32 = 1.0, [0.0, 100.0] "";
        /// Share of light that a cell of a liquid with the preset water passes on, absorption by
        /// its colour not counted; the rest is scattered back in the liquid's colour and makes it
        /// milky. Cinematic style only.
        pub clear: f32 = 1.0, [0.0, 1.0] "share";
        /// Strength of the surface relief, 0 none, 1 usual: height of ripples and of surface grain,
        /// depth of the billows of steam. Over 1, water also has a swell that breaks on shores, and
        /// a wall consists of stones in courses. Cinematic style only.
        pub waves: f32 = 1.0, [0.0, 10.0] "";
        /// Colour as `#rrggbb`; absent: that of the preset. For water: the colour of white light
        /// after four cells of water. The cinematic style does not use it for ice and rubble, the
        /// plain styles use it for all presets.
        pub color: Option<String> = None;
        /// Opacity in the plain styles, as stops `[density, opacity]` with rising density; opacity
        /// is the share of light that one cell's length absorbs. Absent: that of the preset.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::some")]
        pub opacity: Option<Vec<[f32; 2]>> = None, [0.0, 1.0] "";
    }
}

impl MaterialLook {
    /// Creates a look with the appearance `preset` and default values in all other fields.
    pub fn from_preset(preset: Preset) -> Self {
        Self {
            preset,
            ..Self::default()
        }
    }

    /// Checks every value of the look; errors name the key as `KEY.…`, where `key` is for example
    /// `material.water.look`.
    ///
    /// # Errors
    /// Returns an error that names the first key with a value out of range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)?;
        if let Some(color) = &self.color {
            hex(color, &format!("{key}.color"))?;
        }
        match &self.opacity {
            Some(stops) => validate_opacity(&format!("{key}.opacity"), stops),
            None => Ok(()),
        }
    }

    /// Colour of the material as linear RGB, 0–1: the colour that the scene gives, else that of the
    /// preset.
    pub fn linear_color(&self) -> [f32; 3] {
        self.shade().map(srgb_to_linear)
    }

    /// Colour of the material as 8-bit sRGB, for slices and meshes.
    pub fn srgb(&self) -> [u8; 3] {
        self.shade().map(|c| (c * 255.0).round() as u8)
    }

    /// Colour of the material as sRGB, 0–1: the colour that the scene gives, else that of the
    /// preset.
    fn shade(&self) -> [f32; 3] {
        // Chosen by eye.
        let usual = match self.preset {
            Preset::Water => [0.16, 0.50, 0.86],
            Preset::Steam => [0.90, 0.91, 0.92],
            Preset::Sand => [0.77, 0.65, 0.47],
            Preset::Ash => [0.36, 0.34, 0.335],
            Preset::Ice => [0.70, 0.88, 0.98],
            Preset::Rubble => [0.33, 0.27, 0.25],
            Preset::Leaves => [0.29, 0.37, 0.20],
            Preset::Wall => [0.83, 0.78, 0.68],
            Preset::Roof => [0.55, 0.29, 0.20],
            Preset::Wax => [0.93, 0.89, 0.78],
            Preset::Gloss => [0.86, 0.74, 0.52],
            Preset::Metal => [0.78, 0.79, 0.80],
        };
        let given = self
            .color
            .as_deref()
            .and_then(|color| hex(color, "color").ok());
        given.unwrap_or(usual)
    }

    /// Opacity stops `[density, opacity]` (both 0–1) of the material in the plain styles: those
    /// that the scene gives, else those of the preset.
    pub fn plain_opacity(&self) -> &[[f32; 2]] {
        // Chosen by eye.
        const WATER: [[f32; 2]; 3] = [[0.02, 0.0], [0.5, 0.05], [1.0, 0.08]];
        const STEAM: [[f32; 2]; 3] = [[0.02, 0.0], [0.5, 0.06], [1.0, 0.12]];
        const ICE: [[f32; 2]; 3] = [[0.02, 0.0], [0.5, 0.25], [1.0, 0.5]];
        const SOLID: [[f32; 2]; 3] = [[0.05, 0.0], [0.5, 0.6], [1.0, 0.95]];
        match (&self.opacity, self.preset) {
            (Some(stops), _) => stops,
            (None, Preset::Water) => &WATER,
            (None, Preset::Steam) => &STEAM,
            (None, Preset::Ice) => &ICE,
            (None, _) => &SOLID,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_material_may_give_any_part() {
        let look: MaterialLook = toml::from_str("preset = 'water'\ndepth = 2").expect("valid");
        assert_eq!(
            look,
            MaterialLook {
                depth: 2.0,
                ..MaterialLook::default()
            }
        );
        let look: MaterialLook =
            toml::from_str("color = '#204060'\nopacity = [[0, 0], [1, 0.5]]").expect("valid");
        assert_eq!(look.validate("look"), Ok(()));
        assert_eq!(look.opacity, Some(vec![[0.0, 0.0], [1.0, 0.5]]));
        assert!(toml::from_str::<MaterialLook>("opacity = [[0, 0, 0]]").is_err());
        assert!(toml::from_str::<MaterialLook>("preset = 'jelly'").is_err());
        let look: MaterialLook = toml::from_str("preset = 'rubble'").expect("valid");
        assert_eq!(look, MaterialLook::from_preset(Preset::Rubble));
        assert!(toml::from_str::<MaterialLook>("shine = 1").is_err());
    }

    #[test]
    fn a_written_look_reads_as_itself() {
        let given = MaterialLook {
            color: Some("#204060".into()),
            ..MaterialLook::default()
        };
        for look in Preset::ALL
            .map(MaterialLook::from_preset)
            .into_iter()
            .chain([given])
        {
            let text = toml::to_string(&look).expect("a look is a table");
            assert_eq!(toml::from_str::<MaterialLook>(&text), Ok(look), "{text}");
        }
    }

    #[test]
    fn errors_name_the_key() {
        let key = |look: MaterialLook| {
            look.validate("material.sea.look")
                .map_err(|error| error.key)
        };
        let usual = MaterialLook::default;
        assert_eq!(
            key(MaterialLook {
                depth: f32::NAN,
                ..usual()
            }),
            Err("material.sea.look.depth".into())
        );
        assert_eq!(
            key(MaterialLook {
                clear: 1.1,
                ..usual()
            }),
            Err("material.sea.look.clear".into())
        );
        assert_eq!(
            key(MaterialLook {
                waves: -1.0,
                ..usual()
            }),
            Err("material.sea.look.waves".into())
        );
        assert_eq!(
            key(MaterialLook {
                color: Some("blue".into()),
                ..usual()
            }),
            Err("material.sea.look.color".into())
        );
        let opacity = Some(vec![[0.5, 0.1], [0.5, 0.2]]);
        assert_eq!(
            key(MaterialLook { opacity, ..usual() }),
            Err("material.sea.look.opacity".into())
        );
        assert_eq!(key(usual()), Ok(()));
    }
}
