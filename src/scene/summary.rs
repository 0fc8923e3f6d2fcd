//! The summary of a built scene: place, vents, values that it chose, and warnings. Reports, the terminal and the window show
//! the same lines.

use super::{Model, Scene, Seconds};
use crate::flow::Flow;
use crate::map::{Georeference, Site};
use crate::rules::Walls;
use crate::simulation::{Command, Simulation};
use crate::source::{VentFlow, VentSpec};
use crate::units::cells;
use crate::validate::tame;
use crate::words::{grouped, rough, short, volume};
use crate::world::{Layer, World};

/// Most vents that are listed.
const MOST_VENTS: usize = 3;

/// Difference of heights between columns, as a share of the depth, from which liquid is no level pond.
const STEEP: f64 = 0.1;

impl Scene {
    /// Choices for a heightmap that came without a scene, a line for each; empty for a scene file.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// Place, map, vents and [choices](Scene::choices), in lines with a name of 12 columns before each.
    pub fn summary(&self, site: &Site, simulation: &Simulation) -> Vec<String> {
        let mut lines = vec![place(site, self.spec.model)];
        if let Some(map) = &site.georeference {
            let (wide, deep) = (site.grid.nx as f64 * site.cell_size_m, site.grid.nz as f64 * site.cell_size_m);
            let crs = map.crs.name().map(|name| format!(" ({name})")).unwrap_or_default();
            lines.push(format!("map         {}{crs}", map.bounds(wide, deep)));
        }
        lines.extend(simulation.vents().take(MOST_VENTS).map(|spec| vent(spec, site, simulation.world())));
        let vents = simulation.vents().count();
        if vents > MOST_VENTS {
            lines.push(format!("            and {} more vents", vents - MOST_VENTS));
        }
        let heads = std::iter::once("chosen").chain(std::iter::repeat(""));
        lines.extend(heads.zip(&self.choices).map(|(head, choice)| format!("{head:<12}{choice}")));
        lines
    }

    /// A warning when no lava and no other material will ever be in the box, or more will flow than sub-steps can follow.
    pub fn warning(&self, simulation: &Simulation) -> Option<String> {
        let pours = |vent: &VentSpec| vent.flow.as_ref().map_or(vent.rate > 0.0, |flow| flow.pours());
        let vents = simulation.vents().any(pours);
        let puts = |command: &Command| matches!(command, Command::Put(edit) if edit.matter.is_liquid());
        let holds = simulation.world().layers().iter().any(|layer| layer.mass() > 0);
        let pours = vents || holds || simulation.events().iter().any(|event| puts(&event.command));
        let origin = tame(&self.origin.display().to_string());
        (!pours)
            .then(|| format!("{origin}: nothing pours: add a [[vent]] to the scene, or pass --vent X,Z"))
            .or_else(|| simulation.world().flow().and_then(|flow| too_fast(flow, simulation)))
    }
}

/// A warning of a layer that a vent builds up, or that lies beside a much lower one, which flows faster than the finest sub-step
/// of a step can follow.
fn too_fast(flow: &Flow, simulation: &Simulation) -> Option<String> {
    let (setup, space) = (flow.setup(), flow.space());
    let of_vent = |vent: &VentSpec| {
        let flow = vent.flow.as_deref()?;
        let rate = flow.rates_m3_s.iter().map(|[_, rate]| *rate).fold(0.0, f64::max) / vent.busy_columns();
        let kelvin = flow.temperature_k.unwrap_or(setup.lava.vent_k);
        // Its four sides carry what it pours down a slope of its depth over a cell: q = ρ g h³/(3 η) · h/dx.
        let weight = setup.lava.density_kg_m3 * 9.81;
        Some(((0.75 * setup.lava.viscosity_pa_s(kelvin) * rate / weight).powf(0.25), kelvin))
    };
    let of_column = |&c: &u32| {
        let (c, here) = (c as usize, flow.column(c as usize));
        let inside = |n: &usize| *n < space.columns() && n % space.nx + 1 != space.nx;
        let beside = [c + 1, c + space.nx].into_iter().filter(inside).map(|n| flow.column(n).surface_m);
        let steep = beside.map(|surface| (surface - here.surface_m).abs()).fold(0.0, f64::max);
        (steep > STEEP * here.liquid_m).then_some((here.liquid_m, here.surface_k?))
    };
    let layers = simulation.vents().filter_map(of_vent).chain(flow.wet().iter().filter_map(of_column));
    let excess = |(depth, kelvin): (f64, f64)| (depth / flow.deepest_m(kelvin), depth);
    let (excess, depth) = layers.map(excess).max_by(|a, b| a.0.total_cmp(&b.0)).filter(|most| most.0 > 1.0)?;
    let less = excess * excess * excess;
    Some(format!(
        "layers {} m deep flow faster than {} sub-steps of a step can follow, and will be held back: make flow.step_s {} s or \
         less, the cells {} m or more, or the lava more viscous",
        rough(depth),
        grouped(Flow::MOST_SUB_STEPS),
        rough(setup.step_s / less),
        rough(space.dx_m * less.sqrt())
    ))
}

