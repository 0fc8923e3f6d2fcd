//! Materials of the world's layers. Data only; the rules read the data.

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

/// Largest number of materials of a scene, the lava not counted.
pub const MAX_MATERIALS: usize = 15;

/// Longest name of a material in bytes.
pub(crate) const LONGEST_NAME: usize = 16;

/// Largest surplus beyond 1 cell that the lowest cell of a box may hold at rest; below 1, because a
/// cell holds less than 2.
const DEEPEST: f64 = 0.95;

/// Kind of motion of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Moves by squeezing, falling and levelling.
    #[default]
    Liquid,
    /// Moves by squeezing and drifting.
    Gas,
    /// Does not move.
    Still,
    /// Moves as grains, one to a cell.
    Grain,
    /// Moves by gravity and spreading, with the energy that it carries: the lava, of which every
    /// world has one.
    Viscous,
}

/// Set of rules that move a material, which follows from its kind and pressure and from the energy
/// that it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// Liquid that carries energy.
    Viscous,
    /// Liquid without pressure.
    Level,
    /// Liquid whose pressure is traced through its bodies.
    Trace,
    /// Liquid that can be compressed.
    Compress,
    Gas,
    Grain,
    Still,
}

/// Room of a cell, as shared by materials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capacity {
    /// All materials fill a cell together; heavier ones displace lighter ones.
    #[default]
    Shared,
    /// Each material has a whole cell for itself, as in the original of the fluids.
    Own,
}

impl Capacity {
    /// True if layers share the room of a cell.
    pub fn is_shared(&self) -> bool {
        *self == Self::Shared
    }

    /// Number of leading layers that take room from a layer.
    pub(crate) fn layers_above(self, layer: usize) -> usize {
        if self == Self::Shared { layer } else { 0 }
    }
}

impl Kind {
    /// Rank in the order of layers: matter that does not give way comes first.
    fn rank(self) -> u8 {
        match self {
            Self::Still => 0,
            Self::Grain => 1,
            Self::Liquid | Self::Gas | Self::Viscous => 2,
        }
    }
}

/// Part of a melting lava that a material shows, in a scene of the physical model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// Rock of bodies, which never changes.
    Mould,
    /// Solid lava.
    Solid,
    /// Liquid lava.
    Melt,
}

impl Shows {
    /// All parts, in the order of the layers that show them.
    pub const ALL: [Self; 3] = [Self::Mould, Self::Solid, Self::Melt];

    /// Name of the material in a scene that gives none.
    pub fn usual_name(self) -> &'static str {
        match self {
            Self::Mould => "mould",
            Self::Solid => "set",
            Self::Melt => "melt",
        }
    }

    /// Kind of motion of the material that shows this part.
    pub fn kind(self) -> Kind {
        if self == Self::Melt { Kind::Liquid } else { Kind::Still }
    }
}

/// Law of pressure of a liquid, which lets the liquid rise in the other arm of a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pressure {
    /// No pressure: the liquid falls and runs level.
    #[default]
    None,
    /// Lower cells hold a little more; see [`crate::rules::compress`].
    Compress,
    /// Liquid passes through cells that it fills; see [`crate::rules::trace`].
    Trace,
}

/// Numbers of [`crate::rules::compress`], as a `compress` table of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compress {
    /// Amount that a cell holds beyond the cell above.
    pub max: f64,
    /// Largest flow up or down that is not damped, as an amount.
    pub min_flow: f64,
    /// Largest flow up or down in a pass, as an amount.
    pub max_speed: f64,
    /// Number of runs of the rule in a step.
    pub passes: u32,
}

impl Default for Compress {
    fn default() -> Self {
        Self { max: 0.01, min_flow: 0.01, max_speed: 1.0, passes: 4 }
    }
}

impl Compress {
    /// Amount that a cell at rest holds beyond the cell above, in units: even, so that the cell
    /// stays at rest.
    pub fn step_of_depth(&self) -> u16 {
        amount_units(self.max) & !1
    }
}

/// Numbers of [`crate::rules::drift`], as a `drift` table of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Drift {
    /// Share of the cells that rise in a step.
    pub up: f64,
    /// Amount that rises from a cell in a step.
    pub up_speed: f64,
    /// Share of the cells that sink in a step.
    pub down: f64,
    /// Amount that sinks from a cell in a step.
    pub down_speed: f64,
    /// Share of the cells that spread in a step.
    pub side: f64,
}

