//! Warnings about a built scene: tables without effect, matter that will be lost, and runs that
//! would take too long.

use super::{Scene, Seconds, VentTable};
use lavoxel_automaton::matter::Kind;
use lavoxel_automaton::rules::Walls;
use lavoxel_automaton::view::Surroundings;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_base::words::{grouped, rough};
use lavoxel_flow::Flow;
use lavoxel_sim::simulation::{Command, Simulation};
use lavoxel_sim::source::VentSpec;

/// Smallest height difference to an adjacent column, as a fraction of the liquid's depth, at which
/// a liquid counts as flowing and not as a pond at rest.
const STEEP: f64 = 0.1;

/// Number of column sub-steps of a run from which on a warning about the run's duration is given:
/// many minutes on one processor, which computes about ten million column sub-steps per second.
const MANY: f64 = 1e10;

/// Upper bound on the number of tables of a scene that a warning names.
const MOST_NAMED: usize = 3;

impl Scene {
    /// Returns warnings about a simulation built from this scene that runs until step `steps`
    /// (`None`: without end): no lava or other material ever enters the simulation box; tables have
    /// no effect, because they apply outside of the box or after the end; liquid stands at open
    /// sides; the sub-steps cannot resolve a flow, or not in reasonable time.
    pub fn warnings(&self, simulation: &Simulation, steps: Option<u64>) -> Vec<String> {
        let world = simulation.world();
        let steps = steps.filter(|steps| *steps > simulation.steps());
        let pours = |vent: &VentSpec| {
            vent.flow
                .as_ref()
                .map_or(vent.rate > 0.0, |flow| flow.pours())
        };
        let vents = simulation.vents().any(pours);
        let puts =
            |command: &Command| matches!(command, Command::Put(edit) if edit.matter.is_liquid());
        let holds = world.layers().iter().any(|layer| layer.mass() > 0);
        let pours = vents || holds || simulation.events().iter().any(|event| puts(&event.command));
        let origin = escape_for_terminal(&self.origin.display().to_string());
        let dry =
            || format!("{origin}: nothing pours: add a [[vent]] to the scene, or pass --vent X,Z");
        let mut warnings: Vec<String> = (!pours).then(dry).into_iter().collect();
        warnings.extend(self.overrun(simulation, steps));
        warnings.extend(self.outside(simulation));
        warnings.extend(steps.and_then(|steps| self.too_late(simulation, steps)));
        warnings.extend(unheld(simulation));
        if let Some(flow) = world.flow() {
            warnings
                .extend(too_fast(flow, simulation).or_else(|| endless(flow, simulation, steps?)));
        }
        warnings
    }

    /// Returns a warning if pictures show liquid at a side of the simulation box as a vertical
    /// wall, because the surrounding land is lower; otherwise `None`.
    pub fn warning_of_pictures(&self, simulation: &Simulation) -> Option<String> {
        let names: Vec<String> = standing(simulation)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        (self.spec.look.surroundings == Surroundings::Land && !names.is_empty()).then(|| {
            format!(
                "{} stands at the sides of the box, and pictures show it there as a wall over the land around it; surroundings = \
                 \"sea\" in [look] lets it go on to the horizon",
                names.join(" and ")
            )
        })
    }

    /// Returns a warning if the run to step `steps` ends later than the scene's duration, because
    /// steps are not shortened in a scene with air; otherwise `None`.
    fn overrun(&self, simulation: &Simulation, steps: Option<u64>) -> Option<String> {
        let (Seconds(asked), clock) = (
            self.spec.flow_spec()?.duration?,
            simulation.world().flow()?.clock(),
        );
        let end_s = clock.time_s(steps?);
        (end_s > asked * (1.0 + 1e-9)).then(|| {
            format!(
                "the run ends at {} in place of {}: with air all steps are whole; let the duration be a multiple of flow.step_s",
                Seconds(end_s),
                Seconds(asked)
            )
        })
    }

    /// Returns a warning about bodies and events that cover no cell of the simulation box; `None`
    /// if all cover some. Shapes from files are not checked.
    fn outside(&self, simulation: &Simulation) -> Option<String> {
        let grid = simulation.world().grid();
        let spec = self
            .spec
            .edits()
            .filter(|(_, edit)| edit.shape.kind_of_file().is_none());
        let names: Vec<String> = spec
            .filter(|(_, edit)| edit.is_outside(grid))
            .map(|(key, _)| key)
            .collect();
        let [nx, ny, nz] = [grid.nx, grid.ny, grid.nz];
        (!names.is_empty()).then(|| {
            format!(
                "{}: no middle of a cell of the box lies in the shape, so that nothing is put; the box has {nx} × {ny} × {nz} cells, x \
                 to the east, y up and z to the south",
                some_of(&names)
            )
        })
    }