/// Where the floor is, and how heights are drawn: in the physical model cells may be oblong, and heights stay true.
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
        return format!("vent        x = {:.2}, z = {:.2}{on_map}, {}", vent.x, vent.z, rates(flow));
    }
    let (head, of) = match &vent.material {
        None => ("vent", String::new()),
        Some(name) => ("source", format!(" of {name}")),
    };
    let grains = vent.material.as_ref().and_then(|name| world.layer(name)).is_some_and(Layer::is_grains);
    let what = if grains { "grains a step in each column" } else { "cells a step" };
    format!("{head:<12}x = {:.2}, z = {:.2}{on_map}, {} {what}{of}", vent.x, vent.z, short(vent.rate, 4))
}

/// Rates of a vent of the physical model.
fn rates(flow: &VentFlow) -> String {
    let kelvin = flow.temperature_k.map(|kelvin| format!(" at {} K", short(kelvin, 1))).unwrap_or_default();
    match (flow.steady_rate(), flow.rates_m3_s.last()) {
        (Some(rate), _) => format!("{} m³/s{kelvin}", short(rate, 4)),
        (None, Some([last, _])) => {
            let most = flow.rates_m3_s.iter().map(|[_, rate]| *rate).fold(0.0, f64::max);
            format!("up to {} m³/s by a table of {}{kelvin}", short(most, 4), Seconds(*last))
        }
        (None, None) => "nothing".to_owned(),
    }
}

/// Walls of a material at the sides of the box.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Name of the material.
    pub name: String,
    /// The walls there.
    pub walls: Walls,
    /// Columns along the sides that hold the material.
    pub columns: usize,
    /// Cubic metres that left through open sides.
    pub left_m3: f64,
    /// Full cells that left so; none in the physical model, which counts no cells.
    pub left_cells: Option<f64>,
}

impl Edge {
    /// The sides that the lava of a simulation has now.
    pub fn of(simulation: &Simulation, site: &Site) -> Self {
        let (layer, flow) = (simulation.world().lava(), simulation.world().flow());
        let left_cells = flow.is_none().then(|| cells(layer.ledger().outflow));
        // The layer only shows a flow, in units of its own: what is exact is the flow's account.
        let of_flow = |flow: &Flow| flow.account().out as f64 * flow.space().unit_m3();
        let left_m3 = flow.map_or_else(|| left_cells.unwrap_or(0.0) * site.cell_volume_m3(), of_flow);
        let name = layer.material().name.clone();
        Self { name, walls: simulation.walls(), columns: columns_at_the_sides(layer), left_m3, left_cells }
    }