impl Default for Drift {
    fn default() -> Self {
        Self { up: 0.375, up_speed: 0.6, down: 0.016, down_speed: 0.1, side: 0.23 }
    }
}

/// Numbers of [`crate::rules::grains`], as a `grains` table of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grains {
    /// Share of the cells from which grains slide over a corner.
    pub corners: f64,
    /// Share of the cells from which grains slip to a side.
    pub slip: f64,
    /// Share of the steps in which a grain in lighter matter stays.
    pub drag: f64,
    /// Flow flag: grains below other grains run to the sides.
    pub flow: bool,
    /// Share of the steps in which a falling grain goes down to a side.
    pub scatter: f64,
    /// Share of the motion of the air that a grain follows.
    pub carried: f64,
}

impl Default for Grains {
    fn default() -> Self {
        Self { corners: 0.25, slip: 0.25, drag: 0.5, flow: false, scatter: 0.0, carried: 0.0 }
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
    /// Part of a melting lava that the material shows; `None` for a material of its own.
    shows: Option<Shows> = None,
    /// Look of the material.
    look: MaterialLook = MaterialLook::default(),
}

impl Default for Material {
    fn default() -> Self {
        Self::water()
    }
}

/// Makes a table of `number` parts of one element.
fn elements(name: &str, number: u32) -> BTreeMap<String, u32> {
    BTreeMap::from([(name.to_owned(), number)])
}

impl Material {
    /// Name of the material that every world has. Sources, quantities and files that name no
    /// material mean this one.
    pub const LAVA: &str = "lava";

    /// Lava, which moves by the rules of `[rules]` and carries energy.
    pub fn lava() -> Self {
        let (kind, elements) = (Kind::Viscous, elements("rock", 2));
        Self { name: Self::LAVA.to_owned(), kind, density: LAVA_DENSITY, elements, ..Self::unnamed() }
    }

    /// Water, which runs everywhere, films included, and rises in the other arm of a tube.
    pub fn water() -> Self {
        let (pressure, elements) = (Pressure::Trace, elements("h2o", 4));
        Self { name: "water".to_owned(), pressure, elements, ..Self::unnamed() }
    }

    /// Oil: clear and golden; it floats on water.
    pub fn oil() -> Self {
        let color = Some("#d9a53a".to_owned());
        let look = MaterialLook { color, depth: 0.6, waves: 0.6, ..MaterialLook::of(Look::Water) };
        Self { name: "oil".to_owned(), density: 900.0, elements: elements("oil", 1), look, ..Self::unnamed() }
    }

    /// Mercury: a liquid mirror, on which rock floats.
    pub fn mercury() -> Self {
        let look = MaterialLook { color: Some("#d5d8de".to_owned()), waves: 0.3, ..MaterialLook::of(Look::Metal) };
        let named = Self { name: "mercury".to_owned(), density: 13_534.0, ..Self::unnamed() };
        Self { elements: elements("mercury", 1), look, ..named }
    }

    /// Steam, which rises, sinks a little, and spreads under a ceiling.
    pub fn steam() -> Self {
        let (viscosity, stickiness, fluidity) = (0.8, 0.05, 2);
        let named = Self { name: "steam".to_owned(), kind: Kind::Gas, density: 0.6, ..Self::unnamed() };
        Self {
            viscosity,
            stickiness,
            fluidity,
            elements: elements("h2o", 1),
            look: MaterialLook::of(Look::Steam),
            ..named
        }
    }

    /// Ice, which stays, unless a scene lets it float.
    pub fn ice() -> Self {
        let (elements, look) = (elements("h2o", 4), MaterialLook::of(Look::Ice));
        Self { name: "ice".to_owned(), kind: Kind::Still, density: 917.0, elements, look, ..Self::unnamed() }
    }

    /// Rubble: lava that water has broken up; it falls, piles up, and sets on the ground.
    pub fn rubble() -> Self {
        let (viscosity, stickiness, fluidity) = (1.0, 0.9, 3);
        let named = Self { name: "rubble".to_owned(), density: 2700.0, sets: true, ..Self::unnamed() };
        Self {
            viscosity,
            stickiness,
            fluidity,
            elements: elements("rock", 2),
            look: MaterialLook::of(Look::Rubble),
            ..named
        }
    }

