//! The table `[air]` of a scene: its keys, their checks, and the grid of air cells that follows.

use serde::{Deserialize, Serialize};

use crate::practical_fluid::PracticalFluidParams;
use crate::{AirGrid, Motion, Side, Wind};
use lavoxel_base::grid::{Grid, MAX_SIDE};
use lavoxel_base::param::{Table, table, words};
use lavoxel_base::validate::{Invalid, within};

/// Number of voxels along the longest side of the box above which an air cell is by default 4
/// voxels wide instead of 2.
const LARGE: usize = 256;

/// Largest number of air cells in a scene; all of these are stored.
const MAX_CELLS: f64 = (1u64 << 29) as f64;

words!(Side, Motion);

table! {
    /// Sides of the air's box. The floor is always a wall, and so are open sides across which the
    /// box is one cell thick.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct SidesSpec {
        /// West and east side.
        pub x: Side = Side::Open;
        /// North and south side.
        pub z: Side = Side::Open;
        /// Top; it cannot wrap.
        pub top: Side = Side::Open;
    }
}

table! {
    /// The air of a scene; units are metres, seconds and kelvin.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct AirSpec {
        /// Solver that moves the air.
        pub solver: Motion = Motion::default();
        /// Edge of an air cell: 1, 2, 4 or 8 voxels; larger cells are coarser and cheaper. Absent:
        /// 2, or 4 in a box of more than 256 cells a side.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ratio: Option<usize> = None, [1.0, 8.0] "voxels";
        /// Height of the air's box; absent: twice the height of the voxels' box.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub height_m: Option<f64> = None, [1e-3, 1e6] "m";
        /// Width of the margin of air around the voxels' box.
        pub margin_m: f64 = 0.0, [0.0, 1e6] "m";
        /// Sides of the air's box, `{ x = …, z = …, top = … }`; the floor is a wall, and so are
        /// open sides across which the box is one cell thick.
        pub sides: SidesSpec = SidesSpec::default();
        /// Time that passes in the air during one step of the lava. More makes all motion of the
        /// air faster, and doubles the cost of steps in which air moves by more than 3.2 cells.
        pub step_s: f64 = 0.5, [1e-6, 3600.0] "s";
        /// Wind profile as rows `[height, speed, direction]`: height above the floor in metres,
        /// speed in m/s up to 200, and direction from which the wind comes, in degrees from north
        /// over east; linear between the rows.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::many")]
        pub wind: Vec<[f64; 3]> = Vec::new();
        /// Buoyancy frequency (Brunt and Väisälä) of stratified air, 0 none; 0.0106 is the standard
        /// atmosphere, in which plumes spread out at the height where they weigh as much as the air
        /// around them.
        pub stratification: f64 = 0.0, [0.0, 0.1] "1/s";
        /// Temperature of the air around the lava and the plumes.
        pub ambient_k: f64 = 288.0, [50.0, 1000.0] "K";
        /// Number of inks in the air: weightless dyes in the colours of `look.air.inks`.
        pub inks: usize = 0, [0.0, 4.0] "";
        /// Mass of ash, drops or ink per cubic metre of air that counts as one unit; sources fill a
        /// cell of the air up to 256 units.
        pub ash_unit_kg_m3: f64 = 0.01, [1e-6, 10.0] "kg/m³";
        /// Speed at which ash sinks through the air.
        pub fall_m_s: f64 = 0.5, [0.0, 100.0] "m/s";
        /// Share of the steam's water drops that evaporates in a second; less where the air is hot
        /// or full of ash.
        pub fade_per_s: f64 = 0.1, [0.0, 100.0] "1/s";
        /// Heat flow from lava to air through a square metre for each kelvin of temperature
        /// difference.
        pub convection: f64 = 50.0, [0.0, 1e4] "W/(m² K)";
        /// Name of the gas among the materials that goes into the air as steam; absent: gases stay
        /// in the voxels.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub steam: Option<String> = None;
        /// Coefficients `[a, b, c]` of the friction: each step reduces a speed v by a·v² + b·v + c,
        /// in cells and steps.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub friction: [f64; 3] = [0.0; 3], [0.0, 1.0] "";
        /// Strength of the vorticity confinement, which returns to small eddies the energy that the
        /// grid takes from them, and no more; only for the solver `incompressible`.
        pub confinement: f64 = 0.0, [0.0, 0.15] "1/s";
        /// Parameters of the solver `article`.
        pub article: PracticalFluidParams = PracticalFluidParams::default();
        /// Name of the grains among the materials that fallen ash becomes, one grain per full
        /// voxel; absent: fallen ash is only counted.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ash: Option<String> = None;
    }
}

impl AirSpec {
    /// Checks that every key of the table is in range; that `steam` and `ash` name materials is
    /// checked by the scene.
    ///
    /// # Errors
    /// Returns an error that names the first key out of range.
    pub fn validate(&self) -> Result<(), Invalid> {
        let wrong_ratio = |ratio| Invalid::new("air.ratio", ratio, "1, 2, 4 or 8");
        self.ratio
            .filter(|ratio| ![1, 2, 4, 8].contains(ratio))
            .map_or(Ok(()), |ratio| Err(wrong_ratio(ratio)))?;
        self.check("air")?;
        Wind(self.wind.clone()).validate("air.wind")?;
        self.article.validate()?;
        if self.sides.top == Side::Wrap {
            return Err(Invalid::new(
                "air.sides.top",
                "wrap",
                "\"open\" or \"wall\"",
            ));
        }
        Ok(())
    }

