//! Input of volume and mesh exports: a simulation step with its provenance.

use super::Provenance;
use lavoxel_geo::map::Site;
use lavoxel_sim::state::State;

/// Simulation step with site and provenance: input of volume and mesh exports.
#[derive(Clone, Copy)]
pub struct ExportState<'a> {
    /// State of the world after the exported step.
    pub world: &'a State,
    /// Position of the simulation box on the map, and the size of its cells.
    pub site: &'a Site,
    /// Provenance that the files state: scene, seed, step and cautions.
    pub about: &'a Provenance,
    /// Hash of the state (see `State::state_hash`), computed once for all files of the step.
    pub state: u64,
}

impl ExportState<'_> {
    fn unit_of_heat(&self) -> &'static str {
        match self.world.flow() {
            None => "energy 1 is fresh lava",
            Some(_) => "temperature in K, viscosity in Pa s, velocity in m/s",
        }
    }

    /// Returns provenance and position of the box as pairs (name, text) for the metadata of
    /// exported files, equal in all formats.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let triple = |v: [f64; 3]| format!("{} {} {}", v[0], v[1], v[2]);
        let mut facts = vec![
            ("software", Provenance::SOFTWARE.to_owned()),
            ("scene", self.about.scene.clone()),
            ("seed", self.about.seed.to_string()),
            ("step", self.about.step.to_string()),
        ];
        facts.extend(
            self.about
                .time_s
                .map(|seconds| ("time_s", seconds.to_string())),
        );
        facts.extend([
            ("state", format!("{:016x}", self.state)),
            (
                "units",
                format!(
                    "lengths in metres; amount 1 is a full cell; {}",
                    self.unit_of_heat()
                ),
            ),
            ("offset_m", triple(self.site.offset_m())),
        ]);
        if let Some(map) = &self.site.georeference {
            facts.push(("map_north_west", format!("{} {}", map.x_west, map.y_north)));
            facts.extend(map.crs.to_wkt().map(|wkt| ("map_crs", wkt)));
        }
        facts
    }
}
