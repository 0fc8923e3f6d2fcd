//! WGSL source generated from Rust: structs of shader parameters, constants for enum variants, and
//! constants that both painters (graphics card and processor) use.
//!
//! Invariant: each constant is written once, in Rust; tests reject a second declaration in a
//! shader.

use super::caves;
use super::frame::{Frame, SmokeNumbers};
use super::stage;
use crate::changes;
use lavoxel_automaton::view::{Preset, Style};
use lavoxel_base::simd;
use lavoxel_base::units;
use lavoxel_render::ground::{floor, heightfield, land, lava_glow, sky};
use lavoxel_render::lava::{age, blackbody, crust, plates, sparks};
use lavoxel_render::math::V3;
use lavoxel_render::media::{
    billows, built, clear, flame, fog, grains, haze, hit, ice, leaves, pass, plume, sea, smoke,
    smooth, solid, steam, transmittance, water,
};
use lavoxel_render::style::{cinematic, plain, transfer};
use lavoxel_render::volume::field;
use lavoxel_render::{contents, film, mask};

/// Type of a field in a struct of shader parameters, with its WGSL name.
pub(super) trait Typed {
    /// Returns the WGSL name of the type, such as `vec4<f32>`.
    fn name() -> String;
}

impl Typed for [f32; 4] {
    fn name() -> String {
        "vec4<f32>".to_owned()
    }
}

impl Typed for [u32; 4] {
    fn name() -> String {
        "vec4<u32>".to_owned()
    }
}

impl<T: Typed, const N: usize> Typed for [T; N] {
    fn name() -> String {
        format!("array<{}, {N}>", T::name())
    }
}

/// Macro that declares the parameters that a shader reads from one buffer: a Rust struct, and a
/// function that returns the WGSL struct with the same fields.
macro_rules! numbers {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        $vis struct $name {
            $($(#[$doc])* $field: $type,)*
        }

        impl $name {
            /// Returns the declaration of this struct in WGSL.
            pub(super) fn wgsl() -> String {
                use $crate::gpu::wgsl::Typed;
                let fields = [$(format!("    {}: {},\n", stringify!($field), <$type as Typed>::name())),*];
                format!("struct {} {{\n{}}}\n", stringify!($name), fields.concat())
            }
        }

        impl $crate::gpu::wgsl::Typed for $name {
            fn name() -> String {
                stringify!($name).to_owned()
            }
        }
    };
}

pub(super) use numbers;

/// Value that can be written as a WGSL constant.
trait Literal {
    fn text(&self) -> String;
}

/// Macro that implements `Literal` for number types, whose WGSL text has no type suffix.
macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Literal for $type {
            fn text(&self) -> String {
                format!("{self:?}")
            }
        }
    )*};
}

plain!(f32 i32 u16 u32 usize);

impl Literal for V3 {
    fn text(&self) -> String {
        [self.x, self.y, self.z].text()
    }
}

impl<const N: usize> Literal for [f32; N] {
    fn text(&self) -> String {
        made_of(&format!("vec{N}<f32>"), self)
    }
}

impl<const N: usize> Literal for [u32; N] {
    fn text(&self) -> String {
        made_of(&format!("vec{N}<u32>"), self)
    }
}

impl<const N: usize> Literal for [[f32; 2]; N] {
    fn text(&self) -> String {
        made_of(&format!("array<vec2<f32>, {N}>"), self)
    }
}

impl<const N: usize> Literal for [[f32; 4]; N] {
    fn text(&self) -> String {
        made_of(&format!("array<vec4<f32>, {N}>"), self)
    }
}

impl Literal for smooth::Shine {
    fn text(&self) -> String {
        let Self {
            soft,
            matt,
            mirrors,
            is_tinted,
            clear,
            glint: (power, strength),
            uneven,
            softer,
        } = self;
        let numbers = [
            soft.wrap,
            soft.bleeds,
            *matt,
            *mirrors,
            *clear,
            *power as f32,
            *strength,
            *uneven,
            *softer,
        ];
        format!(
            "Shine({is_tinted}, {})",
            numbers.map(|number| number.text()).join(", ")
        )
    }
}

/// Returns the WGSL expression that constructs a value of the WGSL type `name` from its components
/// `parts`.
fn made_of(name: &str, parts: &[impl Literal]) -> String {
    let parts: Vec<String> = parts.iter().map(Literal::text).collect();
    format!("{name}({})", parts.join(", "))
}

