//! Tools with which a person changes the world: the effect and the settings of each tool.

use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Breath, Edit, Matter, Shape};
use lavoxel_render::Named;

/// Mouse tool: determines what a click or drag with the left button does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Orbits the camera by a drag; a text shows the values of the cell under the pointer.
    #[default]
    Orbit,
    /// Places a source of the chosen material at a click: a vent of lava, or a spring of another
    /// material.
    Source,
    /// Adds the chosen material to the cells under the brush.
    Fill,
    /// Fills the closed hollow of the terrain under a click with the chosen material.
    Bucket,
    /// Replaces all materials under the brush, or the one in `Tools::replaced`, by the chosen
    /// material.
    Replace,
    /// Turns the cells under the brush into rock.
    Rock,
    /// Raises (dam) or lowers (ditch) the ground along the line between two clicks.
    Dam,
    /// Removes rock and all materials from the cells under the brush.
    Dig,
    /// Removes liquids from the cells under the brush; rock stays.
    Drain,
    /// Adds heat, ash, steam and wind to the air under the brush.
    Air,
    /// Selects the clicked column for the live plots.
    Pick,
}

impl Named for Tool {
    const ALL: &'static [Self] = &[
        Self::Orbit,
        Self::Source,
        Self::Fill,
        Self::Bucket,
        Self::Replace,
        Self::Rock,
        Self::Dam,
        Self::Dig,
        Self::Drain,
        Self::Air,
        Self::Pick,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Orbit => "orbit",
            Self::Source => "source",
            Self::Fill => "fill",
            Self::Bucket => "bucket",
            Self::Replace => "replace",
            Self::Rock => "rock",
            Self::Dam => "dam",
            Self::Dig => "dig",
            Self::Drain => "drain",
            Self::Air => "air",
            Self::Pick => "pick",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Orbit => "Drag to orbit; the pointer probes the cell under it",
            Self::Source => {
                "Click the ground to place a source of the chosen material that pours from now on"
            }
            Self::Fill => "Drag to top cells up with the chosen material",
            Self::Bucket => {
                "Click to fill the hollow under the pointer up to it with the chosen material"
            }
            Self::Replace => "Drag to put the chosen material in the place of others",
            Self::Rock => "Drag to build rock; what is there moves aside",
            Self::Dam => {
                "Click both ends of a line: the ground along it rises, or falls where the height is below 0"
            }
            Self::Dig => "Drag to dig rock and liquids away",
            Self::Drain => "Drag to take liquids away and leave the rock",
            Self::Air => "Drag to warm the air, to put ash and steam into it, and to blow",
            Self::Pick => "Click a point: its thickness and temperature are plotted while it runs",
        }
    }
}

impl Tool {
    /// Returns true if the tool acts on the cells of the brush, a ball around the pointer.
    pub fn is_brush(self) -> bool {
        !matches!(self, Self::Orbit | Self::Source | Self::Dam | Self::Pick)
    }

    /// Returns true if the tool's effect depends on the chosen material.
    pub fn pours(self) -> bool {
        matches!(
            self,
            Self::Source | Self::Fill | Self::Bucket | Self::Replace
        )
    }

    /// Returns true if the tool applies its brush again and again while the button is held and the
    /// pointer rests.
    pub fn flows(self) -> bool {
        matches!(self, Self::Fill | Self::Drain | Self::Air)
    }
}

/// Settings of the next dam, and the first end of its line once the user has clicked that end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dam {
    /// Height of the dam above the ground in metres; negative for a ditch.
    pub height_m: f64,
    /// Width of the dam across its line in metres; 0 for a dam one column wide.
    pub width_m: f64,
    /// First end of the dam as x, y, z in cells; `None` before the first click.
    pub from: Option<[f32; 3]>,
}

impl Dam {
    /// Lower bound in metres of the default height of a dam.
    const USUAL_M: f64 = 5.0;
    /// Default height and width of a dam, in cells; used in the cellular automaton (classic model),
    /// whose lava flows are a few cells thick.
    pub const CELLS: (f64, f64) = (5.0, 4.0);

