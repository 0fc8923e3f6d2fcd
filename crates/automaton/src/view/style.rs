//! Rendering styles in a single list, from which flags, scenes, panel, keys and help take names and
//! texts, and shaders take style numbers.

use serde::{Deserialize, Serialize};

/// Declares the styles: the name, a description in a few words, and the help text of its key.
macro_rules! styles {
    ($($(#[$doc:meta])* $style:ident = $word:literal, $what:literal, $hint:literal;)*) => {
        /// Way of turning the volume into light. All styles but the first are plain: even light, no
        /// bloom, colours as in the palette.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Style {
            $($(#[$doc])* #[serde(rename = $word)] $style,)*
        }

        impl Style {
            /// All styles, in the order of their declaration.
            pub const LIST: &'static [Self] = &[$(Self::$style),*];

            /// Name in flags and scenes.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$style => $word,)*
                }
            }

            /// Description in a few words.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Self::$style => $what,)*
                }
            }

            /// Help text of the key that selects the style.
            pub const fn of_key(self) -> &'static str {
                match self {
                    $(Self::$style => concat!("view ", $word, ": ", $hint),)*
                }
            }
        }
    };
}

styles! {
    /// Refined lava surface with crust and glow, sun, sky, bloom and a filmic tone map.
    #[default]
    Cinematic = "cinematic", "Crust, glow, sun and sky", "crust, glow, sun and sky";
    /// Emission and absorption through the transfer function.
    Scientific = "scientific", "See-through, colours from the palette", "see-through";
    /// Surface of density [`LookSpec::iso`](super::LookSpec::iso), in the colour of the lava one
    /// cell below.
    Surface = "surface", "A plain surface, coloured by what lies under it", "one amount, plainly lit";
    /// Largest value on each ray, over dimmed ground.
    Maximum = "maximum", "The largest value on every line of sight", "the largest value on each ray";
}
