//! Random volcano: generates a scene text from a seed and four parameters, for a file, the command
//! line and the window.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Scene, SceneError};
use lavoxel_automaton::view::CameraSpec;
use lavoxel_base::param::{Table, table};
use lavoxel_base::random::mix64;
use lavoxel_geo::terrain::DEFAULT_CELL_SIZE_M;

table! {
    /// Parameters of a random volcano; another seed gives another volcano.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RandomVolcano {
        /// Seed of the gullies, ribs and small cones, of the lava, and of the directions of the low
        /// lips of the rim.
        pub seed: u32 = 1;
        /// Height of the crater's rim as a share of the side of the box.
        pub relief: f64 = 0.235, [0.1, 0.9] "of the side";
        /// Radius of the crater as a share of the side of the box; the depth of the crater grows
        /// with it.
        pub crater: f64 = 0.075, [0.03, 0.15] "of the side";
        /// Strength of gullies and ribs; 0 gives a smooth cone.
        pub roughness: f64 = 1.0, [0.0, 2.0] "";
        /// Number of cells along each horizontal side of the box.
        pub side: usize = 128, [32.0, 512.0] "cells";
    }
}

/// Ratio of the depth of the random volcano's crater to its radius.
const DEPTH: f64 = 0.7;
/// Height of the box above the crater's rim, as a fraction of the side of the box.
const HEADROOM: f64 = 0.545;
/// Distance of the camera in diagonals of the box for a flat cone, and its increase per unit of
/// relief, so that a steep cone fits into the picture.
const NEAR: f64 = 0.6;
const FARTHER: f64 = 1.06;
/// Height of the point at which the camera looks, as a fraction of the height of the rim.
const LOOKED_AT: f64 = 0.56;
/// Length in cells of a horizontal side of the default volcano's box.
const USUAL_SIDE: f64 = 128.0;
/// Horizontal angle in degrees from the direction of the camera to the direction of the sun, both
/// seen from the volcano, clockwise from above. The sun stands behind the camera and lights the
/// visible side of the volcano.
const SUN_ASIDE_DEG: f32 = 52.0;
/// Number of simulation steps in the film of a volcano of the default size.
const USUAL_STEPS: f64 = 3000.0;

impl RandomVolcano {
    /// Generates the scene text of the volcano, a variation of the scene that the window opens.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] with the parameter that is out of range.
    pub fn text(&self) -> Result<String, SceneError> {
        let path = Path::new(ORIGIN).to_owned();
        self.check("volcano")
            .map_err(|invalid| SceneError::Invalid { path, invalid })?;
        let Self {
            seed,
            relief,
            crater,
            roughness,
            side,
        } = self;
        let size = self.size();
        let height = relief * *side as f64 / size[1] as f64;
        let high_m = size[1] as f64 * DEFAULT_CELL_SIZE_M;
        let wide = *side as f64 / USUAL_SIDE;
        // Converted to a fraction of the simulation box's height, the unit of the terrain's
        // `crater_depth`.
        let depth = (crater * DEPTH * *side as f64 / size[1] as f64).min(0.5 * height);
        let turn_deg = self.turn_deg();
        let (air_m, steps) = ((1.6 * high_m).ceil(), (USUAL_STEPS * wide).round());
        let margin_m = (160.0 * wide).round();
        Ok(format!(
            "# A volcano of the seed {seed}: lavoxel scene --random {seed} --relief {relief} --crater {crater} --roughness \
             {roughness} --side {side}.
name = \"volcano-{seed}\"
seed = {seed}

[grid]
size = {size:?}

[terrain]
kind = \"volcano\"
seed = {seed}
roughness = {roughness:?}
height = {height:.4}
crater_radius = {crater:?}
crater_depth = {depth:.4}
turn_deg = {turn_deg:?}

[rules]
walls = \"open\"

[air]
ratio = 4
height_m = {air_m:?}
margin_m = {margin_m:?}
wind = [[0.0, 2.0, 250.0], [1600.0, 7.0, 260.0]]

[[vent]]
at = \"summit\"
radius = 2.5
rate = 3.0
for_box = [128, 100, 128]
air = {{ gas = 0.02, steam = 0.004, ash = 0.0006, jet_m_s = 8.0 }}

[camera]
azimuth_deg = {:?}
elevation_deg = 11.0
distance = {:.3}
target = [0.5, {:.3}, 0.5]

[look]
surroundings = \"land\"
sun_azimuth_deg = {:?}

[film]
steps = {steps}
every = {}
",
            CameraSpec::default().azimuth_deg + turn_deg,
            NEAR + FARTHER * relief,
            LOOKED_AT * height,
            CameraSpec::default().azimuth_deg + turn_deg + SUN_ASIDE_DEG,
            (0.01 * steps).ceil()
        ))
    }

