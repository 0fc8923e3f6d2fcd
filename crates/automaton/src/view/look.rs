//! Look of a picture, as written in a scene file under `look`.

use serde::{Deserialize, Serialize};

use lavoxel_base::measure::CellMeasure;
use lavoxel_base::param::{Table, Value, table, words};
use lavoxel_base::units::ENERGY_SHOWN;
use lavoxel_base::validate::{Invalid, within};

use super::color_by;
use super::drape::Drape;
use super::palette::{PaletteSpec, hex};
use super::style::Style;

/// Time of day, which decides the light and the sky of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SkyPreset {
    /// Low, warm sun and blue shadows; the lava is the brightest object in the picture.
    #[default]
    Dusk,
    /// High, white sun; the lava hardly lights the rock around it.
    Day,
    /// Moonlight; most light comes from the lava.
    Night,
}

/// Scenery that the picture shows around the simulation box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surroundings {
    /// Sky above and below: the simulation box floats in the air.
    #[default]
    Sky,
    /// Bare land to the horizon, on which the simulation box stands.
    Land,
    /// Dark table in a photo studio with lamps; the ground of the simulation box looks like smooth
    /// stone.
    Table,
    /// Sea: the water at the sides of the simulation box continues to the horizon, and the land
    /// around the box slopes down into the sea. Equals `Sky` if there is no water at the sides.
    Sea,
}

/// Antialiasing: choice of the pixels for which more than one ray is traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Antialias {
    /// One ray per pixel.
    Off,
    /// One ray per pixel, and four additional rays for each pixel that differs visibly from a
    /// neighbour.
    #[default]
    Edges,
    /// Four rays for each pixel.
    Full,
}

words!(Style, SkyPreset, Surroundings, Antialias);

table! {
    /// Look of pictures: all settings except the camera. All keys have defaults.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct LookSpec {
        /// Style of the picture: `"cinematic"`, `"print"` (traced light, for stills), or plain:
        /// `"scientific"`, `"surface"` or `"maximum"`.
        pub style: Style = Style::Cinematic;
        /// Part of the box that is drawn, as shares `[low, high]` along x, y and z; ground and lava
        /// are cut open at its faces. Light, shadow and patterns do not change.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::lists")]
        pub clip: [[f32; 2]; 3] = [[0.0, 1.0]; 3], [0.0, 1.0] "shares";
        /// Palette of the plain styles: a name (`inferno`, `viridis`, `turbo`, `gray`, `lava`) or a
        /// list of stops.
        pub palette: PaletteSpec = PaletteSpec::Name("lava".into());
        /// Quantity of the lava that the palette of the plain styles shows: `"amount"` or
        /// `"specific-energy"`; older scenes write `"density"` or `"energy"`.
        #[serde(with = "super::color_by")]
        pub color_by: CellMeasure = CellMeasure::Amount;
        /// Opacity of the lava in the style scientific, as stops `[density, opacity]` with rising
        /// density; opacity is the share of light that one cell's length absorbs. In the style
        /// maximum, lava is visible from the density at which the opacity is a quarter of the
        /// largest.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::many")]
        pub opacity: Vec<[f32; 2]> = vec![[0.02, 0.0], [0.1, 0.3], [0.4, 0.75], [1.0, 0.97]], [0.0, 1.0] "";
        /// Exposure; each stop doubles the brightness of the picture. Cinematic style only.
        pub exposure: f32 = 0.0, [-10.0, 10.0] "stops";
        /// Strength of the bloom around bright lava, 0 none, 1 usual. Cinematic style only.
        pub glow: f32 = 1.0, [0.0, 10.0] "";
        /// Strength of the heat haze over bright lava, 0 none, 1 usual. Cinematic style only.
        pub shimmer: f32 = 1.0, [0.0, 10.0] "";
        /// Strength of the light that lava throws on rock, 0 none, 1 usual. Cinematic style only.
        pub lava_light: f32 = 1.0, [0.0, 10.0] "";
        /// Strength of the dark crust on the lava, 0 none, 1 usual, 2 nearly closed. Cinematic
        /// style only.
        pub crust: f32 = 1.0, [0.0, 3.0] "";
        /// Width of the crust's plates; absent: 2.8 % of the box's longer side. Cinematic style
        /// only.
        pub plate_size: Option<f32> = None, [0.5, 1000.0] "cells";
        /// Abundance of the incandescent clots that vents of lava throw in the classic model, 0
        /// none, 1 usual. They are only drawn, by the rate of the vent and the number of the step,
        /// and not simulated. Cinematic style only.
        pub sparks: f32 = 1.0, [0.0, 1.0] "";
        /// A flame, such as that of a candle: `[x, y, z, height]`, its foot and its height. It is
        /// only drawn and heats nothing. Cinematic style only.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        pub flame: Option<[f32; 4]> = None, [-1e4, 1e5] "cells";
        /// Distance that the pattern of the crust moves down steep, hot lava in one step; 0 fixes
        /// it to the ground. This motion is only drawn: the cells hold no velocities. Cinematic
        /// style only.
        pub drift: f32 = 0.02, [0.0, 10.0] "cells";
        /// Smoothed amount at which the lava's surface is drawn. Only in the styles cinematic and
        /// surface.
        pub iso: f32 = 0.42, [0.02, 0.98] "amount";
        /// Amount below which liquid is not drawn at all, at most `iso`; liquid between `film` and
        /// `iso` is drawn as a film on the rock. Cinematic style only.
        pub film: f32 = 0.07, [0.0, 0.98] "amount";
        /// Energy per unit of amount at which lava looks cold (first value: closed crust) and hot
        /// (second value: open and brightest). 1 is the energy per unit of amount of fresh lava
        /// from a vent. Cinematic style only.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub heat: [f32; 2] = [0.5, 1.25], [0.0, 100.0] "";
        /// Temperatures of lava with an energy per unit of amount of 0 and of 1: lava glows as a
        /// black body by them, and colour bars show them. Absent: in the physical model those of
        /// its lava; in the classic model none, and lava has colours of its own.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        pub kelvin: Option<[f32; 2]> = None, [0.0, 5000.0] "K";
        /// Additional smoothing of the drawn surface: radius of a Gaussian filter, 0 none. Only in
        /// the styles cinematic and surface.
        pub smoothing: f32 = 0.0, [0.0, 3.0] "cells";
        /// Time of day, which sets sky and light: `"dusk"`, `"day"` or `"night"`.
        pub sky: SkyPreset = SkyPreset::Dusk;
        /// Surroundings of the box: `"sky"`, `"table"`, `"land"` (the ground of the box continues)
        /// or `"sea"` (water at the sides of the box continues). Cinematic style only.
        pub surroundings: Surroundings = Surroundings::Sky;
        /// Share of the sky that clouds cover, 0 none, 1 overcast; with the surroundings `"table"`
        /// there are no clouds. Cinematic style only.
        pub clouds: f32 = 0.55, [0.0, 1.0] "";
        /// Compass direction from which the sun shines: 0 north, 90 east.
        pub sun_azimuth_deg: f32 = 236.0, [-3600.0, 3600.0] "°";
        /// Angle of the sun above the horizon; absent: that of the time of day in `sky`.
        pub sun_elevation_deg: Option<f32> = None, [1.0, 90.0] "°";
        /// Strength of the haze between camera and rock, 0 none, 1 usual. Cinematic style only.
        pub haze: f32 = 1.0, [0.0, 10.0] "";
        /// Distance between samples along a ray from the camera: smaller is finer and slower.
        pub step: f32 = 0.5, [0.05, 2.0] "cells";
        /// Antialiasing, by more than one ray for a pixel: `"off"`, only at visible `"edges"`, or
        /// `"full"` in every pixel.
        pub antialias: Antialias = Antialias::Edges;
        /// Look of ash and steam in the air. Cinematic style only.
        pub air: AirLook = AirLook::default();
        ..
        /// Height of a cell divided by its width, used for light and shadow. The scene sets it; no
        /// key of a file does.
        pub cell_height: f32 = 1.0;
        ..
        /// Image over the ground in place of the rock's own colours; `None`: no image. The terrain
        /// of the scene names the file.
        pub drape: Option<Drape> = None;
    }
}

