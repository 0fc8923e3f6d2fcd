//! Report of a session for the page, as JSON.

use serde::Serialize;

use crate::picture::Picture;
use lavoxel_automaton::matter::{Kind, Material};
use lavoxel_automaton::view::linear_to_srgb;
use lavoxel_base::units::AMOUNT_ONE;
use lavoxel_files::shipped;
use lavoxel_render::{Named, Style};
use lavoxel_scene::scene::Seconds;
use lavoxel_session::{Notice, Session, Tool};
use lavoxel_sim::goals::{Verdict, outcome, words};

/// Colour of lava in lists.
const LAVA: [u8; 3] = [255, 122, 40];

#[derive(Serialize)]
struct SceneReport {
    name: &'static str,
    about: String,
    is_challenge: bool,
}

/// Returns the built-in scenes as JSON.
pub(crate) fn scenes() -> String {
    // Reading all of them would take a second.
    let report = |scene: shipped::Shipped| SceneReport {
        name: scene.name,
        about: scene.about(),
        is_challenge: scene.text.lines().any(|line| line.starts_with("[[goal]]")),
    };
    json(&shipped::scenes().map(report).collect::<Vec<_>>())
}

/// Returns `text` without line ends.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Serialize)]
struct ToolReport {
    name: &'static str,
    what: &'static str,
    brush: bool,
    pours: bool,
}

/// Returns the tools as JSON, without that of the window's plots.
pub(crate) fn tools() -> String {
    let report = |tool: &Tool| ToolReport {
        name: tool.name(),
        what: tool.what(),
        brush: tool.is_brush(),
        pours: tool.pours(),
    };
    let of_page = |tool: &&Tool| **tool != Tool::Pick;
    json(
        &Tool::ALL
            .iter()
            .filter(of_page)
            .map(report)
            .collect::<Vec<_>>(),
    )
}

#[derive(Serialize)]
struct Report {
    name: String,
    task: String,
    step: u64,
    /// Simulated time in words; empty in the cellular automaton.
    time: String,
    /// Step to which the session seeks; the present one without a seek.
    goal: u64,
    travels: bool,
    /// Last step of the present branch.
    end: u64,
    acts: Vec<ActReport>,
    kept: Vec<u64>,
    branches: Vec<BranchReport>,
    undo: Option<String>,
    redo: Option<String>,
    grid: [usize; 3],
    cell_m: f64,
    has_air: bool,
    materials: Vec<MaterialReport>,
    sources: Vec<SourceReport>,
    goals: Vec<GoalReport>,
    /// `won` or `lost` once all is decided; empty before.
    outcome: &'static str,
    quantities: Vec<NameReport>,
    styles: Vec<NameReport>,
    style: &'static str,
    slices: [Option<f32>; 3],
    notices: Vec<NoticeReport>,
    /// Full cells of each material in the box.
    account: String,
}

#[derive(Serialize)]
struct ActReport {
    step: u64,
    words: String,
}

#[derive(Serialize)]
struct BranchReport {
    number: u64,
    name: String,
    end: u64,
    parts_at: u64,
    is_present: bool,
}

#[derive(Serialize)]
struct MaterialReport {
    name: String,
    color: String,
    is_liquid: bool,
}

#[derive(Serialize)]
struct SourceReport {
    number: usize,
    name: String,
}

#[derive(Serialize)]
struct GoalReport {
    name: String,
    words: String,
    share: f64,
    verdict: &'static str,
}

#[derive(Serialize)]
struct NameReport {
    name: String,
    words: String,
}

#[derive(Serialize)]
struct NoticeReport {
    wrong: bool,
    text: String,
}

