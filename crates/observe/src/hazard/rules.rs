//! Fingerprint of the rules that determine a run: a map must not combine runs that were simulated
//! by different rules.

/// Hash of the results of small trial simulations, of drawn samples and of the rest criterion;
/// equal for any number of threads and on all machines. A test simulates the trials, and prints the
/// new value after a change of the rules. The value is a constant, because the trials would delay
/// each command by a second.
pub(crate) const FINGERPRINT: u64 = 0x1807_ddba_7255_de69;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use xxhash_rust::xxh3::xxh3_64;

    use super::FINGERPRINT;
    use crate::hazard::run::REST;
    use crate::hazard::{Curve, Distribution, Places, Plan, Seeds, Size};
    use lavoxel_automaton::engine::tiled::Tiled;
    use lavoxel_flow::{Cooling, Flow, FlowBox, FlowEdit, FlowPour, FlowSetup, Lava};
    use lavoxel_geo::map::features::{Feature, Geometry};
    use lavoxel_scene::scene::Scene;
    use lavoxel_sim::simulation::Simulation;
    use lavoxel_sim::source::VentSpec;

    /// Number of steps in each trial simulation, from whose results the fingerprint is computed.
    const STEPS: u64 = 60;

    /// Returns a lava with a yield strength that loses heat through a crust with open cracks, and
    /// by conduction to the bed.
    fn basalt() -> Lava {
        let cooling = Cooling::Skin {
            tear_m: 200.0,
            exposed: 0.02,
        };
        Lava {
            yield_pa: 500.0,
            conduction: 2.0,
            bed_conduction: 1.0,
            cooling,
            ..Lava::default()
        }
    }

    fn flow(lava: Lava, step_s: f64, dx_m: f64) -> Flow {
        let space = FlowBox {
            nx: 14,
            ny: 24,
            nz: 9,
            dx_m,
            dz_m: 0.5 * dx_m,
        };
        let setup = FlowSetup {
            lava,
            step_s,
            open_sides: true,
            seed: 1,
            heaters: Vec::new(),
        };
        let ground: Vec<f64> = (0..space.columns())
            .map(|c| dx_m * (3.1 - 0.17 * (c % space.nx) as f64))
            .collect();
        Flow::new(space, setup, &ground).expect("the numbers of a trial are in range")
    }

    /// Simulates `lava` that fills a basin, leaves through a tunnel of one cell, runs down a slope,
    /// cools and solidifies. Returns the flow after `STEPS` steps.
    fn trial(lava: Lava) -> Flow {
        let mut flow = flow(lava, 60.0, 4.0);
        let cells = (1..8).flat_map(|x| (4..10).flat_map(move |y| (1..8).map(move |z| [x, y, z])));
        let is_open = |[x, y, z]: [usize; 3]| {
            if x < 5 {
                x > 1 && (3..6).contains(&z)
            } else {
                y == 4 && z == 4
            }
        };
        flow.edit(cells.filter(|&place| !is_open(place)), FlowEdit::Rock);
        for step in 0..STEPS {
            let poured = |step: u64| 60.0 * step.min(STEPS / 2) as f64;
            let (column, level) = (4 * flow.space().nx + 3, None);
            let (before_m3, after_m3) = (poured(step), poured(step + 1));
            flow.step(&[FlowPour {
                column,
                level,
                before_m3,
                after_m3,
                temperature_k: 1360.0,
            }]);
        }
        flow
    }

    /// Simulates a block of wax that melts in a warm room. Returns the flow after `STEPS` steps.
    fn melting() -> Flow {
        let lava = Lava {
            ambient_k: 360.0,
            vent_k: 360.0,
            convection: 200.0,
            ..Lava::preset("paraffin-wax").expect("one")
        };
        let mut flow = flow(lava, 2.0, 0.01);
        let block = (3..6).flat_map(|x| (7..10).flat_map(move |y| (3..6).map(move |z| [x, y, z])));
        flow.edit(
            block,
            FlowEdit::Solid {
                temperature_k: 320.0,
            },
        );
        (0..STEPS).for_each(|_| flow.step(&[]));
        flow
    }

    /// Scene file in which lava meets a sea, sand and air, with the default reactions.
    const SHORE: &str = "model = \"flow\"\n[flow]\nstep_s = 10.0\n[grid]\nsize = [24, 16, 16]\ncell_size_m = 5.0\n\
                         [terrain]\nkind = \"slope\"\n[[vent]]\nx = 8.0\nz = 8.0\nradius = 1.0\nrate_m3_s = 20.0\n\
                         [[material]]\nname = \"water\"\n[[material]]\nname = \"steam\"\n[[material]]\nname = \"sand\"\n\
                         [[body]]\nshape = { kind = \"below\", level = 6.0 }\n\
                         matter = { kind = \"material\", name = \"water\", amount = 1.0 }\n\
                         [[body]]\nshape = { kind = \"box\", from = [8, 12, 10], to = [12, 16, 14] }\n\
                         matter = { kind = \"material\", name = \"sand\", amount = 1.0 }\n\
                         [air]\nstep_s = 10.0\nheight_m = 80.0\nsteam = \"steam\"\nwind = [[0.0, 2.0, 250.0]]\n";

    /// Simulates the scene `SHORE` for `STEPS` steps; `None` if the scene is invalid, which a test
    /// excludes.
    fn shore() -> Option<Simulation> {
        let scene = Scene::parse(SHORE, Path::new("shore.toml")).ok()?;
        let mut simulation = scene.build(Box::new(Tiled::default())).ok()?.simulation;
        (0..STEPS).for_each(|_| simulation.step());
        Some(simulation)
    }

    /// Returns a plan of a hazard study that uses each kind of distribution.
    fn drawn() -> Plan {
        let feature = |geometry, weight| Feature::new(geometry, weight);
        let square = vec![[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0], [0.0, 0.0]];
        let features = vec![
            feature(Geometry::Polygons(vec![vec![square]]), 2.0),
            feature(Geometry::Lines(vec![vec![[20.0, 5.0], [60.0, 7.0]]]), 1.0),
        ];
        Plan {
            runs: 3,
            seed: 7,
            seeds: Seeds::Own,
            places: Places::new(features).expect("two features"),
            rates: Distribution::LogUniform(1.0, 10.0),
            size: Size::Volume(Distribution::LogNormal(1e5, 2.0)),
            correlation: None,
            curve: Curve::Steady,
            limit_s: None,
            draws: Vec::new(),
            vent: VentSpec::default(),
        }
    }

    #[test]
    fn the_fingerprint_is_that_of_the_trials() {
        let skin = Lava {
            cooling: Cooling::Skin {
                tear_m: 20.0,
                exposed: 0.0,
            },
            ..basalt()
        };
        let trials = [trial(basalt()), trial(skin), melting()].map(|flow| flow.hash());
        let draws: Vec<_> = (0..3).map(|run| drawn().sample(run)).collect();
        let beside = shore().map(|simulation| simulation.world().state_hash());
        let found = xxh3_64(format!("{trials:?} {beside:?} {draws:?} {REST:?}").as_bytes());
        assert_eq!(
            found, FINGERPRINT,
            "the rules of a run are others: FINGERPRINT has to be {found:#018x}"
        );
    }

    #[test]
    fn the_trials_do_what_they_are_for() {
        let lava = trial(basalt());
        let account = lava.account();
        assert!(
            account.set > 0 && account.heat_roof > 0 && account.heat_bed > 0,
            "{account:?}"
        );
        assert!(
            melting().account().set < melting().account().placed,
            "nothing melted"
        );
        let shore = shore().expect("a right scene");
        let flow = shore.world().flow().expect("a flow").account();
        assert!(flow.heat_used > 0, "the sea takes no heat: {flow:?}");
        let sand = shore.world().layer("sand").expect("sand");
        assert!(sand.held().any(|(place, _)| place[1] < 12), "no sand fell");
        assert!(shore.world().air().is_some_and(|air| air.check().is_ok()));
        // Each change must alter the result, so that a change of its rule shows in the hash.
        let changes: [fn(&mut Lava); 7] = [
            |lava| lava.density_kg_m3 += 1.0,
            |lava| lava.yield_pa += 1.0,
            |lava| lava.solidus_k -= 20.0,
            |lava| lava.emissivity -= 0.01,
            |lava| lava.conduction += 0.1,
            |lava| lava.bed_conduction += 0.1,
            |lava| lava.latent_heat += 1e3,
        ];
        for (i, change) in changes.into_iter().enumerate() {
            let mut other = basalt();
            change(&mut other);
            assert_ne!(lava.hash(), trial(other).hash(), "change {i}");
        }
    }
}
