//! Material definitions: plain data (serde tables of a scene) that the rules read; no behaviour.

mod float;
mod reaction;
mod trace;

use std::collections::BTreeMap;

pub use self::float::{FLOATED, can_float, carries};
pub use self::reaction::{MAX_REACTIONS, Reaction, ReactionHeat, Terms, Where};
pub use self::trace::{Air, Trace};
pub use serde::{Deserialize, Serialize};

use crate::view::{MaterialLook, Preset as Look};
use lavoxel_base::units::{LAVA_DENSITY, amount_units};
use lavoxel_base::validate::Invalid;

/// Largest number of materials of a scene, not counting the lava.
pub const MAX_MATERIALS: usize = 15;

/// Longest name of a material in bytes.
pub(crate) const LONGEST_NAME: usize = 16;

/// Largest surplus above 1 cell volume that the lowest cell of a column may hold at rest under
/// pressure; below 1, because a cell stores less than 2 cell volumes.
const DEEPEST: f64 = 0.95;

/// Kind of motion of a material; selects the group of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Liquid: moves by the rules squeeze, fall and level.
    #[default]
    Liquid,
    /// Gas: moves by the rules squeeze and drift.
    Gas,
    /// Immobile solid, apart from floating pieces.
    Still,
    /// Granular matter: each grain fills exactly one cell.
    Grain,
    /// Moves by gravity and spreading, with the energy that it carries: the lava, of which every
    /// world has one.
    Viscous,
}

/// Rule set that moves a material; derived from `Kind` and `Pressure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// Liquid that carries energy.
    Viscous,
    /// Liquid without pressure, which only levels out.
    Level,
    /// Liquid whose pressure is traced through its bodies.
    Trace,
    /// Slightly compressible liquid.
    Compress,
    Gas,
    Grain,
    Still,
}

/// Policy by which materials share the volume of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capacity {
    /// All materials share the volume of one cell; denser ones displace lighter ones.
    #[default]
    Shared,
    /// Each material has a full cell volume of its own and ignores the other materials.
    Own,
}

impl Capacity {
    /// Returns true if all layers share the volume of a cell.
    pub fn is_shared(&self) -> bool {
        *self == Self::Shared
    }

    /// Number of layers before index `layer` whose matter reduces the volume available to that
    /// layer; 0 for `Own`.
    pub(crate) fn layers_above(self, layer: usize) -> usize {
        if self == Self::Shared { layer } else { 0 }
    }
}

impl Kind {
    /// Sort rank in the layer order, from 0; kinds that are not displaced come first.
    fn rank(self) -> u8 {
        match self {
            Self::Still => 0,
            Self::Grain => 1,
            Self::Liquid | Self::Gas | Self::Viscous => 2,
        }
    }
}

/// Part of a melting lava (physical model) that a material displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// Rock of the scene's bodies, which never changes.
    Mould,
    /// Solid lava.
    Solid,
    /// Liquid lava.
    Melt,
}

impl Shows {
    /// All parts, in the order of the layers that display them.
    pub const ALL: [Self; 3] = [Self::Mould, Self::Solid, Self::Melt];

    /// Default name of the material that displays this part.
    pub fn usual_name(self) -> &'static str {
        match self {
            Self::Mould => "mould",
            Self::Solid => "set",
            Self::Melt => "melt",
        }
    }

    /// Kind of the material that displays this part: liquid for the melt, still otherwise.
    pub fn kind(self) -> Kind {
        if self == Self::Melt {
            Kind::Liquid
        } else {
            Kind::Still
        }
    }
}

/// Pressure model of a liquid; with pressure, connected columns equalize as in a U-tube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pressure {
    /// No pressure: the liquid only falls and levels out.
    #[default]
    None,
    /// Compressible liquid: lower cells store slightly more than a full cell; see
    /// [`crate::rules::compress`].
    Compress,
    /// Liquid is transported through connected full cells; see [`crate::rules::trace`].
    Trace,
}

/// Parameters of [`crate::rules::compress`]: the `compress` table of a material. Amounts are
/// fractions of a full cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compress {
    /// Extra amount that a cell at rest stores compared with the cell above, in cells.
    pub max: f64,
    /// Largest vertical flow per pass that is not damped, in cells.
    pub min_flow: f64,
    /// Upper bound of the vertical flow per pass, in cells.
    pub max_speed: f64,
    /// Number of passes of the rule per step.
    pub passes: u32,
}

impl Default for Compress {
    fn default() -> Self {
        Self {
            max: 0.01,
            min_flow: 0.01,
            max_speed: 1.0,
            passes: 4,
        }
    }
}

