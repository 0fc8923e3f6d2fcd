//! Measurements for the window: covered area and runout of a material and the values of one column,
//! for the live plots. In addition, measures the surface height under a first-person camera.

use std::time::{Duration, Instant};

use crate::messages::{Column, Spread, Stand, Watch, Watched};
use lavoxel_automaton::matter::Kind;
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_geo::map::Site;
use lavoxel_session::ZERO_CELSIUS_K;
use lavoxel_sim::source::VentSpec;
use lavoxel_sim::state::State;

/// Smallest time between two measurements of covered area and runout.
const SELDOM: Duration = Duration::from_millis(200);
/// Smallest amount of a material in a cell, as a fraction of a full cell, at which the cell's
/// column counts as covered by the material.
const COVERS: f32 = 0.05;

/// Smallest sum of the amounts of all materials in a cell, as a fraction of a full cell, at which a
/// first-person camera stands on the cell.
const HALF: f32 = 0.5;

/// Cache of the measurements of area and runout: last result, its time, and the request that it
/// answers.
#[derive(Default)]
pub(super) struct Watcher {
    spread: Option<Spread>,
    since: Option<Instant>,
    of: Watch,
}

impl Watcher {
    /// Measures the values requested by `asked`; `None` if no value is requested or none can be
    /// measured. `step`: number of the present step; `vents`: vents that pour or have poured. Area
    /// and runout are measured again only if the last measurement is older than `SELDOM` (200 ms).
    pub(super) fn watch<'a>(
        &mut self,
        (world, site): (&State, &Site),
        (step, vents): (u64, impl Iterator<Item = &'a VentSpec>),
        asked: &Watch,
    ) -> Option<Watched> {
        let other = self.of != *asked;
        if other {
            *self = Self {
                of: asked.clone(),
                ..Self::default()
            };
        }
        if let Some(material) = &asked.material
            && self.since.is_none_or(|since| since.elapsed() >= SELDOM)
            && self.spread.is_none_or(|spread| spread.step != step)
        {
            self.spread = Some(spread_of((world, site), (step, vents), material));
            self.since = Some(Instant::now());
        }
        let column = asked.column.and_then(|at| column(world, site, at));
        let stand = asked.stand.and_then(|at| stand(world, at));
        let watched = Watched {
            spread: self.spread,
            column,
            stand,
        };
        (watched != Watched::default()).then_some(watched)
    }
}

/// Measures covered area and runout of `material` at the step number `step`. `vents`: vents that
/// pour or have poured; those of other materials are ignored.
pub(super) fn spread_of<'a>(
    (world, site): (&State, &Site),
    (step, vents): (u64, impl Iterator<Item = &'a VentSpec>),
    material: &str,
) -> Spread {
    let from = vents.filter(|vent| vent.material.as_deref().unwrap_or("lava") == material);
    let from: Vec<_> = from.map(|vent| (vent.x, vent.z)).collect();
    spread(world, site, (material, step), &from)
}

/// Measures the covered area (m²) of `material` and its runout: the largest horizontal distance (m)
/// of a covered column from the nearest vent. `from`: positions of the vents as (x, z) in cells; if
/// empty, the runout is `None`.
fn spread(
    world: &State,
    site: &Site,
    (material, step): (&str, u64),
    from: &[(f64, f64)],
) -> Spread {
    let grid = world.grid();
    let mut covered = vec![false; grid.columns()];
    for ([x, _, z], amount) in world
        .values(&Quantity::new(CellMeasure::Amount, material))
        .held()
    {
        covered[z * grid.nx + x] |= amount >= COVERS;
    }
    let mut area = 0_usize;
    let mut farthest: f64 = 0.0;
    for at in covered
        .iter()
        .enumerate()
        .filter_map(|(at, covered)| covered.then_some(at))
    {
        area += 1;
        let (x, z) = ((at % grid.nx) as f64 + 0.5, (at / grid.nx) as f64 + 0.5);
        let squares = from
            .iter()
            .map(|(vx, vz)| (x - vx).powi(2) + (z - vz).powi(2));
        farthest = farthest.max(squares.reduce(f64::min).unwrap_or(0.0));
    }
    Spread {
        step,
        area_m2: area as f64 * site.cell_size_m * site.cell_size_m,
        front_m: (!from.is_empty()).then(|| farthest.sqrt() * site.cell_size_m),
    }
}

