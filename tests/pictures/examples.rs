//! Tests that run the programs of `examples/` unchanged, and check the pictures and tables that
//! they write.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::error::Error;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use image::RgbImage;
use lavoxel::prelude::*;
use lavoxel::scene::{FilmSpec, GridSpec, SceneSpec, VentTable};
use lavoxel::state::State;
use lavoxel::terrain::TerrainSpec;
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};

mod first {
    include!("../../examples/first.rs");

    #[test]
    fn a_first_program_has_fifteen_lines_and_draws_lava_in_its_valley() {
        let text = include_str!("../../examples/first.rs");
        let is_code = |line: &&str| !line.trim().is_empty() && !line.starts_with("//");
        assert!(text.lines().filter(is_code).count() <= 15, "{text}");
        let picture = super::picture_of(main, "first.png");
        let glowing = picture
            .pixels()
            .filter(|p| p.0[0] > 150 && p.0[0] > p.0[2].saturating_add(60))
            .count();
        assert!(
            glowing > 1000,
            "{glowing} of {} pixels glow",
            picture.pixels().len()
        );
    }
}

mod own_volume {
    include!("../../examples/own_volume.rs");

    #[test]
    fn a_volume_of_ones_own_is_drawn_in_the_colours_of_its_energy() {
        let picture = super::picture_of(main, "own-volume.png");
        // The palette Turbo runs from blue over green to red, as the energy does from the floor to
        // the roof.
        let row_of = |is: fn([i32; 3]) -> bool| {
            let rows: Vec<u32> = picture
                .enumerate_pixels()
                .filter(|(.., p)| is(p.0.map(i32::from)))
                .map(|(_, y, _)| y)
                .collect();
            assert!(rows.len() > 300, "{} pixels", rows.len());
            rows.iter().sum::<u32>() / rows.len() as u32
        };
        let red = row_of(|[r, g, b]| r > g + 60 && r > b + 60);
        let green = row_of(|[r, g, b]| g > r + 40 && g > b + 40);
        assert!(
            red + 10 < green,
            "red at row {red} is above green at row {green}"
        );
    }
}

#[allow(
    dead_code,
    reason = "main reads its arguments, which are those of the tests here"
)]
mod air_plume {
    include!("../../examples/air_plume.rs");

    /// Runs the plume with default air keys on a coarse grid.
    #[test]
    fn a_plume_widens_and_slows_down_as_theory_says() {
        let mut simulation = plain("incompressible", 48.0, 2400.0).unwrap();
        let plume = run(&mut simulation, 500.0);
        plume.report();
        simulation.world().check().unwrap();
        assert!(
            (0.10..=0.16).contains(&plume.alpha()),
            "α {}",
            plume.alpha()
        );
        assert!(
            (plume.exponent + 1.0 / 3.0).abs() < 0.1,
            "w ~ z^{}",
            plume.exponent
        );
        assert!(
            plume.rows.iter().all(|row| (0.9..1.1).contains(&row[3])),
            "the flux of buoyancy is constant"
        );
    }
}

#[allow(
    dead_code,
    reason = "main reads its arguments, which are those of the tests here"
)]
mod plume_theory {
    include!("../../examples/plume_theory.rs");

    #[test]
    fn what_air_plume_prints_is_read_and_drawn() {
        let text = "article 64 × 96 × 64, 1500 steps, radius 4: 0 units of heat off\nbuoyancy flux 0.00297 cells⁴/step³\n\
                    b = 0.052 (z -4.6): α 0.043 (turbulent plumes: 0.10 to 0.16); w ~ z^0.45 (−0.33)\n\
                    \x20    z       b        w     w of theory  buoyancy flux / source\n\
                    \x20 14.5    4.70   0.0727          0.1380                   0.994\n\
                    \x20 18.5    5.10   0.0734          0.1362                   1.001\n";
        let plume = Plume::parse(text).unwrap();
        assert_eq!(
            (plume.title.as_str(), plume.slope),
            ("article 64 × 96 × 64", 0.052)
        );
        assert_eq!(
            plume.rows,
            [
                [14.5, 4.70, 0.0727, 0.1380, 0.994],
                [18.5, 5.10, 0.0734, 0.1362, 1.001]
            ]
        );
        for plot in [plume.width(), plume.speed(), plume.flux()] {
            // Two circles are data points, the third is in the legend.
            assert_eq!(plot.svg().unwrap().matches("<circle").count(), 3);
        }
        assert!(Plume::parse("no plume").is_none());
    }
}