    /// Returns a warning about vents and events that begin after `steps`, the last step; `None` if
    /// there are none.
    fn too_late(&self, simulation: &Simulation, steps: u64) -> Option<String> {
        let clock = simulation.world().flow().map(Flow::clock);
        let is_late = |vent: &VentTable| {
            let end = vent.end.unwrap_or(u64::MAX).min(steps);
            let pours = vent
                .flow
                .as_deref()
                .filter(|flow| flow.pours() && end > vent.start)
                .zip(clock);
            vent.start >= steps
                || pours.is_some_and(|(flow, clock)| {
                    flow.volume_m3(clock.time_s(vent.start), clock.time_s(end)) <= 0.0
                })
        };
        let vents = self
            .vents()
            .filter(|(_, vent)| is_late(vent))
            .map(|(key, _)| key);
        let events = self
            .spec
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| event.at > steps);
        let names: Vec<String> = vents
            .chain(events.map(|(i, _)| format!("event[{i}]")))
            .collect();
        let end = clock.map_or_else(String::new, |clock| {
            format!(" ({})", Seconds(clock.time_s(steps)))
        });
        (!names.is_empty()).then(|| {
            format!(
                "{}: comes after the end of the run, step {steps}{end}, and does nothing in it; run longer, or let it begin \
                 earlier",
                some_of(&names)
            )
        })
    }
}

/// Returns the first `MOST_NAMED` of `names` as text, followed by the number of names left out.
fn some_of(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(MOST_NAMED));
    let more = if rest.is_empty() {
        String::new()
    } else {
        format!(" and {} more", rest.len())
    };
    format!("{}{more}", first.join(", "))
}

/// Returns the liquids other than lava that touch the sides of the simulation box, as pairs (name,
/// number of columns at the sides).
fn standing(simulation: &Simulation) -> Vec<(String, usize)> {
    let world = simulation.world();
    let is_free = |number: usize| {
        let layer = &world.layers()[number];
        layer.material().kind == Kind::Liquid && !layer.carries_energy() && !world.is_mirror(number)
    };
    let columns = (0..world.layers().len())
        .filter(|&number| is_free(number))
        .map(|number| {
            let layer = &world.layers()[number];
            (
                layer.material().name.clone(),
                super::summary::columns_at_the_sides(layer),
            )
        });
    columns.filter(|(_, columns)| *columns > 0).collect()
}

/// Returns a warning about liquids other than lava at open sides of the simulation box, which will
/// flow out; `None` if there are none.
fn unheld(simulation: &Simulation) -> Option<String> {
    if simulation.rules_spec().walls == Walls::Closed {
        return None;
    }
    let words = |(name, columns): (String, usize)| {
        format!(
            "{name} stands at the open sides of the box, in {} columns",
            grouped(columns as u64)
        )
    };
    let standing: Vec<String> = standing(simulation).into_iter().map(words).collect();
    (!standing.is_empty()).then(|| {
        format!(
            "{}, and will run out there; walls = \"closed\" in [rules] keeps it, and so does higher ground along the sides",
            standing.join("; ")
        )
    })
}

/// Returns a warning if lava flows too fast for the finest sub-step: at a vent, or next to a column
/// with much lower lava or ground. Otherwise `None`.
fn too_fast(flow: &Flow, simulation: &Simulation) -> Option<String> {
    let (setup, space) = (flow.setup(), flow.space());
    let of_vent = |vent: &VentSpec| {
        let flow = vent.flow.as_deref()?;
        let rate = flow
            .rates_m3_s
            .iter()
            .map(|[_, rate]| *rate)
            .fold(0.0, f64::max)
            / vent.busy_columns();
        let kelvin = flow.temperature_k.unwrap_or(setup.lava.vent_k);
        // Four sides of a vent's column carry its output down a slope of its depth over a cell: q =
        // ρ g h³/(3 η) · h/dx.
        let weight = setup.lava.density_kg_m3 * 9.81;
        Some((
            (0.75 * setup.lava.viscosity_pa_s(kelvin) * rate / weight).powf(0.25),
            kelvin,
        ))
    };
    let of_column = |&c: &u32| {
        let (c, here) = (c as usize, flow.column(c as usize));
        let inside = |n: &usize| *n < space.columns() && n % space.nx + 1 != space.nx;
        let beside = [c + 1, c + space.nx]
            .into_iter()
            .filter(inside)
            .map(|n| flow.column(n).surface_m);
        let steep = beside
            .map(|surface| (surface - here.surface_m).abs())
            .fold(0.0, f64::max);
        (steep > STEEP * here.liquid_m).then_some((here.liquid_m, here.surface_k?))
    };
    let layers = simulation
        .vents()
        .filter_map(of_vent)
        .chain(flow.wet().iter().filter_map(of_column));
    let excess = |(depth, kelvin): (f64, f64)| (depth / flow.deepest_m(kelvin), depth);
    let (excess, depth) = layers
        .map(excess)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|most| most.0 > 1.0)?;
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