table! {
    /// Look of ash and steam in the air, as written in a scene file under `look.air`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct AirLook {
        /// Extinction of light by ash and water drops: area that a kilogram of either shades.
        pub extinction_m2_kg: f32 = 200.0, [0.0, 1e5] "m²/kg";
        /// Albedo of ash: share of the light meeting it that it scatters, as linear RGB. Water
        /// drops are white.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub albedo: [f32; 3] = [0.46, 0.42, 0.40], [0.0, 1.0] "shares";
        /// Colours of the inks of the air, such as `"#d8392f"`, in the order of the inks; inks mix
        /// as pigments do.
        pub inks: Vec<String> = AirLook::usual_inks(), [f64::NEG_INFINITY, f64::INFINITY] "";
        /// Strength of the billows that are drawn finer than the cells of the air, 0 none, 1
        /// strong.
        pub detail: f32 = 0.5, [0.0, 1.0] "";
        /// Self-shadowing: smoke hides the sun from what lies behind it.
        pub self_shadow: bool = true;
        /// Strength of the light that lava throws on smoke, 0 none, 1 usual.
        pub glow: f32 = 1.0, [0.0, 10.0] "";
    }
}

impl AirLook {
    /// Default colours of the four inks of the air: red, blue, yellow and green, as `#rrggbb`.
    fn usual_inks() -> Vec<String> {
        ["#d8392f", "#2f62c9", "#e8c33a", "#3a9a4e"]
            .map(str::to_owned)
            .to_vec()
    }

    /// Colours of the four inks of the air as linear RGB, 0–1; default colours where the scene
    /// gives none.
    pub fn ink_colors(&self) -> [[f32; 3]; 4] {
        let usual = Self::usual_inks();
        std::array::from_fn(|k| {
            let color = self.inks.get(k).unwrap_or(&usual[k]);
            hex(color, "look.air.inks")
                .map_or([1.0; 3], |color| color.map(super::palette::srgb_to_linear))
        })
    }
}