    /// Returns the grid of the air over the box `voxels`, whose cells have an edge of `cell_m`
    /// metres; the number of air cells along each axis is rounded up to a multiple of `multiple`.
    ///
    /// # Errors
    /// If the grid has too many cells; the error names the key to change.
    pub fn grid_of(&self, voxels: Grid, cell_m: f64, multiple: usize) -> Result<AirGrid, Invalid> {
        let sides = [voxels.nx, voxels.ny, voxels.nz];
        let usual = if sides.into_iter().any(|side| side > LARGE) {
            4
        } else {
            2
        };
        let ratio = self
            .ratio
            .unwrap_or(if voxels.is_thin() { 1 } else { usual });
        let edge = ratio as f64 * cell_m;
        let margin = (self.margin_m / edge).ceil();
        within("air.margin_m in air cells", margin, 0.0, MAX_SIDE as f64)?;
        let across = |side: usize| {
            if side == 1 {
                1
            } else {
                side.div_ceil(ratio) + 2 * margin as usize
            }
        };
        let high = self
            .height_m
            .map_or((2 * voxels.ny).div_ceil(ratio) as f64, |height| {
                (height / edge).ceil()
            });
        within(
            "air.height_m in air cells",
            high,
            voxels.ny.div_ceil(ratio) as f64,
            MAX_SIDE as f64,
        )?;
        let rounded = |cells: usize| {
            if cells == 1 {
                1
            } else {
                cells.next_multiple_of(multiple)
            }
        };
        let [nx, ny, nz] = [across(voxels.nx), high as usize, across(voxels.nz)].map(rounded);
        within(
            "number of air cells",
            nx as f64 * ny as f64 * nz as f64,
            1.0,
            MAX_CELLS,
        )?;
        let corner = [voxels.nx, voxels.nz].map(|side| {
            if side == 1 {
                0
            } else {
                -((margin as usize * ratio) as i32)
            }
        });
        // Air in a slice moves in two directions only: nothing leaves across the slice.
        let thin = |side: Side, cells: usize| {
            if cells == 1 && side == Side::Open {
                Side::Wall
            } else {
                side
            }
        };
        let sides = [
            thin(self.sides.x, nx),
            self.sides.top,
            thin(self.sides.z, nz),
        ];
        Ok(AirGrid {
            cells: Grid::new(nx, ny, nz),
            ratio,
            corner,
            sides,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_of_the_air_has_room_around_the_voxels() {
        let spec = AirSpec {
            margin_m: 45.0,
            height_m: Some(1210.0),
            ..AirSpec::default()
        };
        let grid = spec
            .grid_of(Grid::new(128, 100, 100), 10.0, 8)
            .expect("fits");
        assert_eq!((grid.ratio, grid.corner), (2, [-6, -6]));
        assert_eq!(grid.size(), [72, 64, 56]);
        assert_eq!(
            AirSpec::default()
                .grid_of(Grid::new(300, 10, 30), 1.0, 1)
                .expect("fits")
                .size(),
            [75, 5, 8]
        );
        let thin = AirSpec::default()
            .grid_of(Grid::new(90, 60, 1), 1.0, 1)
            .expect("fits");
        assert_eq!((thin.size(), thin.ratio), ([90, 120, 1], 1));
        let low = AirSpec {
            height_m: Some(500.0),
            ..spec.clone()
        };
        assert!(
            low.grid_of(Grid::new(128, 100, 100), 10.0, 8).is_err(),
            "lower than the voxels"
        );
        let wide = AirSpec {
            margin_m: 1e6,
            ..spec
        };
        assert!(wide.grid_of(Grid::new(128, 100, 100), 1e-3, 8).is_err());
    }

    #[test]
    fn wrong_tables_name_their_key() {
        let wrong = |text: &str| {
            let spec: AirSpec = toml::from_str(text)
                .map_err(|e| e.message().to_owned())
                .expect("keys");
            spec.validate().expect_err(text).to_string()
        };
        assert_eq!(wrong("ratio = 3"), "air.ratio = 3: must be 1, 2, 4 or 8");
        assert_eq!(
            wrong("sides = { top = \"wrap\" }"),
            "air.sides.top = wrap: must be \"open\" or \"wall\""
        );
        assert!(
            wrong("wind = [[5.0, 1.0, 0.0], [5.0, 2.0, 0.0]]")
                .contains("in the order of the heights")
        );
        assert!(wrong("step_s = 0.0").starts_with("air.step_s = 0"));
        assert!(toml::from_str::<AirSpec>("solver_s = 1.0").is_err());
        let air: AirSpec = toml::from_str("").expect("all keys have defaults");
        assert_eq!(air.validate(), Ok(()));
    }
}