/// Returns a warning if lava will accumulate behind closed sides of the simulation box until its
/// depth requires too many sub-steps; otherwise `None`.
fn endless(flow: &Flow, simulation: &Simulation, steps: u64) -> Option<String> {
    let (setup, space, clock) = (flow.setup(), flow.space(), flow.clock());
    if setup.open_sides {
        return None;
    }
    let (from_s, to_s) = (clock.time_s(simulation.steps()), clock.time_s(steps));
    let vents: Vec<_> = simulation
        .vents()
        .filter_map(|vent| vent.flow.as_deref())
        .collect();
    let poured: f64 = vents.iter().map(|flow| flow.volume_m3(from_s, to_s)).sum();
    let kelvin = vents
        .iter()
        .map(|flow| flow.temperature_k.unwrap_or(setup.lava.vent_k))
        .reduce(f64::max)?;
    let mut surfaces: Vec<f64> = (0..space.columns())
        .map(|c| flow.column(c).surface_m)
        .collect();
    surfaces.sort_by(f64::total_cmp);
    let level =
        level_of(&surfaces, poured / (space.dx_m * space.dx_m)).min(space.ny as f64 * space.dz_m);
    let (deepest, most) = (flow.deepest_m(kelvin), Flow::MOST_SUB_STEPS as f64);
    let depths = surfaces
        .iter()
        .map(|surface| level - surface)
        .take_while(|depth| *depth > 0.0);
    // The number of sub-steps of a column grows with the cube of its depth, and the depth grows
    // linearly: on average a quarter of the final number.
    let sub_steps = |depth: f64| (most * (depth / deepest).powi(3)).clamp(1.0, most);
    let (columns, at_the_end) = depths.fold((0_u64, 0.0), |(n, sum), depth| {
        (n + 1, sum + sub_steps(depth))
    });
    let work = at_the_end * (steps - simulation.steps()) as f64 / 4.0;
    let deep = level - surfaces.first()?;
    (work > MANY).then(|| {
        format!(
            "behind the closed sides the lava will stand up to {} m deep, and flow in {} sub-steps of {} columns a step at the end: \
             more than {:.0e} in all, which takes hours. Open the sides (--walls open, or open_sides = true in [flow]), take cells \
             twice as large (a sixteenth of the work), a more viscous lava, or a shorter run",
            rough(deep),
            grouped((at_the_end / columns.max(1) as f64) as u64),
            grouped(columns),
            work
        )
    })
}

/// Returns the elevation in metres of the level surface of a liquid that fills columns with the
/// surface heights `surfaces` (metres, ascending). `depth_m`: volume of the liquid divided by the
/// area of a column.
fn level_of(surfaces: &[f64], depth_m: f64) -> f64 {
    let mut left = depth_m;
    for (i, pair) in surfaces.windows(2).enumerate() {
        let takes = (pair[1] - pair[0]) * (i + 1) as f64;
        if takes >= left {
            return pair[0] + left / (i + 1) as f64;
        }
        left -= takes;
    }
    surfaces
        .last()
        .map_or(0.0, |last| last + left / surfaces.len() as f64)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lavoxel_automaton::engine::tiled::Tiled;

    #[test]
    fn a_scene_in_which_nothing_pours_says_so() {
        let warning = |text: &str| {
            let text = format!("[grid]\nsize = [9, 12, 9]\n[terrain]\nkind = \"plane\"\n{text}");
            let scene = Scene::parse(&text, Path::new("dry.toml")).expect("a scene");
            scene
                .warnings(
                    &scene
                        .build(Box::new(Tiled::default()))
                        .expect("it fits")
                        .simulation,
                    None,
                )
                .pop()
        };
        let shape = "shape = { kind = \"sphere\", center = [4.0, 8.0, 4.0], radius = 2.0 }";
        let lava = "matter = { kind = \"lava\", amount = 1.0, energy = 1.0 }";
        let dry = [
            "",
            "[[vent]]\nat = \"summit\"\nrate = 0.0\n",
            "[[event]]\nat = 5\nseed = 2\n",
        ];
        for text in dry {
            let line = warning(text).unwrap_or_else(|| panic!("no warning for {text:?}"));
            assert!(
                line.starts_with("dry.toml: nothing pours: add a [[vent]]"),
                "{line}"
            );
        }
        let body = format!("[[body]]\n{shape}\n{lava}\n");
        let event = format!("[[event]]\nat = 5\nput = {{ {shape}, {lava} }}\n");
        let water = body.replace(
            lava,
            "matter = { kind = \"material\", name = \"water\", amount = 1.0 }",
        );
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
            scene
                .warnings(
                    &scene
                        .build(Box::new(Tiled::default()))
                        .expect("it fits")
                        .simulation,
                    None,
                )
                .pop()
        };
        // A dam of wax 7 cm high.
        let line = warning(1.0, 10.0).expect("a warning");
        assert!(
            line.contains("131 072 sub-steps of a step") && line.contains("make flow.step_s"),
            "{line}"
        );
        let named: f64 = line
            .split("flow.step_s ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next()?.parse().ok())
            .expect("a number");
        assert_eq!(
            warning(named * 0.9, 10.0),
            None,
            "the mend that {line} names"
        );
        assert_eq!(warning(1.0, 20.0), None, "a level pond moves nothing");
    }
}
