//! Text summary of a built scene: position, vents and automatic choices, for reports, the terminal
//! and the window.

use super::{Model, Scene, Seconds};
use lavoxel_automaton::rules::Walls;
use lavoxel_automaton::world::{Layer, World};
use lavoxel_base::units::cells;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_base::words::{grouped, short, volume};
use lavoxel_flow::Flow;
use lavoxel_geo::map::{Georeference, Site};
use lavoxel_sim::simulation::Simulation;
use lavoxel_sim::source::{VentFlow, VentSpec};

/// Upper bound on the number of vents that the summary lists.
const MOST_VENTS: usize = 3;

impl Scene {
    /// Returns the automatic choices for a heightmap that was opened without a scene, one sentence
    /// each; empty for a scene file.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// Replaces the recorded automatic choices by `choices`; used for a scene that was saved and
    /// read again.
    pub fn set_choices(&mut self, choices: Vec<String>) {
        self.choices = choices;
    }

    /// Returns the scene's position, map, vents and automatic choices as lines of text, each with a
    /// label in its first 12 characters.
    pub fn summary(&self, site: &Site, simulation: &Simulation) -> Vec<String> {
        let mut lines = vec![place(site, self.spec.model)];
        if let Some(map) = &site.georeference {
            let (wide, deep) = (
                site.grid.nx as f64 * site.cell_size_m,
                site.grid.nz as f64 * site.cell_size_m,
            );
            let crs = map
                .crs
                .name()
                .map(|name| format!(" ({name})"))
                .unwrap_or_default();
            lines.push(format!("map         {}{crs}", map.bounds(wide, deep)));
            lines.extend(
                map.scale_in_words()
                    .map(|scale| format!("scale       {scale}")),
            );
        }
        lines.extend(
            simulation
                .vents()
                .take(MOST_VENTS)
                .map(|spec| vent(spec, site, simulation.world())),
        );
        let vents = simulation.vents().count();
        if vents > MOST_VENTS {
            lines.push(format!("            and {} more vents", vents - MOST_VENTS));
        }
        lines.extend(self.barriers_outside(site));
        let heads = std::iter::once("chosen").chain(std::iter::repeat(""));
        lines.extend(
            heads
                .zip(&self.choices)
                .map(|(head, choice)| format!("{head:<12}{choice}")),
        );
        lines
    }

    /// Returns a line about barriers outside of the simulation box; `None` if all barriers lie
    /// inside.
    fn barriers_outside(&self, site: &Site) -> Option<String> {
        let all = if self.spec.barriers.is_empty() {
            Vec::new()
        } else {
            self.barriers(site).ok()?
        };
        let outside: Vec<String> = all
            .iter()
            .filter(|barrier| barrier.columns.is_empty())
            .map(|barrier| escape_for_terminal(&barrier.name))
            .collect();
        let (count, named) = (
            outside.len(),
            outside[..outside.len().min(MOST_VENTS)].join(", "),
        );
        let more = if count > MOST_VENTS { ", …" } else { "" };
        (count > 0).then(|| {
            format!(
                "barriers    {count} of {} lie outside of the box: {named}{more}",
                all.len()
            )
        })
    }

    /// Returns the effusion rates of all vents of the physical model together as text, such as `4.2
    /// m³/s`.
    pub fn rates(&self, simulation: &Simulation) -> String {
        let rates: Vec<String> = simulation
            .vents()
            .filter_map(|vent| vent.flow.as_deref())
            .map(rates)
            .collect();
        match &rates[..] {
            [] => "no vent".to_owned(),
            [rate] => rate.clone(),
            _ => {
                let more = rates.len().saturating_sub(MOST_VENTS);
                let more = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                format!(
                    "{} vents: {}{more}",
                    rates.len(),
                    rates[..rates.len().min(MOST_VENTS)].join(", ")
                )
            }
        }
    }
}

/// Returns a line about the elevation of the simulation box's floor and the vertical exaggeration
/// or, in the physical model, which never exaggerates heights, the size of cells that are not
/// cubes.
fn place(site: &Site, model: Model) -> String {
    let floor = format!("place       floor at {:.1} m", site.floor_m);
    if model == Model::Flow && site.cell_height_m() != site.cell_size_m {
        return format!("{floor}, cells {} m high", short(site.cell_height_m(), 4));
    }
    match short(site.vertical_exaggeration, 4) {
        1.0 => floor,
        stretch => format!("{floor}, heights × {stretch}"),
    }
}

