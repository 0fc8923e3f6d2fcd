//! `[[heater]]` tables of a scene of the physical model: flames and hot plates.

use serde::{Deserialize, Serialize};

use super::{FlowSpec, SceneSpec, Seconds};
use lavoxel_automaton::world::Shape;
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::{Invalid, within};
use lavoxel_flow::{FlowHeater, Heats};

/// Upper bound on the number of heaters of a scene.
const MAX_HEATERS: usize = 1000;

table! {
    /// Heater: a source of heat at a fixed place in the box.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct HeaterSpec {
        /// Region of the heater, in cells of the box as for bodies.
        must pub shape: Shape;
        /// Cells that are heated: `"surface"`, the cells in the shape with an empty cell above, as
        /// by a flame; or `"inside"`, all cells in the shape.
        #[serde(default)]
        may pub heats: Heats;
        /// Heating power, spread over the matter in the heated cells in proportion to its amount;
        /// without matter no heat is given.
        must pub power_w: f64, [0.0, 1e12] "W";
        /// Temperature above which matter is not heated further; absent: that of the vents,
        /// `flow.lava.vent_k`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub up_to_k: Option<f64>, [1.0, 2000.0] "K";
        /// Time at which the heater is switched on.
        #[serde(default = "at_once")]
        may pub from: Seconds, [0.0, 1e12] "s";
        /// Time at which the heater is switched off; absent: never.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub until: Option<Seconds>, [0.0, 1e12] "s";
    }
}

fn at_once() -> Seconds {
    Seconds(0.0)
}

impl HeaterSpec {
    fn validate(&self, key: &str) -> Result<(), Invalid> {
        if let Some(kind) = self.shape.kind_of_file() {
            let expected =
                "another shape: a file is put into the box by a [[body]] or an [[event]]";
            return Err(Invalid::new(&format!("{key}.shape.kind"), kind, expected));
        }
        self.shape.validate(&format!("{key}.shape"))?;
        self.check(key)?;
        self.until.map_or(Ok(()), |until| {
            within(&format!("{key}.until"), until.0, self.from.0, 1e12)
        })
    }

    fn on(&self, spec: &FlowSpec, grid: Grid) -> FlowHeater {
        let cells = self
            .shape
            .cells(grid)
            .map(|[x, y, z]| ((z * grid.nx + x) as u32, y as u32));
        FlowHeater {
            cells: cells.collect(),
            heats: self.heats,
            power_w: self.power_w,
            up_to_k: self.up_to_k.unwrap_or(spec.lava.lava.vent_k),
            from_s: self.from.0,
            until_s: self.until.map_or(f64::INFINITY, |until| until.0),
        }
    }
}

impl SceneSpec {
    /// Checks the values of all heaters, and that the scene's lava has a melting point if the scene
    /// has heaters.
    pub(super) fn check_heaters(&self) -> Result<(), Invalid> {
        within(
            "number of [[heater]] tables",
            self.heaters.len() as f64,
            0.0,
            MAX_HEATERS as f64,
        )?;
        if !self.heaters.is_empty() && !self.melts() {
            let expected = "left out, or model = \"flow\" and a lava with liquidus_k, such as lava = \"paraffin-wax\"";
            return Err(Invalid::new("heater", "set", expected));
        }
        self.heaters
            .iter()
            .enumerate()
            .try_for_each(|(i, heater)| heater.validate(&format!("heater[{i}]")))
    }

    /// Returns true if the lava of the scene has a solid phase that can melt.
    pub(super) fn melts(&self) -> bool {
        self.flow_spec().is_some_and(|flow| flow.lava.lava.melts())
    }

    /// Estimates the memory of the cells of all heaters in a box of shape `grid`.
    pub(super) fn need_of_heaters(&self, grid: Grid) -> MemoryEstimate {
        let cells: f64 = self
            .heaters
            .iter()
            .map(|heater| heater.shape.extent(grid).iter().product::<f64>())
            .sum();
        MemoryEstimate::new("the heaters", 1, cells * size_of::<(u32, u32)>() as f64)
    }

    /// Returns the heaters of the scene, with the cells that they heat in a box of shape `grid`.
    pub(super) fn heaters_in(&self, spec: &FlowSpec, grid: Grid) -> Vec<FlowHeater> {
        self.heaters
            .iter()
            .map(|heater| heater.on(spec, grid))
            .collect()
    }
}