impl Compress {
    /// Extra amount that a cell at rest stores compared with the cell above, in integer units;
    /// rounded down to an even number, so that the cell stays at rest.
    pub fn step_of_depth(&self) -> u16 {
        amount_units(self.max) & !1
    }
}

/// Parameters of [`crate::rules::drift`]: the `drift` table of a gas. Shares are 0–1, amounts are
/// fractions of a full cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Drift {
    /// Share of the gas cells that rise in each step.
    pub up: f64,
    /// Amount that leaves a rising cell upwards in a step, in cells.
    pub up_speed: f64,
    /// Share of the gas cells that sink in each step.
    pub down: f64,
    /// Amount that leaves a sinking cell downwards in a step, in cells.
    pub down_speed: f64,
    /// Share of the gas cells that spread sideways in each step.
    pub side: f64,
}

impl Default for Drift {
    fn default() -> Self {
        Self {
            up: 0.375,
            up_speed: 0.6,
            down: 0.016,
            down_speed: 0.1,
            side: 0.23,
        }
    }
}

/// Parameters of [`crate::rules::grains`]: the `grains` table of a granular material. All shares
/// are probabilities 0–1 per step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grains {
    /// Probability that a grain slides diagonally down over an edge.
    pub corners: f64,
    /// Probability that a grain slips to a lateral neighbour.
    pub slip: f64,
    /// Probability that a grain immersed in less dense matter does not move.
    pub drag: f64,
    /// Flow flag: grains covered by other grains also move sideways, like a liquid.
    pub flow: bool,
    /// Probability that a falling grain moves diagonally down instead of straight down.
    pub scatter: f64,
    /// Fraction of the air velocity (0–1) that a falling grain takes over.
    pub carried: f64,
}

impl Default for Grains {
    fn default() -> Self {
        Self {
            corners: 0.25,
            slip: 0.25,
            drag: 0.5,
            flow: false,
            scatter: 0.0,
            carried: 0.0,
        }
    }
}