fn vent(vent: &VentSpec, site: &Site, world: &World) -> String {
    let at = |map: &Georeference| {
        let (x, y) = map.to_map(vent.x * site.cell_size_m, vent.z * site.cell_size_m);
        format!(" (map {}, {})", short(x, 6), short(y, 6))
    };
    let on_map = site.georeference.as_ref().map(at).unwrap_or_default();
    if let Some(flow) = &vent.flow {
        return format!(
            "vent        x = {:.2}, z = {:.2}{on_map}, {}",
            vent.x,
            vent.z,
            rates(flow)
        );
    }
    let (head, of) = match &vent.material {
        None => ("vent", String::new()),
        Some(name) => ("source", format!(" of {name}")),
    };
    let grains = vent
        .material
        .as_ref()
        .and_then(|name| world.layer(name))
        .is_some_and(Layer::is_grains);
    let what = if grains {
        "grains a step in each column"
    } else {
        "cells a step"
    };
    format!(
        "{head:<12}x = {:.2}, z = {:.2}{on_map}, {} {what}{of}",
        vent.x,
        vent.z,
        short(vent.rate, 4)
    )
}

/// Returns the effusion rates of one vent of the physical model as text, such as `4.2 m³/s`.
fn rates(flow: &VentFlow) -> String {
    let kelvin = flow
        .temperature_k
        .map(|kelvin| format!(" at {} K", short(kelvin, 1)))
        .unwrap_or_default();
    match (flow.steady_rate(), flow.rates_m3_s.last()) {
        (Some(rate), _) => format!("{} m³/s{kelvin}", short(rate, 4)),
        (None, Some([last, _])) => {
            let most = flow
                .rates_m3_s
                .iter()
                .map(|[_, rate]| *rate)
                .fold(0.0, f64::max);
            format!(
                "up to {} m³/s by a table of {}{kelvin}",
                short(most, 4),
                Seconds(*last)
            )
        }
        (None, None) => "nothing".to_owned(),
    }
}

/// Contact of a material with the sides of the simulation box, for a warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Display name of the material.
    pub name: String,
    /// Boundary condition at the sides of the simulation box for this material.
    pub walls: Walls,
    /// Number of columns along the sides of the simulation box that contain some of the material.
    pub columns: usize,
    /// Volume of the material that has left through open sides so far, in m³.
    pub left_m3: f64,
    /// Volume of the material that has left through open sides so far, in full cells; `None` in the
    /// physical model.
    pub left_cells: Option<f64>,
}

impl Edge {
    /// Returns the contact of the simulation's lava with the sides of the simulation box.
    pub fn from_simulation(simulation: &Simulation, site: &Site) -> Self {
        let (layer, flow) = (simulation.world().lava(), simulation.world().flow());
        let left_cells = flow.is_none().then(|| cells(layer.ledger().outflow));
        // The layer that displays a flow is rounded to its own units; the flow's account is exact.
        let of_flow = |flow: &Flow| flow.account().out as f64 * flow.space().unit_m3();
        let left_m3 = flow.map_or_else(
            || left_cells.unwrap_or(0.0) * site.cell_volume_m3(),
            of_flow,
        );
        let name = layer.material().name.clone();
        Self {
            name,
            walls: simulation.walls(),
            columns: columns_at_the_sides(layer),
            left_m3,
            left_cells,
        }
    }

    /// Returns a sentence about the contact of the material with the sides of the simulation box;
    /// `None` if the material has not reached a side.
    pub fn words(&self) -> Option<String> {
        let Self {
            ref name,
            columns,
            left_m3,
            ..
        } = *self;
        let standing = match columns {
            1 => "1 column".to_owned(),
            _ => format!("{} columns", grouped(columns as u64)),
        };
        match self.walls {
            _ if columns == 0 && left_m3 == 0.0 => None,
            Walls::Open if left_m3 == 0.0 => Some(format!(
                "{name} reached the open sides ({standing}); none left yet"
            )),
            Walls::Open => {
                let gone = volume(left_m3);
                let gone = self.left_cells.map_or(gone.clone(), |cells| {
                    format!("{cells:.3} full cells ({gone})")
                });
                Some(format!(
                    "{name} reached the open sides: {gone} left the box"
                ))
            }
            Walls::Closed => {
                // Cells are counted only in the cellular automaton (classic model); the key that
                // opens the sides depends on the model.
                let key = match self.left_cells {
                    Some(_) => "walls = \"open\" in [rules]",
                    None => "open_sides = true in [flow]",
                };
                Some(format!(
                    "{name} stands at the closed sides in {standing}, held back as by a dam; open sides let it leave \
                     (--walls open, or {key})"
                ))
            }
        }
    }
}