    /// Returns the number of cells along x, y and z; the height of the simulation box depends on
    /// the height of the rim.
    pub fn size(&self) -> [usize; 3] {
        let high = ((self.relief + HEADROOM) * self.side as f64).ceil() as usize;
        [self.side, high, self.side]
    }

    /// Returns the angle about the vertical axis by which volcano, camera and sun are rotated, in
    /// whole degrees; derived from the seed.
    fn turn_deg(&self) -> f32 {
        (mix64(u64::from(self.seed)) % 360) as f32
    }
}

/// Text that messages about a generated scene show in place of a file path.
const ORIGIN: &str = "(random volcano)";

impl Scene {
    /// Creates the scene of the random volcano `volcano`. Equal parameters give equal bits on every
    /// machine.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] with the parameter that is out of range.
    pub fn random(volcano: &RandomVolcano) -> Result<Self, SceneError> {
        Self::parse(&volcano.text()?, Path::new(ORIGIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::engine::plain::Plain;

    fn heights(volcano: &RandomVolcano) -> Vec<f32> {
        let stage = Scene::random(volcano)
            .expect("a scene")
            .build(Box::new(Plain))
            .expect("it fits its box");
        stage
            .simulation
            .world()
            .ground()
            .surface()
            .iter()
            .copied()
            .collect()
    }

    #[test]
    fn a_seed_is_a_volcano_and_every_number_changes_it() {
        let usual = RandomVolcano {
            side: 48,
            ..RandomVolcano::default()
        };
        assert_eq!(heights(&usual), heights(&usual));
        let others = [
            RandomVolcano {
                seed: 2,
                ..usual.clone()
            },
            RandomVolcano {
                relief: 0.4,
                ..usual.clone()
            },
            RandomVolcano {
                crater: 0.12,
                ..usual.clone()
            },
            RandomVolcano {
                roughness: 0.3,
                ..usual.clone()
            },
            RandomVolcano {
                side: 56,
                ..usual.clone()
            },
        ];
        for other in others {
            assert_ne!(heights(&other), heights(&usual), "{other:?}");
        }
    }

    #[test]
    fn volcanoes_at_the_ends_of_all_ranges_fit_their_boxes_and_erupt() {
        let ends = |key: &str| {
            RandomVolcano::param(key)
                .map(|param| (param.low, param.high))
                .expect("a key")
        };
        for seed in [7, u32::MAX] {
            for corner in 0..16_u32 {
                let end = |bit: u32, key: &str| {
                    if corner >> bit & 1 == 0 {
                        ends(key).0
                    } else {
                        ends(key).1
                    }
                };
                let side = if corner & 8 == 0 { 32 } else { 40 };
                let (relief, crater, roughness) =
                    (end(0, "relief"), end(1, "crater"), end(2, "roughness"));
                let volcano = RandomVolcano {
                    seed,
                    relief,
                    crater,
                    roughness,
                    side,
                };
                let scene = Scene::random(&volcano).expect("a scene");
                let mut simulation = scene.build(Box::new(Plain)).expect("it fits").simulation;
                (0..3).for_each(|_| simulation.step());
                let lava = simulation.world().lava();
                assert!(lava.mass() > 0 && lava.ledger().blocked == 0, "{volcano:?}");
            }
        }
    }

    #[test]
    fn a_number_out_of_range_is_named() {
        let flat = RandomVolcano {
            relief: 0.0,
            ..RandomVolcano::default()
        };
        let message = Scene::random(&flat).expect_err("flat").to_string();
        assert!(message.contains("volcano.relief = 0: must be"), "{message}");
    }
}