    /// A line about material that reached the sides, if any did.
    pub fn words(&self) -> Option<String> {
        let Self { ref name, columns, left_m3, .. } = *self;
        let standing = match columns {
            1 => "1 column".to_owned(),
            _ => format!("{} columns", grouped(columns as u64)),
        };
        match self.walls {
            _ if columns == 0 && left_m3 == 0.0 => None,
            Walls::Open if left_m3 == 0.0 => Some(format!("{name} reached the open sides ({standing}); none left yet")),
            Walls::Open => {
                let gone = volume(left_m3);
                let gone = self.left_cells.map_or(gone.clone(), |cells| format!("{cells:.3} full cells ({gone})"));
                Some(format!("{name} reached the open sides: {gone} left the box"))
            }
            Walls::Closed => {
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

/// Columns along the four sides in which a layer holds anything.
fn columns_at_the_sides(layer: &Layer) -> usize {
    let grid = layer.grid();
    let holds = |x: usize, z: usize| (0..grid.ny).any(|y| layer.at([x, y, z]).amount > 0);
    let side = |i: usize, n: usize| i == 0 || i + 1 == n;
    let rows = (0..grid.nz).flat_map(|z| {
        let step = if side(z, grid.nz) { 1 } else { (grid.nx - 1).max(1) };
        (0..grid.nx).step_by(step).map(move |x| (x, z))
    });
    rows.filter(|&(x, z)| holds(x, z)).count()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::engine::tiled::Tiled;

    /// A vent that floods a plain of 9 × 9 columns.
    fn flooded(walls: &str, steps: usize) -> Edge {
        let text = format!(
            "[grid]\nsize = [9, 12, 9]\n[terrain]\nkind = \"plane\"\n[rules]\nthreshold = 0.05\nwalls = \"{walls}\"\n\
             [[vent]]\nat = \"summit\"\nrate = 2.0\n"
        );
        let scene = Scene::parse(&text, Path::new("flood.toml")).expect("a scene");
        let mut stage = scene.build(Box::new(Tiled::default())).expect("it fits");
        assert_eq!(scene.warning(&stage.simulation), None);
        (0..steps).for_each(|_| stage.simulation.step());
        Edge::of(&stage.simulation, &stage.site)
    }

    #[test]
    fn lava_at_the_sides_is_reported() {
        let dry = flooded("open", 1);
        assert_eq!((dry.columns, dry.words()), (0, None));
        let open = flooded("open", 100);
        assert!(open.left_m3 > 0.0);
        assert!(open.words().is_some_and(|line| line.contains("full cells (") && line.ends_with("left the box")));
        let closed = flooded("closed", 100);
        assert_eq!((closed.columns, closed.left_m3), (32, 0.0), "every column along the sides");
        assert!(closed.words().is_some_and(|line| line.contains("closed sides in 32 columns")));
    }

    #[test]
    fn lava_of_the_physical_model_that_left_is_what_its_account_says() {
        let text = "model = \"flow\"\n[flow]\nstep_s = 20.0\nduration = \"1 h\"\nopen_sides = true\nlava = \"etna-basalt\"\n[grid]\n\
                    size = [9, 20, 9]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\n[[vent]]\nx = 4.5\nz = 4.5\nradius = \
                    0.0\nrate_m3_s = 20.0\n";
        let scene = Scene::parse(text, Path::new("flood.toml")).expect("a scene");
        let mut stage = scene.build(Box::new(Tiled::default())).expect("it fits");
        let left = |stage: &crate::scene::Stage| {
            let flow = stage.simulation.world().flow().expect("the physical model");
            flow.account().out as f64 * flow.space().unit_m3()
        };
        // The first litres over the side are less than the layer that shows them can tell.
        while left(&stage) == 0.0 {
            assert!(stage.simulation.steps() < 180, "nothing left in an hour");
            stage.simulation.step();
        }
        let edge = Edge::of(&stage.simulation, &stage.site);
        let line = edge.words().expect("lava is at the sides");
        assert_eq!(edge.left_m3, left(&stage));
        assert_eq!(line, format!("lava reached the open sides: {} left the box", volume(left(&stage))));
    }

    #[test]
    fn a_scene_in_which_nothing_pours_says_so() {
        let warning = |text: &str| {
            let text = format!("[grid]\nsize = [9, 12, 9]\n[terrain]\nkind = \"plane\"\n{text}");
            let scene = Scene::parse(&text, Path::new("dry.toml")).expect("a scene");
            scene.warning(&scene.build(Box::new(Tiled::default())).expect("it fits").simulation)
        };
        let shape = "shape = { kind = \"sphere\", center = [4.0, 8.0, 4.0], radius = 2.0 }";
        let lava = "matter = { kind = \"lava\", amount = 1.0, energy = 1.0 }";
        let dry = ["", "[[vent]]\nat = \"summit\"\nrate = 0.0\n", "[[event]]\nat = 5\nseed = 2\n"];
        for text in dry {
            let line = warning(text).unwrap_or_else(|| panic!("no warning for {text:?}"));
            assert!(line.starts_with("dry.toml: nothing pours: add a [[vent]]"), "{line}");
        }
        let body = format!("[[body]]\n{shape}\n{lava}\n");
        let event = format!("[[event]]\nat = 5\nput = {{ {shape}, {lava} }}\n");
        let water = body.replace(lava, "matter = { kind = \"material\", name = \"water\", amount = 1.0 }");
        let water = format!("[[material]]\nname = \"water\"\n{water}");
        for text in ["[[vent]]\nat = \"summit\"\n", &body, &event, &water] {
            assert_eq!(warning(text), None, "{text}");
        }
    }

    #[test]
    fn more_than_sub_steps_can_follow_is_said_before_it_starts() {
        let warning = |step_s: f64, wide: f64| {
            let text = format!(
                "model = \"flow\"\n[flow]\nstep_s = {step_s}\nduration = \"1 min\"\nlava = \"paraffin-wax\"\n[grid]\nsize = [20, 12, \
                 20]\ncell_size_m = 0.01\n[terrain]\nkind = \"plane\"\nbase_cells = 1.0\n[[body]]\nshape = {{ kind = \"box\", from = \
                 [0.0, 1.0, 0.0], to = [{wide}, 8.0, 20.0] }}\nmatter = {{ kind = \"lava\", amount = 1.0, energy = 1.0 }}\n"
            );
            let scene = Scene::parse(&text, Path::new("wax.toml")).expect("a scene");
            scene.warning(&scene.build(Box::new(Tiled::default())).expect("it fits").simulation)
        };
        // A dam of wax 7 cm high.
        let line = warning(1.0, 10.0).expect("a warning");
        assert!(line.contains("131 072 sub-steps of a step") && line.contains("make flow.step_s"), "{line}");
        let named: f64 =
            line.split("flow.step_s ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a number");
        assert_eq!(warning(named * 0.9, 10.0), None, "the mend that {line} names");
        assert_eq!(warning(1.0, 20.0), None, "a level pond moves nothing");
    }
}