/// Returns the height in cells of the upper surface of ground and matter (without gases) in the
/// column `at` (`[x, z]`); `None` outside the simulation box. Cells less than half full are
/// ignored, since they contain only a wave or a drop.
fn stand(world: &State, at: [usize; 2]) -> Option<Stand> {
    let (grid, [x, z]) = (world.grid(), at);
    let ground = *world.ground().surface().get((z, x))?;
    let firm = world
        .materials()
        .filter(|material| material.kind != Kind::Gas);
    let amounts: Vec<_> = firm
        .map(|material| world.values(&Quantity::new(CellMeasure::Amount, &material.name)))
        .collect();
    let level = |y: usize| {
        let filled: f32 = amounts.iter().map(|amount| amount.at([x, y, z])).sum();
        (filled >= HALF).then(|| y as f32 + filled.min(1.0))
    };
    let surface = (0..grid.ny)
        .rev()
        .find_map(level)
        .map_or(ground, |level| level.max(ground));
    Some(Stand { at, surface })
}

/// Returns the thickness (m) of each material and the surface temperature (°C) of lava in the
/// column `at` (`[x, z]`); `None` outside the simulation box.
fn column(world: &State, site: &Site, at: [usize; 2]) -> Option<Column> {
    let grid = world.grid();
    let [x, z] = at;
    if x >= grid.nx || z >= grid.nz {
        return None;
    }
    // Pictures also show the temperature of the crust, not that of the hotter lava below.
    let surface_k = world.flow().and_then(|flow| flow.crust_k(z * grid.nx + x));
    let cells = |material: &str| {
        let amount = world.values(&Quantity::new(CellMeasure::Amount, material));
        (0..grid.ny)
            .map(|y| f64::from(amount.at([x, y, z])))
            .sum::<f64>()
    };
    let thickness = world.materials().map(|material| {
        (
            material.name.clone(),
            cells(&material.name) * site.cell_height_m(),
        )
    });
    Some(Column {
        at,
        thickness_m: thickness.collect(),
        celsius: surface_k.map(|kelvin| kelvin - ZERO_CELSIUS_K),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::engine::plain::Plain;
    use lavoxel_scene::scene::Scene;
    use std::path::Path;

    #[test]
    fn a_block_of_lava_has_its_area_its_front_and_its_thickness() {
        let text = "[grid]\nsize = [20, 10, 20]\ncell_size_m = 2.0\n[terrain]\nkind = \"plane\"\nbase_cells = 1.0\n[[vent]]\nx = 5.5\n\
                    z = 5.5\n[[body]]\nshape = { kind = \"box\", from = [5, 1, 5], to = [9, 3, 6] }\nmatter = { kind = \"lava\", amount = 1.0 }";
        let stage = Scene::parse(text, Path::new("test.toml"))
            .expect("a scene")
            .build(Box::new(Plain))
            .expect("built");
        let (world, site) = (stage.simulation.world(), &stage.site);
        let vents: Vec<_> = stage.simulation.vents().cloned().collect();
        let asked = Watch {
            material: Some("lava".to_owned()),
            column: Some([6, 5]),
            stand: Some([6, 5]),
        };
        let watched = Watcher::default()
            .watch((world, site), (0, vents.iter()), &asked)
            .expect("measured");
        let spread = watched.spread.expect("lava is there");
        // Four columns of 2 m × 2 m; the last one lies three columns east of the vent.
        assert_eq!((spread.area_m2, spread.front_m), (16.0, Some(6.0)));
        let column = watched.column.expect("in the box");
        assert_eq!(
            (&column.thickness_m[..], column.celsius),
            (&[("lava".to_owned(), 4.0)][..], None)
        );
        assert_eq!(
            watched.stand,
            Some(Stand {
                at: [6, 5],
                surface: 3.0
            }),
            "on the block, not in it"
        );
        let outside = Watch {
            material: None,
            column: Some([20, 5]),
            stand: Some([20, 5]),
        };
        assert_eq!(
            Watcher::default().watch((world, site), (0, vents.iter()), &outside),
            None
        );
    }
}