impl LookSpec {
    /// Energy per unit of amount at the upper end of the palette, where 1 is the ratio in lava
    /// fresh from the vent: 1 if the colours stand for temperatures (`kelvin`), else 2.
    pub fn energy_shown(&self) -> f32 {
        if self.kelvin.is_some() {
            1.0
        } else {
            ENERGY_SHOWN
        }
    }

    /// Checks every value of the look; errors name the key as `look.…`.
    ///
    /// # Errors
    /// Returns an error that names the first key with a wrong value.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.palette.build("look.palette")?;
        color_by::validate(self.color_by)?;
        validate_opacity("look.opacity", &self.opacity)?;
        self.validate_clip()?;
        self.check("look")?;
        within("look.film", self.film.number(), 0.0, self.iso.number())?;
        let rises = |key: &str, [low, high]: [f32; 2], most| {
            within(
                &format!("look.{key}"),
                high.number(),
                f64::from(low) + 1e-3,
                most,
            )
        };
        rises("heat", self.heat, 100.0)?;
        self.kelvin
            .map_or(Ok(()), |kelvin| rises("kelvin", kelvin, 5000.0))?;
        within(
            "height of a cell in its widths",
            self.cell_height.into(),
            1e-6,
            1e6,
        )?;
        let most = AirLook::usual_inks().len();
        if self.air.inks.len() > most {
            let found = format!("{} colours", self.air.inks.len());
            return Err(Invalid::new(
                "look.air.inks",
                found,
                format!("at most {most} colours, one for each ink"),
            ));
        }
        self.air
            .inks
            .iter()
            .try_for_each(|color| hex(color, "look.air.inks").map(drop))?;
        self.air.check("look.air")
    }

    fn validate_clip(&self) -> Result<(), Invalid> {
        let whole = |[low, high]: &[f32; 2]| *low >= 0.0 && low < high && *high <= 1.0;
        match self.clip.iter().find(|shares| !whole(shares)) {
            Some(shares) => Err(Invalid::new(
                "look.clip",
                format!("{shares:?}"),
                "[low, high] with 0 <= low < high <= 1",
            )),
            None => Ok(()),
        }
    }
}

/// Checks a list of opacity stops `[density, opacity]`: at least one, values from 0 to 1, rising
/// densities; `key` is the name of the key in messages.
pub(super) fn validate_opacity(key: &str, stops: &[[f32; 2]]) -> Result<(), Invalid> {
    if stops.is_empty() {
        return Err(Invalid::new(
            key,
            "[]",
            "at least one [density, opacity] stop",
        ));
    }
    for stop in stops {
        within(key, stop[0].into(), 0.0, 1.0)?;
        within(key, stop[1].into(), 0.0, 1.0)?;
    }
    match stops.windows(2).find(|pair| pair[0][0] >= pair[1][0]) {
        Some(pair) => Err(Invalid::new(
            key,
            pair[1][0],
            "densities that rise from stop to stop",
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_wrong_keys_are_refused() {
        assert_eq!(LookSpec::default().validate(), Ok(()));
        assert!(toml::from_str::<LookSpec>("glowing = 1").is_err());
    }

    #[test]
    fn a_scene_file_may_give_any_part() {
        let look: LookSpec =
            toml::from_str("style = 'scientific'\npalette = 'viridis'\nsky = 'night'")
                .expect("valid");
        assert_eq!(
            (look.style, look.sky),
            (Style::Scientific, SkyPreset::Night)
        );
        let stops = "palette = [{ at = 0.0, color = '#000000' }, { at = 1.0, color = '#ffffff' }]";
        assert!(
            toml::from_str::<LookSpec>(stops)
                .expect("valid")
                .validate()
                .is_ok()
        );
    }

    #[test]
    fn a_clip_is_a_box_inside_the_box() {
        for wrong in [
            [0.5, 0.5],
            [-0.1, 1.0],
            [0.0, 1.01],
            [0.7, 0.2],
            [f32::NAN, 1.0],
            [0.0, f32::NAN],
        ] {
            let look = LookSpec {
                clip: [[0.0, 1.0], wrong, [0.2, 0.4]],
                ..LookSpec::default()
            };
            assert_eq!(
                look.validate().map_err(|e| e.key),
                Err("look.clip".to_owned()),
                "{wrong:?}"
            );
        }
        let look: LookSpec =
            toml::from_str("clip = [[0.25, 0.5], [0, 1], [0, 0.001]]").expect("valid");
        assert_eq!(look.validate(), Ok(()));
    }

    #[test]
    fn opacity_stops_must_rise() {
        let look = LookSpec {
            opacity: vec![[0.5, 0.1], [0.5, 0.2]],
            ..LookSpec::default()
        };
        assert_eq!(
            look.validate().map_err(|e| e.key),
            Err("look.opacity".to_owned())
        );
    }
}