/// Macro that lists constants as (WGSL name, WGSL expression); each line gives the WGSL name and a
/// Rust expression.
macro_rules! constants {
    ($($name:ident = $value:expr;)*) => {
        [$((stringify!($name), ($value).text())),*]
    };
}

/// Returns the WGSL constants of the film shader that have the same values as in
/// [`lavoxel_render::film`].
pub(super) fn of_film() -> String {
    written(&constants! {
        MASK_SIDE = mask::SIDE;
        BLOCK_OF_LIGHT = film::BLOCK;
        THRESHOLD = film::THRESHOLD;
        BRIGHTEST = film::BRIGHTEST;
        BLOOM_SHARES = film::SHARES;
        BURNS = film::BURNS;
        BURNT = film::BURNT;
        MOVES = film::MOVES;
        ABOVE = film::ABOVE;
        WAVES = film::WAVES;
        HEATS = film::HEATS;
        WHITE = film::WHITE;
        GLOWS = film::GLOWS;
    })
}

/// Returns the WGSL declarations that the shaders of a scene share: parameter structs, enum
/// constants and numeric constants.
pub(super) fn of_scene() -> String {
    [
        SmokeNumbers::wgsl(),
        Frame::wgsl(),
        choices(),
        SHINE.to_owned(),
        shared(),
    ]
    .concat()
}

/// WGSL struct for the reflection of a smooth material; fields as in [`smooth::Shine`].
const SHINE: &str = "struct Shine { tinted: bool, wrap: f32, bleeds: f32, matt: f32, mirrors: f32, clear: f32, power: f32, \
                     strength: f32, uneven: f32, softer: f32 }\n";

/// Returns WGSL constants for all styles and material presets; the value of each is the number of
/// the enum variant.
fn choices() -> String {
    let styles = Style::LIST
        .iter()
        .map(|style| (format!("{style:?}"), format!("{}u", *style as u32)));
    let presets = Preset::ALL.iter().map(|preset| {
        (
            format!("{preset:?}"),
            format!("{:?}", *preset as u32 as f32),
        )
    });
    styles
        .chain(presets)
        .map(|(name, value)| format!("const {} = {value};\n", name.to_uppercase()))
        .collect()
}

