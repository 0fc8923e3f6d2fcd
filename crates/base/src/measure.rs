//! Measures (quantities that can be displayed) of materials, ground, air and flow: names, units,
//! ranges and descriptions, all declared in this module.
//!
//! A `Quantity` is a measure of one material of a world.

use crate::param::{Form, Value};
use crate::units::ENERGY_SHOWN;

/// Kind of object to which a measure belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Any material of the scene, including the lava.
    Materials,
    /// A material whose cells store energy in addition to the amount, such as the lava.
    Carriers,
    /// The ground: solid cells and the height of the surface.
    Ground,
    /// The air around the lava, in a scene with an air model.
    Air,
    /// Ash deposited from the air on the ground.
    Fallout,
    /// The lava of the flow (the model of lava in metres, seconds and kelvin).
    Flow,
}

impl Of {
    /// Returns true if names of measures of this kind may have a material as prefix; without a
    /// prefix such a name means the lava.
    pub fn has_material(self) -> bool {
        !matches!(self, Self::Ground | Self::Fallout)
    }
}

/// Description of a measure for users, which does not depend on the scene: names, unit and kind of
/// object.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Name in files and command-line flags, such as `max-thickness`; without a material prefix.
    pub name: &'static str,
    /// Unit of the measure; empty for a pure number.
    pub unit: &'static str,
    /// One-line description for users; `{}` is replaced by the material's name.
    pub what: &'static str,
    /// Kind of object that has the measure.
    pub of: Of,
}

impl Facts {
    fn new(of: Of, name: &'static str, unit: &'static str, what: &'static str) -> Self {
        Self {
            name,
            unit,
            what,
            of,
        }
    }
}

/// Measure with one value per cell or one value per column; each measure has a static description.
pub trait Measure: Copy + PartialEq + 'static {
    /// All measures of this type, in display order.
    const ALL: &'static [Self];

    /// Name, unit, description and kind of object of the measure.
    fn facts(self) -> Facts;
}

/// Measures with one value per cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellMeasure {
    /// Amount of matter in the cell: 0 for none, 1 for a full cell.
    Amount,
    /// Energy of the cell's matter; 1 is the energy of a full cell of lava fresh from the vent.
    Energy,
    /// Energy per amount of the cell's matter; 1 is that of lava fresh from the vent.
    SpecificEnergy,
    /// Solid-ground indicator: 1 in a solid cell, 0 elsewhere.
    Solid,
    /// Excess temperature of the air over its hydrostatic reference state, in kelvin.
    Heat,
    /// Mass of ash per volume of air, in kg/m³.
    Ash,
    /// Mass of liquid water drops per volume of air, in kg/m³.
    Steam,
    /// Mass of ink per volume of air, summed over all colours, in kg/m³.
    Ink,
    /// Speed of the air, in m/s.
    Speed,
    /// Temperature of the flow's lava, in kelvin.
    Temperature,
    /// Viscosity of the flow's lava, in Pa s.
    Viscosity,
    /// Velocity of the flow's lava towards east, in m/s.
    VelocityEast,
    /// Velocity of the flow's lava towards north, in m/s.
    VelocityNorth,
    /// Solidified lava of the flow in the cell; 1 for a full cell.
    Set,
}

impl Measure for CellMeasure {
    const ALL: &'static [Self] = &[
        Self::Amount,
        Self::Energy,
        Self::SpecificEnergy,
        Self::Solid,
        Self::Heat,
        Self::Ash,
        Self::Steam,
        Self::Ink,
        Self::Speed,
        Self::Temperature,
        Self::Viscosity,
        Self::VelocityEast,
        Self::VelocityNorth,
        Self::Set,
    ];

    fn facts(self) -> Facts {
        match self {
            Self::Amount => Facts::new(
                Of::Materials,
                "amount",
                "full cells",
                "amount of {}, 0 to 1",
            ),
            Self::Energy => Facts::new(
                Of::Carriers,
                "energy",
                "vent units",
                "energy of the {}, 1 for a full cell from the vent",
            ),
            Self::SpecificEnergy => Facts::new(
                Of::Carriers,
                "specific-energy",
                "vent units per full cell",
                "energy of the {} per amount, 1 from the vent",
            ),
            Self::Solid => Facts::new(Of::Ground, "solid", "", "rock, and which material is where"),
            Self::Heat => Facts::new(
                Of::Air,
                "heat",
                "K",
                "how much warmer the air is than at rest",
            ),
            Self::Ash => Facts::new(Of::Air, "ash", "kg/m³", "ash in the air"),
            Self::Steam => Facts::new(Of::Air, "steam", "kg/m³", "drops of water in the air"),
            Self::Ink => Facts::new(
                Of::Air,
                "ink",
                "kg/m³",
                "ink in the air, all colours together",
            ),
            Self::Speed => Facts::new(Of::Air, "speed", "m/s", "speed of the air"),
            Self::Temperature => Facts::new(Of::Flow, "temperature", "K", "temperature of the {}"),
            Self::Viscosity => Facts::new(Of::Flow, "viscosity", "Pa s", "viscosity of the {}"),
            Self::VelocityEast => Facts::new(
                Of::Flow,
                "velocity-east",
                "m/s",
                "velocity of the {} towards east",
            ),
            Self::VelocityNorth => Facts::new(
                Of::Flow,
                "velocity-north",
                "m/s",
                "velocity of the {} towards north",
            ),
            Self::Set => Facts::new(Of::Flow, "set", "full cells", "{} that turned to rock"),
        }
    }
}

