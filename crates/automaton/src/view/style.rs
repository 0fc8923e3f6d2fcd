//! List of the rendering styles. Names and texts of flags, scenes, panel, keys and help, and the
//! style numbers in shaders come from this list.

use serde::{Deserialize, Serialize};

/// Declares the rendering styles. Each has a name, a short description for users, and the end of
/// the help text of the keyboard shortcut that selects it.
macro_rules! styles {
    ($($(#[$doc:meta])* $style:ident = $word:literal, $what:literal, $hint:literal;)*) => {
        /// Rendering style: the way in which the contents of the simulation box become a picture.
        /// All styles but cinematic and print are plain: even light, no bloom, and colours exactly as
        /// in the palette.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Style {
            $($(#[$doc])* #[serde(rename = $word)] $style,)*
        }

        impl Style {
            /// All styles in the order of their declaration.
            pub const LIST: &'static [Self] = &[$(Self::$style),*];

            /// Name of the style in command-line flags and scenes.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$style => $word,)*
                }
            }

            /// Style in which a picture is drawn at once: that of a print is cinematic until its
            /// light is traced.
            pub const fn at_once(self) -> Self {
                match self {
                    Self::Print => Self::Cinematic,
                    other => other,
                }
            }

            /// Short description of the style for users.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Self::$style => $what,)*
                }
            }

            /// Help text of the keyboard shortcut that selects the style.
            pub const fn of_key(self) -> &'static str {
                match self {
                    $(Self::$style => concat!("view ", $word, ": ", $hint),)*
                }
            }
        }
    };
}

styles! {
    /// Realistic picture: lava surface with crust and glow, sun, sky, bloom and a filmic tone map.
    #[default]
    Cinematic = "cinematic", "Crust, glow, sun and sky", "crust, glow, sun and sky";
    /// See-through volume: emission and absorption along each ray, by the palette and the opacity
    /// stops.
    Scientific = "scientific", "See-through, colours from the palette", "see-through";
    /// Surface where the amount equals [`LookSpec::iso`](super::LookSpec::iso), in the palette's
    /// colour for the lava one cell below the surface.
    Surface = "surface", "A plain surface, coloured by what lies under it", "one amount, plainly lit";
    /// Largest value along each ray, drawn over the dimmed ground.
    Maximum = "maximum", "The largest value on every line of sight", "the largest value on each ray";
    /// Still by path tracing: refraction, light from matter to matter, many scatterings in clouds.
    /// Drawn as cinematic where a picture must be there at once.
    Print = "print", "Traced light for stills: takes minutes", "as cinematic, traced when rendered";
}