/// Returns the report of `session`, seen through `picture`, as JSON.
pub(crate) fn session(session: &mut Session, picture: &Picture, notices: Vec<Notice>) -> String {
    let line_of_time = session.timeline();
    let simulation = session.simulation();
    let (world, grid) = (simulation.world(), simulation.world().grid());
    let [undo, redo] = line_of_time.offers.clone();
    let goals: Vec<_> = simulation
        .goals()
        .iter()
        .map(|(goal, progress)| (goal.clone(), progress))
        .collect();
    json(&Report {
        name: session.name().to_owned(),
        task: line(session.task()),
        step: simulation.steps(),
        time: simulation
            .time_s()
            .filter(|_| world.flow().is_some())
            .map(|time| Seconds(time).to_string())
            .unwrap_or_default(),
        goal: session.goal().step,
        travels: session.travels(),
        end: line_of_time.end(),
        acts: line_of_time
            .deeds
            .iter()
            .map(|deed| ActReport {
                step: deed.deed.after.step,
                words: deed.words.clone(),
            })
            .collect(),
        kept: line_of_time.kept.iter().map(|moment| moment.step).collect(),
        branches: line_of_time
            .branches
            .iter()
            .map(|report| BranchReport {
                number: report.branch.number,
                name: report.branch.name.clone(),
                end: report.branch.end,
                parts_at: report.parts_at,
                is_present: report.branch.number == line_of_time.present,
            })
            .collect(),
        undo,
        redo,
        grid: [grid.nx, grid.ny, grid.nz],
        cell_m: session.site().cell_size_m,
        has_air: world.air().is_some(),
        materials: materials(session),
        sources: simulation
            .open_vents()
            .map(|(number, vent)| SourceReport {
                number,
                name: vent
                    .material
                    .clone()
                    .unwrap_or_else(|| Material::LAVA.to_owned()),
            })
            .collect(),
        goals: goals
            .iter()
            .map(|(goal, progress)| GoalReport {
                name: goal.name.clone(),
                words: words(goal, progress),
                share: goal.aim().share_of(progress).clamp(0.0, 1.0),
                verdict: verdict(progress.verdict.map(|(verdict, _)| verdict)),
            })
            .collect(),
        outcome: verdict(outcome(&goals)),
        quantities: world
            .quantities()
            .iter()
            .map(|quantity| NameReport {
                name: quantity.name(),
                words: quantity.words(),
            })
            .collect(),
        styles: Style::ALL
            .iter()
            .filter(|style| style.at_once() == **style)
            .map(|style| NameReport {
                name: style.name().to_owned(),
                words: style.what().to_owned(),
            })
            .collect(),
        style: picture.style().name(),
        slices: picture.slices(),
        notices: notices
            .into_iter()
            .map(|notice| NoticeReport {
                wrong: notice.wrong,
                text: notice.text,
            })
            .collect(),
        account: account(session),
    })
}

/// Returns in one line how many full cells of each material are in the box.
fn account(session: &Session) -> String {
    let world = session.simulation().world();
    let of = |layer: &lavoxel_automaton::world::Layer| {
        let cells = layer.tally().mass as f64 / f64::from(AMOUNT_ONE);
        (cells > 0.0).then(|| format!("{} {cells:.0}", layer.material().name))
    };
    world
        .layers()
        .iter()
        .filter_map(of)
        .collect::<Vec<_>>()
        .join(", ")
}

fn verdict(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "",
        Some(Verdict::Won) => "won",
        Some(Verdict::Lost) => "lost",
    }
}

/// Returns the materials that tools can put into the world of `session`.
fn materials(session: &Session) -> Vec<MaterialReport> {
    let world = session.simulation().world();
    let layers = world.layers().iter().enumerate();
    // Lava's own mirror stays: tools pour lava under its name.
    let poured = layers
        .filter(|(number, layer)| layer.material().carries_energy() || !world.is_mirror(*number));
    let report = |layer: &lavoxel_automaton::world::Layer| {
        let material = layer.material();
        let color = match material.carries_energy() {
            true => LAVA,
            false => material
                .look
                .linear_color()
                .map(|light| (linear_to_srgb(light.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8),
        };
        MaterialReport {
            name: material.name.clone(),
            color: format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]),
            is_liquid: matches!(material.kind, Kind::Liquid | Kind::Viscous),
        }
    };
    poured.map(|(_, layer)| report(layer)).collect()
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