/// Returns the number of columns along the four sides of the simulation box that contain some of
/// the material of `layer`.
pub(super) fn columns_at_the_sides(layer: &Layer) -> usize {
    let grid = layer.grid();
    let holds = |x: usize, z: usize| (0..grid.ny).any(|y| layer.at([x, y, z]).amount > 0);
    let side = |i: usize, n: usize| i == 0 || i + 1 == n;
    let rows = (0..grid.nz).flat_map(|z| {
        let step = if side(z, grid.nz) {
            1
        } else {
            (grid.nx - 1).max(1)
        };
        (0..grid.nx).step_by(step).map(move |x| (x, z))
    });
    rows.filter(|&(x, z)| holds(x, z)).count()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lavoxel_automaton::engine::tiled::Tiled;

    /// Returns the contact of lava with the sides of the simulation box after `steps` steps, for a
    /// vent on a plain of 9 × 9 columns. `walls`: boundary condition as in a scene file.
    fn flooded(walls: &str, steps: usize) -> Edge {
        let text = format!(
            "[grid]\nsize = [9, 12, 9]\n[terrain]\nkind = \"plane\"\n[rules]\nthreshold = 0.05\nwalls = \"{walls}\"\n\
             [[vent]]\nat = \"summit\"\nrate = 2.0\n"
        );
        let scene = Scene::parse(&text, Path::new("flood.toml")).expect("a scene");
        let mut stage = scene.build(Box::new(Tiled::default())).expect("it fits");
        assert_eq!(scene.warnings(&stage.simulation, None), [""; 0]);
        (0..steps).for_each(|_| stage.simulation.step());
        Edge::from_simulation(&stage.simulation, &stage.site)
    }

    #[test]
    fn lava_at_the_sides_is_reported() {
        let dry = flooded("open", 1);
        assert_eq!((dry.columns, dry.words()), (0, None));
        let open = flooded("open", 100);
        assert!(open.left_m3 > 0.0);
        assert!(open.words().is_some_and(|line| line.contains("full cells (") && line.ends_with("left the box")));
        let closed = flooded("closed", 100);
        assert_eq!(
            (closed.columns, closed.left_m3),
            (32, 0.0),
            "every column along the sides"
        );
        assert!(
            closed
                .words()
                .is_some_and(|line| line.contains("closed sides in 32 columns"))
        );
    }

    #[test]
    fn lava_of_the_physical_model_that_left_is_what_its_account_says() {
        let text = "model = \"flow\"\n[flow]\nstep_s = 20.0\nduration = \"1 h\"\nopen_sides = true\nlava = \"etna-basalt\"\n[grid]\n\
                    size = [9, 20, 9]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\n[[vent]]\nx = 4.5\nz = 4.5\nradius = \
                    0.0\nrate_m3_s = 20.0\n";
        let scene = Scene::parse(text, Path::new("flood.toml")).expect("a scene");
        let mut stage = scene.build(Box::new(Tiled::default())).expect("it fits");
        let left = |stage: &crate::scene::BuiltScene| {
            let flow = stage.simulation.world().flow().expect("the physical model");
            flow.account().out as f64 * flow.space().unit_m3()
        };
        // The first litres over the side are below the resolution of the layer.
        while left(&stage) == 0.0 {
            assert!(stage.simulation.steps() < 180, "nothing left in an hour");
            stage.simulation.step();
        }
        let edge = Edge::from_simulation(&stage.simulation, &stage.site);
        let line = edge.words().expect("lava is at the sides");
        assert_eq!(edge.left_m3, left(&stage));
        assert_eq!(
            line,
            format!(
                "lava reached the open sides: {} left the box",
                volume(left(&stage))
            )
        );
    }
}