/// Declares [`Material`] and its table in a scene: each field with its value in a liquid like
/// water.
macro_rules! material {
    ($($(#[doc = $what:literal])+ $field:ident: $type:ty = $value:expr,)+) => {
        /// Material, as a `[[material]]` table of a scene; keys left out are those of the preset
        /// with its name, or water's.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, from = "Table")]
        pub struct Material {
            /// Name in sources, bodies and files.
            pub name: String,
            $($(#[doc = $what])+ pub $field: $type,)+
        }

        /// Material table in which keys may be left out.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            name: String,
            $($field: Option<$type>,)+
        }

        impl From<Table> for Material {
            fn from(mut table: Table) -> Self {
                let mut preset = Self::preset(&table.name).unwrap_or_else(Self::unnamed);
                preset.floats |= table.kind == Some(Kind::Grain);
                // Older tables called the lava a liquid, before its motion had a word of its own.
                table.kind = table.kind.filter(|kind| (*kind, preset.kind) != (Kind::Liquid, Kind::Viscous));
                Self { name: table.name, $($field: table.$field.unwrap_or(preset.$field),)+ }
            }
        }

        impl Material {
            /// Makes a liquid like water, without a name, pressure or elements.
            pub fn unnamed() -> Self {
                Self { name: String::new(), $($field: $value,)+ }
            }
        }
    };
}

material! {
    /// Kind of motion.
    kind: Kind = Kind::Liquid,
    /// Density in kg/m³: heavier materials displace lighter ones.
    density: f64 = 1000.0,
    /// Largest amount that falls in a step; see [`crate::rules::squeeze::PARAMS`].
    speed: f64 = 1.0,
    /// Least filling of the cell below for a cell to spread; see [`crate::rules::level::PARAMS`].
    viscosity: f64 = 0.7,
    /// Amount that stays in a cell; see [`crate::rules::level::PARAMS`].
    stickiness: f64 = 0.0,
    /// Divisor of the flow to a side; see [`crate::rules::level::PARAMS`].
    fluidity: u32 = 1,
    /// Law of pressure.
    pressure: Pressure = Pressure::None,
    /// Numbers of compressing; see [`crate::rules::compress::PARAMS`].
    compress: Compress = Compress::default(),
    /// Numbers of drifting; see [`crate::rules::drift::PARAMS`].
    drift: Drift = Drift::default(),
    /// Floating flag: pieces of the material fall, sink and rise; see
    /// [`crate::rules::float::PARAMS`].
    floats: bool = false,
    /// Amount below which a cell dries; see [`crate::rules::dry::PARAMS`].
    dry_below: f64 = 0.0,
    /// Setting flag: the material turns to ground where it lies on ground; see
    /// [`crate::rules::set`].
    sets: bool = false,
    /// Number of parts of each element in one part of the material; reactions keep every element.
    elements: BTreeMap<String, u32> = BTreeMap::new(),
    /// Numbers of tracing; see [`crate::rules::trace::PARAMS`].
    trace: Trace = Trace::default(),
    /// Numbers of grains; see [`crate::rules::grains::PARAMS`].
    grains: Grains = Grains::default(),
    /// Part of a melting lava that the material displays; `None` for a material that is simulated
    /// itself.
    shows: Option<Shows> = None,
    /// Look of the material.
    look: MaterialLook = MaterialLook::default(),
}

impl Default for Material {
    fn default() -> Self {
        Self::water()
    }
}

/// Builds an `elements` table with a single entry: `number` parts of the element `name`.
fn elements(name: &str, number: u32) -> BTreeMap<String, u32> {
    BTreeMap::from([(name.to_owned(), number)])
}

impl Material {
    /// Name of the lava, the material that every world contains. Sources, quantities and files
    /// without a material name refer to the lava.
    pub const LAVA: &str = "lava";

    /// Preset: lava, a viscous liquid that carries energy and moves by the rules of `[rules]`.
    pub fn lava() -> Self {
        let (kind, elements) = (Kind::Viscous, elements("rock", 2));
        Self {
            name: Self::LAVA.to_owned(),
            kind,
            density: LAVA_DENSITY,
            elements,
            ..Self::unnamed()
        }
    }

    /// Preset: water, which spreads to arbitrarily thin films and equalizes through connected
    /// channels.
    pub fn water() -> Self {
        let (pressure, elements) = (Pressure::Trace, elements("h2o", 4));
        Self {
            name: "water".to_owned(),
            pressure,
            elements,
            ..Self::unnamed()
        }
    }

    /// Preset: oil (900 kg/m³), a clear golden liquid that floats on water.
    pub fn oil() -> Self {
        let color = Some("#d9a53a".to_owned());
        let look = MaterialLook {
            color,
            depth: 0.6,
            waves: 0.6,
            ..MaterialLook::of(Look::Water)
        };
        Self {
            name: "oil".to_owned(),
            density: 900.0,
            elements: elements("oil", 1),
            look,
            ..Self::unnamed()
        }
    }

    /// Preset: mercury (13 534 kg/m³), a reflecting liquid on which rock floats.
    pub fn mercury() -> Self {
        let look = MaterialLook {
            color: Some("#d5d8de".to_owned()),
            waves: 0.3,
            ..MaterialLook::of(Look::Metal)
        };
        let named = Self {
            name: "mercury".to_owned(),
            density: 13_534.0,
            ..Self::unnamed()
        };
        Self {
            elements: elements("mercury", 1),
            look,
            ..named
        }
    }

    /// Preset: steam, a gas that rises, sinks slightly and spreads below a ceiling.
    pub fn steam() -> Self {
        let (viscosity, stickiness, fluidity) = (0.8, 0.05, 2);
        let named = Self {
            name: "steam".to_owned(),
            kind: Kind::Gas,
            density: 0.6,
            ..Self::unnamed()
        };
        Self {
            viscosity,
            stickiness,
            fluidity,
            elements: elements("h2o", 1),
            look: MaterialLook::of(Look::Steam),
            ..named
        }
    }

    /// Preset: ice, immobile unless a scene sets its `floats` flag.
    pub fn ice() -> Self {
        let (elements, look) = (elements("h2o", 4), MaterialLook::of(Look::Ice));
        Self {
            name: "ice".to_owned(),
            kind: Kind::Still,
            density: 917.0,
            elements,
            look,
            ..Self::unnamed()
        }
    }

    /// Preset: rubble (2700 kg/m³), lava broken up by water; it falls, piles up and turns to ground
    /// where it lies on ground.
    pub fn rubble() -> Self {
        let (viscosity, stickiness, fluidity) = (1.0, 0.9, 3);
        let named = Self {
            name: "rubble".to_owned(),
            density: 2700.0,
            sets: true,
            ..Self::unnamed()
        };
        Self {
            viscosity,
            stickiness,
            fluidity,
            elements: elements("rock", 2),
            look: MaterialLook::of(Look::Rubble),
            ..named
        }
    }

    /// Preset: sand, grains that sink in lava and in water.
    pub fn sand() -> Self {
        let (kind, look) = (Kind::Grain, MaterialLook::of(Look::Sand));
        Self {
            name: "sand".to_owned(),
            kind,
            density: 2650.0,
            floats: true,
            look,
            ..Self::unnamed()
        }
    }

    /// Preset: glass, the immobile product of sand fused next to lava.
    pub fn glass() -> Self {
        let look = MaterialLook {
            color: Some("#3f5a4c".to_owned()),
            ..MaterialLook::of(Look::Gloss)
        };
        Self {
            name: "glass".to_owned(),
            kind: Kind::Still,
            density: 2500.0,
            look,
            ..Self::unnamed()
        }
    }

    /// Preset: ash, grains that float on lava and sink in water; a grain contains half the rock of
    /// a full cell of lava.
    pub fn ash() -> Self {
        let (kind, look) = (Kind::Grain, MaterialLook::of(Look::Ash));
        let named = Self {
            name: "ash".to_owned(),
            kind,
            density: 1300.0,
            floats: true,
            ..Self::unnamed()
        };
        Self {
            elements: elements("rock", 1),
            look,
            ..named
        }
    }

    /// Returns the preset called `name`; `None` for an unknown name.
    pub fn preset(name: &str) -> Option<Self> {
        let fluids = [
            Self::lava(),
            Self::water(),
            Self::oil(),
            Self::mercury(),
            Self::steam(),
            Self::rubble(),
        ];
        let others = [Self::ice(), Self::glass(), Self::sand(), Self::ash()];
        fluids
            .into_iter()
            .chain(others)
            .find(|preset| preset.name == name)
    }

    /// Returns `materials` plus the lava in layer order: still matter, grains, fluids; within each
    /// group by decreasing density, ties in the given order with the lava first. If `materials`
    /// contains a lava, that lava is used instead of the default.
    pub fn with_lava(mut materials: Vec<Self>) -> Vec<Self> {
        let given = materials.iter().position(Self::carries_energy);
        let lava = given.map_or_else(Self::lava, |at| materials.remove(at));
        materials.insert(0, lava);
        let weight = |material: &Self| material.density;
        materials.sort_by(|a, b| {
            a.kind
                .rank()
                .cmp(&b.kind.rank())
                .then(weight(b).total_cmp(&weight(a)))
        });
        materials
    }

    /// Iterator over `materials` without the lava.
    pub fn besides_lava(materials: &[Self]) -> impl Iterator<Item = &Self> + Clone {
        materials
            .iter()
            .filter(|material| !material.carries_energy())
    }

    /// Returns true if the cells of the material store energy in addition to the amount, which only
    /// lava does.
    pub fn carries_energy(&self) -> bool {
        self.kind == Kind::Viscous
    }

    /// Returns true if the material supplies heat to reactions: lava, and materials that display
    /// the solid or liquid part of a melting lava.
    pub(crate) fn is_hot(&self) -> bool {
        self.carries_energy() || matches!(self.shows, Some(Shows::Solid | Shows::Melt))
    }

    /// Returns the rule set that moves the material.
    pub(crate) fn motion(&self) -> Motion {
        match (self.kind, self.pressure) {
            (Kind::Viscous, _) => Motion::Viscous,
            (Kind::Liquid, Pressure::None) => Motion::Level,
            (Kind::Liquid, Pressure::Trace) => Motion::Trace,
            (Kind::Liquid, Pressure::Compress) => Motion::Compress,
            (Kind::Gas, _) => Motion::Gas,
            (Kind::Grain, _) => Motion::Grain,
            (Kind::Still, _) => Motion::Still,
        }
    }

    /// Returns true if the material is a liquid moved by [`crate::rules::trace`].
    pub fn traces(&self) -> bool {
        self.motion() == Motion::Trace
    }

    /// Checks that a filled column of a box `ny` cells high stays below the storage limit of a cell
    /// when compressed at rest; `key` is the table name used in the error.
    ///
    /// # Errors
    /// If `compress.max` is too large; the error states the largest value that fits.
    pub fn validate_depth(&self, key: &str, ny: usize) -> Result<(), Invalid> {
        let most = DEEPEST / (ny.max(2) - 1) as f64;
        if self.pressure != Pressure::Compress || self.compress.max <= most {
            return Ok(());
        }
        let expected = format!(
            "at most {:.4} in a box {ny} cells high: a cell holds less than 2",
            most - 5e-5
        );
        Err(Invalid::new(
            &format!("{key}.compress.max"),
            self.compress.max,
            expected,
        ))
    }
}

/// Checks that the material `name` is among the names `known` (without the lava); `key` is the
/// configuration key reported in the error.
///
/// # Errors
/// If `name` is not among `known`; the error lists all known names.
pub fn check_known<'a>(
    key: &str,
    name: &str,
    mut known: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), Invalid> {
    if known.clone().any(|known| known == name) {
        return Ok(());
    }
    let all: Vec<_> = known.by_ref().map(|known| format!("{known:?}")).collect();
    let expected = if all.is_empty() {
        "the name of a [[material]] table, of which there is none".to_owned()
    } else {
        format!("the name of a [[material]] table: {}", all.join(" or "))
    };
    Err(Invalid::new(key, format!("{name:?}"), expected))
}
