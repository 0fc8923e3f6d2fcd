//! Definitions of materials, as plain data (tables of a scene, read by serde) from which the rules
//! take their parameters.

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

/// Largest length of the name of a material or chemical element, in bytes.
pub(crate) const LONGEST_NAME: usize = 16;

/// Largest amount above a full cell that compression may put into the lowest cell of a column at
/// rest, in full cells. Below 1, because a cell stores less than 2 full cells.
const DEEPEST: f64 = 0.95;

/// Kind of matter, which decides the group of rules that move a material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Liquid without energy, such as water: falls, levels out, and is pressed up by denser matter.
    #[default]
    Liquid,
    /// Gas: drifts at random, and is pressed up by denser matter.
    Gas,
    /// Still matter: stays in its cells; moves only in floating pieces.
    Still,
    /// Granular matter: each grain fills exactly one cell and falls, slides and slips as a whole.
    Grain,
    /// Lava: moves by gravity and spreading, as the energy that it carries allows; every world has
    /// exactly one such material.
    Viscous,
}

/// Group of rules that moves a material; follows from `Kind` and `Pressure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// Lava: flows by gravity and spreading, as its energy allows.
    Viscous,
    /// Liquid without pressure: falls and levels out with its neighbours.
    Level,
    /// Liquid whose pressure acts through connected full cells (rule of tracing).
    Trace,
    /// Liquid whose pressure acts by a slight compression of the lower cells.
    Compress,
    Gas,
    Grain,
    Still,
}

/// Rule that says how much matter of all kinds a cell can contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capacity {
    /// All materials together have the volume of one cell; denser materials displace less dense
    /// ones.
    #[default]
    Shared,
    /// Each material can fill the whole cell, whatever the amounts of the other materials.
    Own,
}

impl Capacity {
    /// Returns true if all materials together have the volume of one cell.
    pub fn is_shared(&self) -> bool {
        *self == Self::Shared
    }

    /// Number of denser layers whose matter reduces the volume that is available to the layer with
    /// index `layer`: all before it for `Shared`, 0 for `Own`.
    pub(crate) fn layers_above(self, layer: usize) -> usize {
        if self == Self::Shared { layer } else { 0 }
    }
}

impl Kind {
    /// Rank of the kind in the order of layers, from 0: kinds that cannot be displaced come first.
    fn rank(self) -> u8 {
        match self {
            Self::Still => 0,
            Self::Grain => 1,
            Self::Liquid | Self::Gas | Self::Viscous => 2,
        }
    }
}

/// Part of a melting body of lava (physical model) whose cells a material displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// Mould: rock of the scene's `[[body]]` tables, which never melts or moves.
    Mould,
    /// Solid lava of the melting body.
    Solid,
    /// Liquid lava of the melting body.
    Melt,
}

impl Shows {
    /// All parts of a melting body, in the order of the layers that display them.
    pub const ALL: [Self; 3] = [Self::Mould, Self::Solid, Self::Melt];

    /// Default name of the material that displays this part of the melting body.
    pub fn usual_name(self) -> &'static str {
        match self {
            Self::Mould => "mould",
            Self::Solid => "set",
            Self::Melt => "melt",
        }
    }

    /// Kind of the material that displays this part: liquid for the melt, else still.
    pub fn kind(self) -> Kind {
        if self == Self::Melt {
            Kind::Liquid
        } else {
            Kind::Still
        }
    }
}

/// Model by which pressure acts in a liquid. With pressure, connected columns come to the same
/// height, as in a U-tube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pressure {
    /// No pressure: the liquid only falls and flows to lower neighbours.
    #[default]
    None,
    /// Compressible liquid: lower cells contain slightly more than a full cell; see
    /// [`crate::rules::compress`].
    Compress,
    /// Pressure through connected full cells, along which liquid moves from high to low surfaces;
    /// see [`crate::rules::trace`].
    Trace,
}

/// Parameters of the rule [`crate::rules::compress`]: the table `compress` of a material. Amounts
/// are in full cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compress {
    /// Amount that a cell at rest contains in addition to that of the cell above, in full cells;
    /// larger values make the liquid more compressible.
    pub max: f64,
    /// Largest vertical flow that is not damped, in full cells per application of the rule.
    pub min_flow: f64,
    /// Largest vertical flow, in full cells per application of the rule.
    pub max_speed: f64,
    /// Number of times that the rule is applied in each step, one after the other.
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
    /// Amount that a cell at rest contains in addition to that of the cell above, in units; rounded
    /// down to an even number, so that the cell stays at rest.
    pub fn step_of_depth(&self) -> u16 {
        amount_units(self.max) & !1
    }
}

/// Parameters of the rule [`crate::rules::drift`]: the table `drift` of a gas. Shares are
/// probabilities per cell and step, from 0 to 1; amounts are in full cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Drift {
    /// Share of the cells with gas from which gas rises in a step.
    pub up: f64,
    /// Largest amount of gas that rises from a cell in a step, in full cells.
    pub up_speed: f64,
    /// Share of the cells with gas from which gas sinks in a step.
    pub down: f64,
    /// Largest amount of gas that sinks from a cell in a step, in full cells.
    pub down_speed: f64,
    /// Share of the cells with gas from which gas spreads sideways in a step.
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