    /// Sand: grains that sink in lava and in water.
    pub fn sand() -> Self {
        let (kind, look) = (Kind::Grain, MaterialLook::of(Look::Sand));
        Self { name: "sand".to_owned(), kind, density: 2650.0, floats: true, look, ..Self::unnamed() }
    }

    /// Glass, to which sand next to lava fuses; it stays.
    pub fn glass() -> Self {
        let look = MaterialLook { color: Some("#3f5a4c".to_owned()), ..MaterialLook::of(Look::Gloss) };
        Self { name: "glass".to_owned(), kind: Kind::Still, density: 2500.0, look, ..Self::unnamed() }
    }

    /// Ash: grains that lie on lava and sink in water; half of a grain is rock.
    pub fn ash() -> Self {
        let (kind, look) = (Kind::Grain, MaterialLook::of(Look::Ash));
        let named = Self { name: "ash".to_owned(), kind, density: 1300.0, floats: true, ..Self::unnamed() };
        Self { elements: elements("rock", 1), look, ..named }
    }

    /// Returns the preset with this name.
    pub fn preset(name: &str) -> Option<Self> {
        let fluids = [Self::lava(), Self::water(), Self::oil(), Self::mercury(), Self::steam(), Self::rubble()];
        let others = [Self::ice(), Self::glass(), Self::sand(), Self::ash()];
        fluids.into_iter().chain(others).find(|preset| preset.name == name)
    }

    /// Returns `materials` and the lava in the order of a world's layers: still matter, then
    /// grains, then fluids, each group the heaviest first and equally heavy ones in the given
    /// order, the lava before them. A lava among `materials` is used as the lava of the world.
    pub fn with_lava(mut materials: Vec<Self>) -> Vec<Self> {
        let given = materials.iter().position(Self::carries_energy);
        let lava = given.map_or_else(Self::lava, |at| materials.remove(at));
        materials.insert(0, lava);
        let weight = |material: &Self| material.density;
        materials.sort_by(|a, b| a.kind.rank().cmp(&b.kind.rank()).then(weight(b).total_cmp(&weight(a))));
        materials
    }

    /// Returns the materials of a list without the lava.
    pub fn besides_lava(materials: &[Self]) -> impl Iterator<Item = &Self> + Clone {
        materials.iter().filter(|material| !material.carries_energy())
    }

    /// Returns true if the material's cells hold energy in addition to their amount, as those of
    /// the lava do.
    pub fn carries_energy(&self) -> bool {
        self.kind == Kind::Viscous
    }

    /// Returns true for lava, and for a material that shows a warm part of a melting lava: the
    /// materials that give heat to reactions.
    pub(crate) fn is_hot(&self) -> bool {
        self.carries_energy() || matches!(self.shows, Some(Shows::Solid | Shows::Melt))
    }

    /// Returns the set of rules that move the material.
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

    /// Returns true if the material follows [`crate::rules::trace`].
    pub fn traces(&self) -> bool {
        self.motion() == Motion::Trace
    }

    /// Checks that a column of a box `ny` cells high can hold its contents at rest under pressure;
    /// `key` is the table's name.
    ///
    /// # Errors
    /// Names `compress.max`, and the largest value that fits.
    pub fn validate_depth(&self, key: &str, ny: usize) -> Result<(), Invalid> {
        let most = DEEPEST / (ny.max(2) - 1) as f64;
        if self.pressure != Pressure::Compress || self.compress.max <= most {
            return Ok(());
        }
        let expected = format!("at most {:.4} in a box {ny} cells high: a cell holds less than 2", most - 5e-5);
        Err(Invalid::new(&format!("{key}.compress.max"), self.compress.max, expected))
    }
}

/// Checks that a material is among `known`, the lava not counted.
///
/// # Errors
/// If `name` is not among `known`; the error lists all known names.
pub fn check_known<'a>(key: &str, name: &str, mut known: impl Iterator<Item = &'a str> + Clone) -> Result<(), Invalid> {
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