impl CellMeasure {
    /// Name of the measure without a material prefix.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Values of the measure at the lower and upper end of a colour scale, in the unit of the
    /// measure; values of cells may lie outside. For a temperature the ends depend on the lava: see
    /// `StateRef::range`.
    pub fn range(self) -> (f32, f32) {
        match self {
            Self::Amount | Self::Solid | Self::Set => (0.0, 1.0),
            Self::Energy | Self::SpecificEnergy => (0.0, ENERGY_SHOWN),
            Self::Heat => (0.0, 50.0),
            Self::Ash | Self::Steam | Self::Ink => (0.0, 0.01),
            Self::Speed => (0.0, 20.0),
            Self::Temperature => (273.0, 1500.0),
            Self::Viscosity => (0.0, 1e4),
            Self::VelocityEast | Self::VelocityNorth => (-1.0, 1.0),
        }
    }

    /// Title and unit under the colour bar of a picture; `None` for a measure without a colour
    /// scale.
    pub fn bar(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Amount => Some(("amount", "of a cell")),
            Self::Energy => Some(("energy", "of a vent's cell")),
            Self::SpecificEnergy => Some(("energy per amount", "vent = 1")),
            Self::Solid => None,
            Self::Heat => Some(("air warmer than at rest", "K")),
            Self::Ash => Some(("ash in the air", "kg/m³")),
            Self::Steam => Some(("drops in the air", "kg/m³")),
            Self::Ink => Some(("ink in the air", "kg/m³")),
            Self::Speed => Some(("speed of the air", "m/s")),
            Self::Temperature => Some(("temperature", "K")),
            Self::Viscosity => Some(("viscosity", "Pa s")),
            Self::VelocityEast => Some(("velocity east", "m/s")),
            Self::VelocityNorth => Some(("velocity north", "m/s")),
            Self::Set => Some(("set lava", "of a cell")),
        }
    }
}

/// Measures with one value per column of cells, such as maps show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnMeasure {
    /// Present thickness of the measured material in the column, in metres.
    Thickness,
    /// Number of the step after which the measured material first appeared in the column.
    Arrival,
    /// Maximum thickness of the measured material after any step so far, in metres.
    MaxThickness,
    /// Largest energy that any cell of the column had after any step so far; 1 is the energy of a
    /// full cell of lava fresh from the vent.
    PeakEnergy,
    /// Elevation of the upper surface of the ground, the measured material and all denser materials
    /// together, in metres.
    Surface,
    /// Elevation of the ground, in metres.
    Ground,
    /// Mass of ash deposited from the air on the ground, in kg/m².
    Ash,
    /// Time at which lava of the flow first appeared in the column, in hours since the start of the
    /// simulation.
    ArrivalTime,
    /// Thickness of solidified lava of the flow, in metres.
    SetThickness,
    /// Temperature of the surface of the flow's lava, in kelvin.
    Temperature,
    /// Viscosity of the flow's uppermost lava, in Pa s.
    Viscosity,
    /// Maximum surface speed of the flow's lava so far, in m/s.
    MaxSpeed,
}