mod own_rule {
    include!("../../examples/own_rule.rs");

    #[test]
    fn a_rule_of_ones_own_shortens_the_flow_and_keeps_the_account() {
        main().unwrap();
    }
}

/// Runs an example's `main` in its own temporary folder, and returns the picture that the example
/// writes there.
fn picture_of(main: impl FnOnce() -> Result<(), Box<dyn Error>>, name: &str) -> RgbImage {
    // The working folder belongs to the whole process: only one example at a time may change it.
    static FOLDER: Mutex<()> = Mutex::new(());
    let _guard = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(folder.path()).unwrap();
    main().unwrap();
    let picture = image::open(folder.path().join(name)).unwrap().into_rgb8();
    std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).unwrap();
    if let Some(keep) = std::env::var_os("LAVOXEL_KEEP") {
        picture.save(Path::new(&keep).join(name)).unwrap();
    }
    picture
}

#[test]
fn every_default_is_one_that_is_accepted() {
    let grid = GridSpec::default().grid().unwrap();
    VentSpec::default().validate("vent", grid).unwrap();
    VentTable::default().validate("vent", grid).unwrap();
    RulesSpec::default().validate("rules").unwrap();
    CameraSpec::default().validate().unwrap();
    LookSpec::default().validate().unwrap();
    FilmSpec::default().validate().unwrap();
    TerrainSpec::default().validate().unwrap();
    let text = "[[vent]]\nat = 'summit'";
    assert_eq!(
        toml::from_str::<SceneSpec>(text).unwrap().vents,
        [VentTable::default()]
    );
}

#[test]
fn arrays_of_a_world_hold_every_cell_at_its_place() {
    let mut world = World::new(Ground::none(Grid::new(9, 5, 6)));
    world.place([8, 1, 0], AMOUNT_ONE / 2, ENERGY_ONE);
    world.place([0, 4, 5], AMOUNT_ONE, 2 * ENERGY_ONE);
    let state = State::from(world);
    let [amounts, energies] = ["amount", "energy"].map(|name| state.array(name).unwrap());
    assert_eq!(amounts.dim(), (6, 5, 9));
    assert_eq!(
        (amounts[[0, 1, 8]], amounts[[5, 4, 0]], amounts.sum()),
        (0.5, 1.0, 1.5)
    );
    assert_eq!(
        (energies[[0, 1, 8]], energies[[5, 4, 0]], energies.sum()),
        (1.0, 2.0, 3.0)
    );
    let wrong = state.array("heat").unwrap_err().to_string();
    assert_eq!(
        wrong,
        "there is no quantity \"heat\"; there are amount, energy, specific-energy, solid"
    );
}

#[test]
fn a_volume_from_arrays_is_checked() {
    let density = Array3::from_shape_fn((2, 3, 4), |(z, y, x)| (x + 4 * (y + 3 * z)) as f32 / 23.0);
    let volume = Volume::from_arrays(&density, &density.mapv(|d| 4.0 * d - 1.0)).unwrap();
    assert_eq!(
        (volume.grid, volume.density[0], volume.density[23]),
        (Grid::new(4, 3, 2), 0, 255)
    );
    assert_eq!(
        (
            volume.densities()[[1, 2, 3]],
            volume.energies()[[0, 0, 0]],
            volume.energies()[[1, 2, 3]]
        ),
        (255, 0, 255)
    );
    assert!(volume.density.is_sorted() && volume.energy.is_sorted());
    let strange = Array3::from_elem((2, 3, 4), f32::NAN);
    assert!(
        Volume::from_arrays(&strange, &strange)
            .unwrap()
            .density
            .iter()
            .all(|&d| d == 0)
    );
    let wrong = Volume::from_arrays(&density, &Array3::zeros((2, 4, 3))).unwrap_err();
    assert!(wrong.to_string().contains("the same for both"), "{wrong}");
    assert!(Volume::from_arrays(&Array3::zeros((0, 3, 4)), &Array3::zeros((0, 3, 4))).is_err());
}