/// Parameters of the rule [`crate::rules::grains`]: the table `grains` of a granular material. All
/// numbers are shares from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grains {
    /// Share (0–1) of the cells from which a grain can slide diagonally down past the corner
    /// between two neighbours; the selected cells are the same in all steps.
    pub corners: f64,
    /// Share (0–1) of the cells from which a grain can slip to a neighbour at the same height, from
    /// which it can slide down; the selected cells are the same in all steps.
    pub slip: f64,
    /// Share (0–1) of the steps in which lighter matter holds up a grain that would move into this
    /// matter.
    pub drag: f64,
    /// True if grains that are covered by other grains can move sideways, as in a liquid.
    pub flow: bool,
    /// Share of the steps in which a falling grain moves diagonally down instead of straight down.
    pub scatter: f64,
    /// Share (0–1) of the air's velocity that a falling grain takes on, and share of the steps in
    /// which such a grain stays suspended.
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

/// Declares [`Material`] and its table in a scene from one list of fields. The default of each
/// field is that of a liquid like water.
macro_rules! material {
    ($($(#[doc = $what:literal])+ $field:ident: $type:ty = $value:expr,)+) => {
        /// Material, as a table `[[material]]` of a scene. Keys that the table leaves out have the
        /// values of the preset with the same name, or else of water.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, from = "Table")]
        pub struct Material {
            /// Name of the material, by which sources, initial shapes of matter (`[[body]]`) and
            /// files refer to the material.
            pub name: String,
            $($(#[doc = $what])+ pub $field: $type,)+
        }

        /// Table of a material in a scene, in which keys may be left out.
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
                // Tables of older scenes called the lava a liquid, before there was a kind of its
                // own for it.
                table.kind = table.kind.filter(|kind| (*kind, preset.kind) != (Kind::Liquid, Kind::Viscous));
                Self { name: table.name, $($field: table.$field.unwrap_or(preset.$field),)+ }
            }
        }

        impl Material {
            /// Creates a liquid like water, but without a name, pressure and elements.
            pub fn unnamed() -> Self {
                Self { name: String::new(), $($field: $value,)+ }
            }
        }
    };
}

material! {
    /// Kind of matter, which decides how the material moves.
    kind: Kind = Kind::Liquid,
    /// Density in kg/m³; denser materials displace less dense ones.
    density: f64 = 1000.0,
    /// Largest amount that falls from a cell in a step, in full cells; see
    /// [`crate::rules::squeeze::PARAMS`].
    speed: f64 = 1.0,
    /// Smallest filling (amount plus denser matter) that the cell below must have for a cell to
    /// give sideways, in full cells; see [`crate::rules::level::PARAMS`].
    viscosity: f64 = 0.7,
    /// Amount up to which a cell gives nothing to its neighbours at the sides, in full cells; see
    /// [`crate::rules::level::PARAMS`].
    stickiness: f64 = 0.0,
    /// Divisor (from 1) of the flow to a neighbour at the side: larger values slow the liquid down;
    /// see [`crate::rules::level::PARAMS`].
    fluidity: u32 = 1,
    /// Model by which pressure acts in the liquid.
    pressure: Pressure = Pressure::None,
    /// Parameters of a compressible liquid; see [`crate::rules::compress::PARAMS`].
    compress: Compress = Compress::default(),
    /// Parameters of the random motion of a gas; see [`crate::rules::drift::PARAMS`].
    drift: Drift = Drift::default(),
    /// True if connected pieces of the material move as rigid bodies: they fall, sink, rise and
    /// float; see [`crate::rules::float::PARAMS`].
    floats: bool = false,
    /// Amount below which the matter in a cell is removed at the end of a step, in full cells; see
    /// [`crate::rules::dry::PARAMS`].
    dry_below: f64 = 0.0,
    /// True if cells of the material that are at least 0.98 full turn to rock where they lie on
    /// solid ground; see [`crate::rules::solidify`].
    sets: bool = false,
    /// Number of units of each chemical element per unit of amount of the material; reactions
    /// conserve the units of every element.
    elements: BTreeMap<String, u32> = BTreeMap::new(),
    /// Parameters of tracing: pressure through connected cells of the liquid; see
    /// [`crate::rules::trace::PARAMS`].
    trace: Trace = Trace::default(),
    /// Parameters of granular matter; see [`crate::rules::grains::PARAMS`].
    grains: Grains = Grains::default(),
    /// Part of a melting body of lava that the material displays; `None` for a material that moves
    /// by the rules of the automaton.
    shows: Option<Shows> = None,
    /// Appearance of the material in pictures.
    look: MaterialLook = MaterialLook::default(),
}

impl Default for Material {
    fn default() -> Self {
        Self::water()
    }
}

/// Creates an `elements` table with a single entry: `number` units of the chemical element `name`.
fn elements(name: &str, number: u32) -> BTreeMap<String, u32> {
    BTreeMap::from([(name.to_owned(), number)])
}

impl Material {
    /// Name of the lava, the material that every world contains. Sources, quantities and files
    /// without a material name refer to the lava.
    pub const LAVA: &str = "lava";

    /// Preset of the lava: a viscous liquid that carries energy and flows by the rules in the table
    /// `[rules]`.
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

    /// Preset water: a liquid that spreads to arbitrarily thin sheets and whose pressure acts
    /// through connected cells.
    pub fn water() -> Self {
        let (pressure, elements) = (Pressure::Trace, elements("h2o", 4));
        Self {
            name: "water".to_owned(),
            pressure,
            elements,
            ..Self::unnamed()
        }
    }

    /// Preset oil (900 kg/m³): a clear golden liquid that floats on water.
    pub fn oil() -> Self {
        let color = Some("#d9a53a".to_owned());
        let look = MaterialLook {
            color,
            depth: 0.6,
            waves: 0.6,
            ..MaterialLook::from_preset(Look::Water)
        };
        Self {
            name: "oil".to_owned(),
            density: 900.0,
            elements: elements("oil", 1),
            look,
            ..Self::unnamed()
        }
    }

    /// Preset mercury (13 534 kg/m³): a reflecting liquid on which rock floats.
    pub fn mercury() -> Self {
        let look = MaterialLook {
            color: Some("#d5d8de".to_owned()),
            waves: 0.3,
            ..MaterialLook::from_preset(Look::Metal)
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

    /// Preset steam: a gas that mostly rises, sometimes sinks, and spreads below ceilings.
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
            look: MaterialLook::from_preset(Look::Steam),
            ..named
        }
    }

    /// Preset ice: still matter that does not move unless the scene sets its flag `floats`.
    pub fn ice() -> Self {
        let (elements, look) = (elements("h2o", 4), MaterialLook::from_preset(Look::Ice));
        Self {
            name: "ice".to_owned(),
            kind: Kind::Still,
            density: 917.0,
            elements,
            look,
            ..Self::unnamed()
        }
    }

    /// Preset rubble (2700 kg/m³): grains of lava broken up by water, which fall, pile up, and turn
    /// to rock where they lie on solid ground.
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
            look: MaterialLook::from_preset(Look::Rubble),
            ..named
        }
    }

    /// Preset sand: grains that sink in lava and in water.
    pub fn sand() -> Self {
        let (kind, look) = (Kind::Grain, MaterialLook::from_preset(Look::Sand));
        Self {
            name: "sand".to_owned(),
            kind,
            density: 2650.0,
            floats: true,
            look,
            ..Self::unnamed()
        }
    }

    /// Preset glass: still matter, into which a reaction can turn sand next to lava.
    pub fn glass() -> Self {
        let look = MaterialLook {
            color: Some("#3f5a4c".to_owned()),
            ..MaterialLook::from_preset(Look::Gloss)
        };
        Self {
            name: "glass".to_owned(),
            kind: Kind::Still,
            density: 2500.0,
            look,
            ..Self::unnamed()
        }
    }

    /// Preset ash: grains that float on lava and sink in water. A grain contains half the rock of a
    /// full cell of lava.
    pub fn ash() -> Self {
        let (kind, look) = (Kind::Grain, MaterialLook::from_preset(Look::Ash));
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

    /// Returns the preset material called `name`; `None` if no preset has this name.
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

    /// Returns `materials` and the lava in the order of layers: still matter, grains, fluids; in
    /// each group by decreasing density, at equal density the lava first and the other materials in
    /// the given order. A lava in `materials` replaces the preset lava.
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

    /// Iterates over those of `materials` that are not the lava.
    pub fn besides_lava(materials: &[Self]) -> impl Iterator<Item = &Self> + Clone {
        materials
            .iter()
            .filter(|material| !material.carries_energy())
    }

    /// Returns true if the cells of the material store energy in addition to the amount; true for
    /// lava only.
    pub fn carries_energy(&self) -> bool {
        self.kind == Kind::Viscous
    }

    /// Returns true if the material can supply heat to reactions: the lava, and materials that
    /// display the solid or liquid part of a melting body of lava.
    pub(crate) fn is_hot(&self) -> bool {
        self.carries_energy() || matches!(self.shows, Some(Shows::Solid | Shows::Melt))
    }

    /// Returns the group of rules that moves the material.
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

    /// Returns true if the material is a liquid whose pressure acts through connected cells
    /// ([`crate::rules::trace`]).
    pub fn traces(&self) -> bool {
        self.motion() == Motion::Trace
    }

    /// Checks that a column of this liquid which fills a simulation box of `ny` cells height
    /// compresses the lowest cell by less than a cell can store; `key` is the name of the
    /// material's table in messages.
    ///
    /// # Errors
    /// If `compress.max` is too large: the error states the largest value that fits.
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

/// Checks that the material called `name` is among the names `known` (which leave out the lava);
/// `key` is the name of the key in messages.
///
/// # Errors
/// If `name` is not among `known`: the error lists all known names.
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