impl Measure for ColumnMeasure {
    const ALL: &'static [Self] = &[
        Self::Thickness,
        Self::Arrival,
        Self::MaxThickness,
        Self::PeakEnergy,
        Self::Surface,
        Self::Ground,
        Self::Ash,
        Self::ArrivalTime,
        Self::SetThickness,
        Self::Temperature,
        Self::Viscosity,
        Self::MaxSpeed,
    ];

    fn facts(self) -> Facts {
        match self {
            Self::Thickness => Facts::new(Of::Materials, "thickness", "m", "{} thickness"),
            Self::Arrival => Facts::new(
                Of::Materials,
                "arrival",
                "steps",
                "number of steps after which {} first stood here",
            ),
            Self::MaxThickness => Facts::new(
                Of::Materials,
                "max-thickness",
                "m",
                "largest {} thickness after any step",
            ),
            Self::PeakEnergy => Facts::new(
                Of::Carriers,
                "peak-energy",
                "vent units",
                "largest energy of a cell after any step",
            ),
            Self::Surface => {
                Facts::new(Of::Materials, "surface", "m", "elevation of ground and {}")
            }
            Self::Ground => Facts::new(Of::Ground, "ground", "m", "elevation of the ground"),
            Self::Ash => Facts::new(Of::Fallout, "ash", "kg/m²", "ash that fell from the air"),
            Self::ArrivalTime => Facts::new(
                Of::Flow,
                "arrival",
                "h",
                "hours after which {} first stood here",
            ),
            Self::SetThickness => {
                Facts::new(Of::Flow, "set-thickness", "m", "{} that turned to rock")
            }
            Self::Temperature => Facts::new(
                Of::Flow,
                "temperature",
                "K",
                "temperature of the surface of the {}",
            ),
            Self::Viscosity => Facts::new(
                Of::Flow,
                "viscosity",
                "Pa s",
                "viscosity of the uppermost {}",
            ),
            Self::MaxSpeed => Facts::new(
                Of::Flow,
                "max-speed",
                "m/s",
                "largest speed of the surface of the {}",
            ),
        }
    }
}

/// Colour ramp of a measure on maps, in pictures and in QGIS style files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// Name of the palette: an entry of `PALETTE_NAMES`, or `land` for the colours of elevations.
    pub palette: &'static str,
    /// True if the palette is reversed: small values are bright, as on maps of fallen ash.
    pub reversed: bool,
    /// Rule that sets the values at the two ends of the palette.
    pub span: Span,
    /// True if the value 0 is fully transparent, so that the ground shows through.
    pub none_at_zero: bool,
}

/// Rule that sets the values at the two ends of a palette, from the values on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    /// Linear, from 0 to the largest value on the map, rounded up.
    FromZero,
    /// Linear, from the smallest to the largest value on the map.
    Found,
    /// Logarithmic, over this number of powers of ten below the upper end; the upper end is the
    /// largest value on the map, rounded up.
    Decades(u8),
}

impl Ramp {
    fn new(palette: &'static str, span: Span, none_at_zero: bool) -> Self {
        Self {
            palette,
            reversed: false,
            span,
            none_at_zero,
        }
    }

    fn reversed(self) -> Self {
        Self {
            reversed: true,
            ..self
        }
    }
}

/// Appearance on maps and data needs of each measure of columns. To add a measure, add a variant,
/// an entry of `ALL`, a line in `facts`, a line in `ramp`, and its values in
/// `export::maps::Maps::values`.
impl ColumnMeasure {
    /// Colour ramp of the measure on maps.
    pub fn ramp(self) -> Ramp {
        match self {
            Self::Thickness | Self::MaxThickness | Self::SetThickness => {
                Ramp::new("lava", Span::FromZero, true)
            }
            Self::Arrival | Self::ArrivalTime | Self::MaxSpeed => {
                Ramp::new("viridis", Span::FromZero, false)
            }
            Self::Temperature => Ramp::new("inferno", Span::Found, false),
            Self::Viscosity => Ramp::new("viridis", Span::Decades(4), false),
            Self::PeakEnergy => Ramp::new("inferno", Span::FromZero, false),
            Self::Surface | Self::Ground => Ramp::new("land", Span::Found, false),
            Self::Ash => Ramp::new("inferno", Span::Decades(4), true).reversed(),
        }
    }

    /// Returns true if the measure needs the history of the simulation (`Records`), which is kept
    /// only on request.
    pub fn needs_records(self) -> bool {
        matches!(self, Self::Arrival | Self::MaxThickness | Self::PeakEnergy)
    }
}

/// Measures whose values can set the colour of the lava in pictures.
pub const COLORS: [CellMeasure; 2] = [CellMeasure::Amount, CellMeasure::SpecificEnergy];

/// Older names of the measures in `COLORS`, in the same order, accepted in scene files.
pub const OLDER_COLORS: [&str; 2] = ["density", "energy"];

impl Value for CellMeasure {
    /// Form of a scene key that selects the measure whose value colours the lava: one of the names
    /// of `COLORS`, or an older name.
    fn form() -> Form {
        Form::Words(
            COLORS
                .map(|measure| measure.facts().name)
                .into_iter()
                .chain(OLDER_COLORS)
                .collect(),
        )
    }
}