fn shared() -> String {
    // WGSL has no modules: a prefix stands for the Rust module.
    written(&constants! {
        MASK_SIDE = mask::SIDE;
        BRICK = changes::BRICK as f32;
        ENERGY_SHOWN = units::ENERGY_SHOWN;
        COLDEST = stage::COLDEST;
        HOTTEST = stage::HOTTEST;
        CAVES_HEAD = caves::HEAD;
        NEAR_TOP = heightfield::NEAR;
        DRAWN_TOP = heightfield::DRAWN;
        CAVE_PIECES = heightfield::PIECES;
        CAVE_HALVINGS = heightfield::HALVINGS;
        HOLLOW_OPEN = heightfield::HOLLOW_OPEN;
        HOLLOW_STEP = heightfield::HOLLOW_STEP;
        HOLLOW_HALVINGS = heightfield::HOLLOW_HALVINGS;
        HOLLOW_SLOPE = heightfield::HOLLOW_SLOPE;
        OPEN_RAYS = land::OPEN_RAYS;
        OPEN_RAYS_COUNT = land::OPEN_RAYS.len();
        OPEN_FAR = land::OPEN_FAR;
        OPEN_HAIR = land::OPEN_HAIR;
        PLAIN_REACH = land::PLAIN;
        BROADER_GRAIN = land::BROADER;
        RUGGED = land::RUGGED;
        HASH = simd::HASH;
        ROUNDS = simd::ROUNDS;
        REFINEMENTS = field::REFINEMENTS;
        NEAR_A_SURFACE = field::NEAR * clear::ISO;
        OPAQUE_LAYER = transfer::OPAQUE;
        SOLID_VALUE = plain::SOLID;
        LARGEST = plain::LARGEST;
        DIMMED = plain::DIMMED;
        DEPTH_SHOWN = plain::DEPTH;
        CUT_ROCK = contents::CUT_ROCK;
        STONE = land::surface::STONE;
        FLOOR_FAR = floor::FAR;
        FLOOR_FIELDS = floor::FIELDS;
        PLAIN_ROLLS = floor::ROLLS;
        PLAIN_OCTAVES = floor::OCTAVES;
        PLAIN_AHEAD = floor::AHEAD;
        PLAIN_PIXELS = floor::PIXELS;
        PLAIN_FLAT = floor::FLAT;
        PLAIN_STEEP = floor::STEEP;
        PLAIN_HOLLOW = floor::HOLLOW;
        PLAIN_LOAM = floor::LOAM;
        PLAIN_BARE = floor::BARE;
        SLATE = floor::SLATE;
        UNLIT = floor::UNLIT;
        POOL = floor::POOL;
        POLISH = floor::POLISH;
        SHOWN_IN_TABLE = floor::SHOWN;
        BACKDROP_DEEP = sky::DEEP;
        BACKDROP_BENT = sky::BENT;
        CLOUD_LAYER = sky::LAYER;
        CLOUD_BEGIN = sky::BEGIN;
        CLOUD_DENSE = sky::DENSE;
        CLOUD_TOWARD = sky::TOWARD;
        CLOUD_SHADES = sky::SHADES;
        CLOUD_LIT = sky::LIT;
        CLOUD_SEEN = sky::SEEN;
        CLOUD_BESIDE = sky::BESIDE;
        SKY_OUT = sky::OUT;
        STARS = sky::STARS;
        STAR = sky::STAR;
        HILL_CRESTS = sky::CRESTS;
        HILL_WAVES = sky::WAVES;
        HILLS_THROUGH = sky::THROUGH;
        HILL_RIDGES = sky::RIDGES;
        HILLS_RIDGED = sky::RIDGED;
        HILL_DARK = sky::DARK;
        EMBER_KELVIN = lava_glow::KELVIN;
        EMBER_STRENGTH = lava_glow::STRENGTH;
        EMBER_STEEPER = lava_glow::STEEPER;
        EMBER_ASIDE = lava_glow::ASIDE;
        EMBER_GLOSS = lava_glow::GLOSS as f32;
        EMBER_HIGH = lava_glow::HIGH;
        EMBER_BEYOND = lava_glow::BEYOND;
        GLOWS = blackbody::GLOWS;
        AGES = age::AGES;
        CRACKS = age::CRACKS;
        SHINES = crust::SHINES;
        DULL = crust::DULL;
        DULLED = crust::DULLED;
        CHILLED = crust::CHILLED;
        BEDDED = crust::BEDDED;
        COLDER = crust::COLDER;
        SHEETS = crust::SHEETS;
        KNOWN = crust::KNOWN;
        UNDER_CRUST = crust::UNDER;
        LIQUID = crust::LIQUID;
        OPEN_COLD = crust::OPEN_COLD;
        OPEN_HOT = crust::OPEN_HOT;
        OPENS = crust::OPENS;
        AT_MARGIN = crust::AT_MARGIN;
        LAVA_STREAKS = crust::STREAKS;
        BETWEEN = crust::BETWEEN;
        CLOSED_K = crust::CLOSED_K;
        OPEN_K = crust::OPEN_K;
        CRACK_K = crust::CRACK_K;
        ROOF_THICK = crust::ROOF_THICK;
        CUT_ROOF = crust::ROOF;
        ROOF_RAGGED = crust::ROOF_RAGGED;
        ROOF_GRAINS = crust::ROOF_GRAINS;
        ROOF_TINT = crust::ROOF_TINT;
        ROOFED = crust::ROOFED;
        SKINNED = crust::SKINNED;
        OWN_LIGHT = crust::LIT;
        SHEEN = crust::SHEEN;
        LAVA_BRIGHT = crust::BRIGHT;
        RIDE = plates::RIDE;
        ALONG = plates::ALONG;
        SHEAR = plates::SHEAR;
        SHEARED = plates::SHEARED;
        LEVELLED = plates::LEVELLED;
        DOMED = plates::DOMED;
        SLOW_OPENS = plates::SLOW_OPENS;
        FAST_OPENS = plates::FAST_OPENS;
        FAST = plates::FAST;
        BOILS = plates::BOILS;
        DRAWN = plates::DRAWN;
        GENTLE = plates::GENTLE;
        STRAIN = plates::STRAIN;
        LAVA_RAGGED = plates::RAGGED;
        BOND = plates::BOND;
        HOLDS = plates::HOLDS;
        FINE = plates::FINE;
        WIDE = plates::WIDE;
        SHUT = plates::SHUT;
        TORN = plates::TORN;
        CORE = plates::CORE;
        CRACK_SOFT = plates::SOFT;
        RAFT = plates::RAFT;
        PLATE_BENDS = plates::BENDS;
        FINER = plates::FINER;
        FLOES = plates::FLOES;
        SKIN = plates::SKIN;
        DIM = plates::DIM;
        SKINNY = plates::SKINNY;
        LAVA_ROUGH = plates::ROUGH;
        FOLDS = plates::FOLDS;
        BENT = plates::BENT;
        FOLDED = plates::FOLDED;
        OPEN_FOLDS = plates::OPEN_FOLDS;
        GRAINY = plates::GRAINY;
        BLOCKS = plates::BLOCKS;
        FILM_SEEN = transfer::FILM;
        COATED = solid::COATED;
        PALE = cinematic::PALE;
        STONES = cinematic::STONES;
        OFF_SIDE = cinematic::OFF_SIDE;
        STONES_CUT = cinematic::STONES_CUT;
        STONES_SIZES = cinematic::STONES_SIZES;
        STONES_DARKEST = cinematic::STONES_DARKEST;
        STONES_COUNT = cinematic::STONES_SIZES.len();
        STONES_LESS = cinematic::STONES_LESS;
        STONES_FIELDS = cinematic::STONES_FIELDS;
        STONES_EAST = cinematic::ACROSS[0];
        STONES_UP = cinematic::ACROSS[1];
        STONES_SOUTH = cinematic::ACROSS[2];
        STONES_SEEN = cinematic::STONES_SEEN;
        STONES_TILT = cinematic::STONES_TILT;
        STONES_TONE = cinematic::STONES_TONE;
        GLOWING_KEPT = cinematic::GLOWING;
        FRONT_HIDES = cinematic::FRONT;
        SWELLS = cinematic::SWELLS;
        SHED = cinematic::SHED;
        SHED_SEAM = cinematic::SEAM;
        SHED_ROUND = cinematic::ROUNDED;
        LOOSE = cinematic::LOOSE;
        STRAY = cinematic::STRAY;
        SURFACE_OF_MEDIA = clear::ISO;
        LEAST_OF_MEDIA = clear::LEAST;
        TURN = pass::TURN;
        CLOSED = transmittance::CLOSED;
        DROP = water::DROP;
        LIES = water::LIES;
        SUBMERGED = water::SUBMERGED;
        WATER_STRAIGHT = water::STRAIGHT;
        SUN_MIRRORED = water::SUN;
        SUN_NARROW = water::NARROW as f32;
        SUN_WIDER = water::WIDER;
        CHOP = water::CHOP;
        CHOPPY = water::CHOPPY;
        SMALLER = water::SMALLER;
        ROUGHEST = water::ROUGHEST;
        GUSTS = water::GUSTS;
        DEEPEST_SEA = sea::DEEPEST;
        SPARK_SAMPLES = sparks::SAMPLES as i32;
        SPARK_THINNEST = sparks::THINNEST;
        SPARK_HIDES = sparks::HIDES;
        SPARK_SEEN = sparks::SEEN;
        SPARK_TAIL = sparks::TAIL;
        SPARK_BRIGHT = sparks::BRIGHT;
        FLAME_SAMPLES = flame::SAMPLES;
        FLAME_REACH = flame::REACH;
        FLAME_WIDE = flame::WIDE;
        FLAME_FOOT = flame::FOOT;
        FLAME_BODY = flame::BODY;
        FLAME_TIP = flame::TIP;
        FLAME_BRIGHT = flame::BRIGHT;
        FLAME_LIGHT = flame::LIGHT;
        FLAME_LIT = flame::LIT;
        FLAME_INSIDE = flame::INSIDE;
        FLAME_ENTERS = flame::ENTERS;
        TILTED = water::TILTED;
        FADED = water::FADED;
        RIPPLES = water::RIPPLES;
        SWELL = water::SWELL;
        BREAKS = water::BREAKS;
        SWASH = water::SWASH;
        FOAM = water::FOAM;
        GATHERED = water::GATHERED;
        GATHERED_OF_SUN = water::GATHERED_OF_SUN;
        OF_DROP = water::OF_DROP;
        SPRAY = water::SPRAY;
        LAVA_MIRRORED = water::MIRRORED;
        WET = water::WET;
        PLACES_OVER = water::OVER.len();
        OVER = water::OVER.map(|(away, _)| away);
        LENGTHS_OVER = water::OVER.map(|(_, length)| length);
        UNDER_ROCK = water::UNDER_ROCK;
        ENDS_OVER = water::ENDS;
        UNDER = water::UNDER;
        SINKS = water::SINKS;
        SHAFTS = water::SHAFTS;
        SHAFTS_APART = water::APART;
        EDGE = water::EDGE;
        EDGE_ENDS = water::EDGE_ENDS;
        OPEN_OVER = water::OPEN_OVER;
        NET = water::NET;
        MESHES = water::MESHES;
        VEIL_OF_GRAINS = solid::VEIL;
        WETS = solid::WETS;
        REACH_OF_FILM = solid::REACH;
        LIP = solid::LIP;
        INSIDE_FILM = solid::INSIDE;
        ENDS_ON_GROUND = solid::ENDS_ON_GROUND;
        ENDS_ON_SOLID = solid::ENDS_ON_SOLID;
        DARKEST_GRAIN = grains::DARKEST;
        THIN = grains::THIN;
        THIN_ENDS = grains::THIN_ENDS;
        STREAKS = grains::STREAKS;
        FRAYED = grains::FRAYED;
        GRAINS_WRAP = grains::SOFT.wrap;
        WIND_RIPPLES = grains::RIPPLES;
        RIPPLES_STEEP = grains::STEEP;
        LEE = grains::LEE;
        CRESTS = grains::CRESTS;
        RIPPLES_SEEN = grains::RIPPLES_SEEN;
        BLOWN = grains::BLOWN;
        WIND = grains::WIND;
        RIPPLE_TURN = grains::TURN;
        BLOWN_GRAIN = grains::BLOWN_GRAIN;
        PLACES_TO_SUN = hit::TOWARD_SUN.len();
        TOWARD_SUN = hit::TOWARD_SUN.map(|(away, _)| away);
        LENGTHS_TO_SUN = hit::TOWARD_SUN.map(|(_, length)| length);
        COMES_THROUGH = hit::COMES_THROUGH;
        SHINING = solid::SHINING;
        ENTERS = hit::ENTERS;
        FARTHER_BY_COLOR = hit::FARTHER;
        FOOT_PLACES = solid::FOOT.len();
        FOOT_HEIGHTS = solid::FOOT.map(|(high, _)| high);
        FOOT_SHARES = solid::FOOT.map(|(_, share)| share);
        LEAF_BARE = leaves::BARE;
        LEAF_HELD = leaves::HELD;
        LEAF_DENSE = leaves::DENSE;
        LEAF_SIZES = leaves::SIZES;
        LEAF_RAISE = leaves::RAISE;
        LEAF_MEAN = leaves::MEAN;
        LEAF_STEP = leaves::STEP;
        LEAF_TILT = leaves::TILT;
        LEAF_ROUGH = leaves::ROUGH;
        LEAF_FLECKS = leaves::FLECKS;
        LEAF_NEEDLES = leaves::NEEDLES;
        LEAF_SEEN = leaves::SEEN;
        LEAF_WRAP = leaves::SOFT.wrap;
        LEAF_TIPS = leaves::TIPS;
        LEAF_OLD = leaves::OLD;
        LEAF_DRY = leaves::DRY;
        LEAF_GREEN = leaves::GREEN;
        LEAF_GAPS = leaves::GAPS;
        LEAF_DARK = leaves::DARK;
        LEAF_THROUGH = leaves::THROUGH;
        LEAF_ENTERS = leaves::ENTERS;
        LEAF_ASIDE = leaves::ASIDE;
        WALL_SHARP = built::SHARP;
        WALL_STONE = built::STONE;
        WALL_SOILED = built::SOILED;
        WALL_FOOT = built::FOOT;
        ROOF_TILE = built::TILE;
        BUILT_SIDE = built::SIDE;
        BUILT_NEAR = built::NEAR;
        BUILT_WIDE = built::WIDE;
        BUILT_BOTH = built::BOTH;
        BUILT_SEEN = built::SEEN;
        ICE_ABSORBS = ice::ABSORBS;
        ICE_COLOR = ice::COLOR;
        ICE_BENDS = ice::BENDS;
        ICE_DEEP = ice::DEEP;
        ICE_SAMPLES = ice::SAMPLES;
        ICE_WRAP = ice::SOFT.wrap;
        ICE_MIRRORS = ice::MIRRORS;
        ICE_WHITE = ice::WHITE;
        ICE_GLASSY = ice::GLASSY;
        ICE_CLEAR = ice::CLEAR;
        ICE_FILM = ice::FILM;
        ICE_TURBID = ice::TURBID;
        ICE_BEHIND = ice::BEHIND;
        ICE_LIFTED = ice::LIFTED;
        ICE_GATHERS = ice::GATHERS;
        ICE_LAYERS = ice::LAYERS;
        CRYSTALS = ice::CRYSTALS;
        ICE_TURNS = ice::TURNS;
        ICE_SHUT = ice::SHUT;
        ICE_EDGES = ice::EDGES;
        SHINE_OF_WAX = smooth::WAX;
        SHINE_OF_GLOSS = smooth::GLOSS;
        SHINE_OF_METAL = smooth::METAL;
        SKY_COLOR = smooth::SKY_COLOR;
        SEEN = smooth::SEEN;
        SEEN_OF_SUN = smooth::SEEN_OF_SUN;
        UNSEEN = smooth::UNSEEN;
        FACES = smooth::FACES;
        OFF_PLACE = smooth::OFF_PLACE;
        OXIDE = smooth::OXIDE;
        OXIDE_LEAVES = smooth::OXIDE_LEAVES;
        MIRRORED_PLACES = smooth::PLACES;
        MIRRORED_NEAREST = smooth::NEAREST;
        MIRRORED_FARTHER = smooth::FARTHER;
        CLOUD = sky::CLOUD;
        LAMPS = sky::LAMPS;
        LAMP_SIZES = sky::LAMP_SIZES;
        LAMP_COUNT = sky::LAMPS.len();
        LIT_WALL = sky::LIT_WALL;
        WALL_ENDS = sky::WALL_ENDS;
        BARS = sky::BARS;
        SOFTENED = sky::SOFTENED;
        OPACITY_OF_HAZE = haze::OPACITY;
        LEAST_GAS = f32::from(fog::LEAST) + 0.01;
        OPAQUE_GAS = steam::OPAQUE;
        GAS_FORWARD = steam::FORWARD;
        GAS_SUN = steam::SUN;
        GAS_SKY = steam::SKY;
        GAS_LAVA = steam::LAVA;
        GAS_SHADED = steam::SHADED;
        GAS_ASTRAY = steam::ASTRAY;
        GAS_BILLOWS = steam::BILLOWS;
        GAS_BROAD = steam::BROAD;
        GAS_RELIEF = steam::RELIEF;
        GAS_FACING = steam::FACING;
        GAS_WHOLE = steam::WHOLE;
        GAS_TORN = steam::TORN;
        GAS_LIFTED = fog::LIFTED;
        FOG_OFF = fog::OFF;
        FOG_FADED = fog::FADED;
        SHADED_GROUND = floor::SHADED;
        LEAST_SMOKE = smoke::LEAST;
        BRIGHTEST_SMOKE = smoke::BRIGHTEST;
        OPAQUE_SMOKE = plume::OPAQUE;
        PART_OF_SMOKE = plume::PART;
        PARTS_OF_SMOKE = plume::PARTS;
        SMOKE_STRAIGHT = plume::STRAIGHT;
        SMOKE_ASTRAY = plume::ASTRAY;
        SMOKE_SKY = plume::SKY;
        SMOKE_LAVA = plume::LAVA;
        SMOKE_AHEAD = plume::AHEAD;
        SMOKE_BACK = plume::BACK;
        SMOKE_LOBE = plume::LOBE;
        SMOKE_SHADED = plume::SHADED;
        DARKENED = plume::DARKENED;
        HALF_DARKENED = plume::HALF_DARKENED;
        DROPS = plume::DROPS;
        EVENED = plume::EVENED;
        BEGAN = billows::BEGAN;
        BILLOW = plume::BILLOW;
        FINER_BILLOWS = plume::FINER;
        FINER_HEIGHT = plume::FINER_HEIGHT;
        FINER_SLOPE = plume::FINER_SLOPE;
        FINER_SEEN = plume::FINER_SEEN;
        BILLOW_TEXELS = billows::SIDE;
        BILLOWS_ACROSS = billows::BROADEST;
        STEEPEST = billows::STEEPEST;
        ROUGH = plume::ROUGH;
        RAGGED = plume::RAGGED;
        RELIEF = plume::RELIEF;
        UPPER = plume::UPPER;
        FACING = plume::FACING;
        ABOVE = plume::ABOVE;
        HOLLOW = plume::HOLLOW;
        HOLLOWS = plume::HOLLOWS;
        DEEPEST = plume::DEEPEST;
        FARTHEST = billows::FARTHEST;
        FAINT = billows::FAINT;
    })
}

fn written(constants: &[(&str, String)]) -> String {
    constants
        .iter()
        .map(|(name, value)| format!("const {name} = {value};\n"))
        .collect()
}

#[cfg(test)]
mod tests;