    /// Returns the default dam for a world of cells of the size `cell`. Physical model (lava is
    /// metres thick): one column wide, and 5 m or one cell high, whichever is more. Cellular
    /// automaton (classic model): [`Dam::CELLS`], but at least 5 m high.
    pub fn fitting(cell: CellSize) -> Self {
        let (high, wide) = if cell.is_of_flow {
            (1.0, 0.0)
        } else {
            Self::CELLS
        };
        Self {
            height_m: (high * cell.height_m).max(Self::USUAL_M),
            width_m: wide * cell.width_m,
            from: None,
        }
    }

    /// Returns the edit that builds this dam along the line between the points `ends` (x, y, z in
    /// cells), in a world of cells of the size `cell`.
    pub fn edit(&self, ends: [[f32; 3]; 2], cell: CellSize) -> Edit {
        let points = ends.map(|[x, _, z]| [f64::from(x), f64::from(z)]).to_vec();
        let by = self.height_m / cell.height_m;
        // The cellular automaton (classic model) has whole cells, so a dam is at least one cell
        // high.
        let by = if cell.is_of_flow {
            by
        } else {
            by.signum() * by.abs().round().max(1.0)
        };
        let width = self.width_m / cell.width_m;
        Edit {
            shape: Shape::Line { points, width },
            matter: Matter::Raise { by },
        }
    }
}

impl Default for Dam {
    fn default() -> Self {
        Self {
            height_m: Self::USUAL_M,
            width_m: 0.0,
            from: None,
        }
    }
}

/// Size of the cells of a world, on which the size of a dam depends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSize {
    /// Width of a cell in metres.
    pub width_m: f64,
    /// Height of a cell in metres.
    pub height_m: f64,
    /// Set if the world has the physical model of lava.
    pub is_of_flow: bool,
}

/// Settings of the brush, a ball of cells around the point under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// Radius of the brush in cells.
    pub radius: f64,
    /// Amount to which the brush fills each cell, as a fraction of a full cell, 0 to 1.
    pub amount: f64,
    /// Energy of a full cell of painted lava, relative to the default energy of lava from a vent
    /// (1).
    pub energy: f64,
    /// Heat, ash, steam and wind that the air tool sets in the air under the brush.
    pub breath: Breath,
}

impl Default for Brush {
    fn default() -> Self {
        Self {
            radius: 4.0,
            amount: 1.0,
            energy: 1.0,
            breath: BREATH,
        }
    }
}

impl Brush {
    /// Returns the matter that `tool` puts into the cells of the brush. `material`: name of the
    /// chosen material, `None` for lava; `replaced`: name of the only material that is replaced.
    pub fn matter(&self, tool: Tool, material: Option<&str>, replaced: Option<&str>) -> Matter {
        let name = || material.unwrap_or(Material::LAVA).to_owned();
        match tool {
            Tool::Rock => Matter::Rock,
            Tool::Dig => Matter::Nothing,
            Tool::Drain => Matter::Drain,
            Tool::Air => Matter::Air(self.breath),
            Tool::Bucket => Matter::Flood {
                name: name(),
                amount: self.amount,
            },
            Tool::Replace => Matter::Replace {
                of: replaced.map(str::to_owned),
                name: name(),
            },
            Tool::Orbit | Tool::Source | Tool::Fill | Tool::Dam | Tool::Pick => match material {
                None => Matter::Lava {
                    amount: self.amount,
                    energy: self.energy,
                    temperature_k: None,
                },
                Some(name) => Matter::Material {
                    name: name.to_owned(),
                    amount: self.amount,
                },
            },
        }
    }
}

/// Range (smallest, largest) in cells of the brush's radius that the user can set.
pub const BRUSH_RADIUS: (f64, f64) = (0.5, 40.0);

/// Default values that the air tool sets in the air under the brush: warm smoke, chosen by eye.
pub const BREATH: Breath = Breath {
    heat_k: 50.0,
    ash_kg_m3: 0.005,
    steam_kg_m3: 0.0,
    wind_m_s: [0.0; 3],
};
