//! Timeline at the bottom of the window: a button per branch of the session, and a track of the
//! present branch on which the user drags the pointer to seek through time.

use kiss3d::egui::{
    Align2, Area, Color32, Context, CursorIcon, FontId, Id, Key, Order, Painter, Pos2, Rect,
    Response, RichText, ScrollArea, Sense, Shape, Stroke, StrokeKind, TextEdit, Ui, pos2, vec2,
};

use super::{ACCENT, BRIGHT, FAINT, SHADE};
use crate::input::keys::Action;
use crate::messages::{
    ActKind, Branch, BranchChange, BranchReport, Command, DeedReport, LONGEST_NAME, Moment, Report,
    TimeLine, Way,
};
use crate::state::{Request, State};
use lavoxel_render::chart::ticks::Ticks;

/// Height of the timeline in points.
pub(super) const HEIGHT: f32 = 62.0;
/// Smallest height of the window in points with which the timeline is shown; in lower windows, the
/// picture needs the room.
const LOWEST: f32 = 300.0;
/// Height of the track of the timeline in points.
const TRACK: f32 = 16.0;
/// Height in points of the step numbers below the track.
const NUMBERS: f32 = 13.0;
/// Largest distance in points between the pointer and a kept moment on the track at which a click
/// selects that moment.
const SNAP: f32 = 5.0;
/// Margin in points at both ends of the track; leaves room for the marker of the present step and
/// half of a step number.
const MARGIN: f32 = 14.0;

/// Returns the height of the timeline in points; 0 while the timeline is hidden. `window`: height
/// of the window in points.
pub(super) fn height(state: &State, window: f32) -> f32 {
    if state.shown.panel && state.report.is_some() && window >= LOWEST {
        HEIGHT
    } else {
        0.0
    }
}

/// Draws the timeline at the bottom of the window, unless the timeline is hidden.
pub(super) fn draw(context: &Context, state: &mut State) {
    let screen = context.content_rect();
    let left = super::panel_width(&state.shown, screen.width());
    // In a narrow window, the panel leaves no room for the timeline.
    if height(state, screen.height()) == 0.0 || screen.width() - left < 120.0 {
        return;
    }
    let Some(report) = state.report.clone() else {
        return;
    };
    let place = Rect::from_min_max(
        pos2(screen.left() + left, screen.bottom() - HEIGHT),
        screen.right_bottom(),
    );
    let area = Area::new(Id::new("timeline"))
        .order(Order::Middle)
        .fixed_pos(place.min)
        .movable(false);
    // Unconstrained: contents that extend beyond the window's edge must not shift the timeline over
    // the picture.
    let area = area.constrain(false).default_size(place.size());
    area.show(context, |ui| {
        ui.painter().rect_filled(place, 0.0, SHADE);
        ui.painter().hline(
            place.x_range(),
            place.top(),
            Stroke::new(1.0, Color32::from_rgb(52, 52, 58)),
        );
        let inner = place.shrink2(vec2(MARGIN, 4.0));
        ui.scope_builder(
            kiss3d::egui::UiBuilder::new()
                .max_rect(Rect::from_min_size(inner.min, vec2(inner.width(), 22.0))),
            |ui| {
                ui.set_clip_rect(place);
                chips(ui, state, &report);
            },
        );
        let track = Rect::from_min_size(
            pos2(inner.left(), inner.top() + 25.0),
            vec2(inner.width(), TRACK),
        );
        strip(ui, state, &report, track);
        // The timeline takes all clicks on its area: clicks between widgets must not reach the
        // world below.
        ui.expand_to_include_rect(place);
    });
}

/// Draws the upper row of the timeline: buttons for undo and redo, the step number, and a button
/// per branch.
fn chips(ui: &mut Ui, state: &mut State, report: &Report) {
    let line = &report.timeline;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (symbol, offer, hint, action) in [
            ("↩", &line.offers[0], "Take back (Ctrl+Z)", Action::Undo),
            (
                "↪",
                &line.offers[1],
                "Bring back (Ctrl+Shift+Z)",
                Action::Redo,
            ),
        ] {
            let hint = offer
                .as_ref()
                .map_or(hint.to_owned(), |words| format!("{hint}: {words}"));
            let button = kiss3d::egui::Button::new(RichText::new(symbol).size(13.0)).small();
            if ui
                .add_enabled(offer.is_some(), button)
                .on_hover_text(hint)
                .clicked()
            {
                state.ask(Request::Do(action));
            }
        }
        let travels = report.goal != report.moment;
        let step = if travels {
            format!("step {} → {}", report.step, report.goal.step)
        } else {
            format!("step {}", report.step)
        };
        ui.label(
            RichText::new(step)
                .small()
                .color(if travels { ACCENT } else { BRIGHT }),
        );
        ui.add_space(6.0);
        ScrollArea::horizontal()
            .id_salt("branches")
            .auto_shrink([false, true])
            .show(ui, |ui| {
                ui.horizontal(|ui| {
                    for branch in &line.branches {
                        chip(ui, state, line, branch);
                    }
                });
            });
    });
}

/// Draws the button of the branch in `report`: a click switches to the branch, a click with the
/// secondary mouse button opens a menu.
fn chip(ui: &mut Ui, state: &mut State, line: &TimeLine, report: &BranchReport) {
    let branch = &report.branch;
    if let Some((number, name)) = &mut state.strip.rename
        && *number == branch.number
    {
        let edit = ui.add(
            TextEdit::singleline(name)
                .desired_width(110.0)
                .char_limit(LONGEST_NAME),
        );
        edit.request_focus();
        let (enter, escape) = ui.input(|input| {
            (
                input.key_pressed(Key::Enter),
                input.key_pressed(Key::Escape),
            )
        });
        if enter || escape || edit.lost_focus() {
            let (number, name) = (*number, std::mem::take(name));
            state.strip.rename = None;
            if enter && !name.trim().is_empty() {
                state.ask(Request::Send(Command::Branch(BranchChange::Rename(
                    number, name,
                ))));
            }
        }
        return;
    }
    let here = branch.number == line.present;
    let text = RichText::new(&branch.name)
        .small()
        .color(if here { BRIGHT } else { FAINT });
    let chip = ui.add(kiss3d::egui::Button::selectable(here, text).small());
    let hint = match here {
        true => format!(
            "The present branch, up to step {}. Second button: rename.",
            branch.end
        ),
        false => format!(
            "Parts at step {}, goes up to step {}. Click: go to it, at the same step. Second button: more.",
            report.parts_at, branch.end
        ),
    };
    let chip = chip.on_hover_text(hint);
    if chip.clicked() && !here {
        state.ask(Request::Go(Way::Branch(branch.number)));
    }
    chip.context_menu(|ui| menu(ui, state, branch, here));
}

fn menu(ui: &mut Ui, state: &mut State, branch: &Branch, here: bool) {
    if ui.button("Rename").clicked() {
        state.strip.rename = Some((branch.number, branch.name.clone()));
        ui.close();
    }
    if here {
        return;
    }
    if ui.button("Compare side by side").clicked() {
        state.ask(Request::Compare(branch.number));
        ui.close();
    }
    if ui.button("Delete").clicked() {
        state.ask(Request::Send(Command::Branch(BranchChange::Remove(
            branch.number,
        ))));
        ui.close();
    }
}

/// Linear map between simulation steps and horizontal positions on the track, in points.
#[derive(Clone, Copy, Debug)]
struct Scale {
    left: f32,
    width: f32,
    end: f64,
}

impl Scale {
    fn new(track: Rect, end: u64) -> Self {
        Self {
            left: track.left(),
            width: track.width(),
            end: end.max(1) as f64,
        }
    }

    fn x(self, step: u64) -> f32 {
        self.left + (step as f64 / self.end).min(1.0) as f32 * self.width
    }

    fn step(self, x: f32) -> u64 {
        let share = f64::from((x - self.left) / self.width).clamp(0.0, 1.0);
        (share * self.end).round() as u64
    }
}

/// Returns the target of a seek for the horizontal position `x` on the track, in points: the
/// nearest kept moment at most `SNAP` away, else the step at `x`.
fn way_at(line: &TimeLine, scale: Scale, x: f32) -> Way {
    let near = |moment: &&Moment| (scale.x(moment.step) - x).abs() <= SNAP;
    let by_distance = |moment: &&Moment| ((scale.x(moment.step) - x).abs() * 16.0) as u32;
    match line.kept.iter().filter(near).min_by_key(by_distance) {
        Some(moment) => Way::To(*moment),
        None => Way::Step(scale.step(x)),
    }
}

/// Draws the track of the present branch, from its first step to its tip, and handles clicks and
/// drags on the track.
fn strip(ui: &mut Ui, state: &mut State, report: &Report, track: Rect) {
    let line = &report.timeline;
    let scale = Scale::new(track, line.end());
    let reach = Rect::from_min_max(
        track.min - vec2(MARGIN, 3.0),
        track.max + vec2(MARGIN, NUMBERS),
    );
    let response = ui
        .interact(reach, Id::new("scrub"), Sense::click_and_drag())
        .on_hover_cursor(CursorIcon::ResizeHorizontal);
    draw_track(ui.painter(), report, track, scale);
    if let Some(at) = response.hover_pos() {
        let words = hint(line, scale, at.x);
        ui.painter().vline(
            at.x.clamp(track.left(), track.right()),
            track.y_range(),
            Stroke::new(1.0, FAINT),
        );
        show_hint(ui.painter(), track, at.x, &words);
    }
    scrub(state, &response, |x| way_at(line, scale, x));
}

/// Requests a seek to the target under the pointer while the mouse button is held; an unchanged
/// target is requested only once. `way`: returns the target for a horizontal position in points.
fn scrub(state: &mut State, response: &Response, way: impl Fn(f32) -> Way) {
    let held = response.is_pointer_button_down_on()
        && response.ctx.input(|input| input.pointer.primary_down());
    let at = response
        .interact_pointer_pos()
        .filter(|_| held || response.clicked() || response.drag_stopped());
    if let Some(at) = at {
        let way = way(at.x);
        if state.strip.asked.replace(way) != Some(way) {
            state.ask(Request::Go(way));
        }
    }
    if !held {
        state.strip.asked = None;
    }
}

fn draw_track(painter: &Painter, report: &Report, track: Rect, scale: Scale) {
    let line = &report.timeline;
    let here = scale.x(report.moment.step);
    painter.rect_filled(track, 3.0, Color32::from_rgb(44, 44, 50));
    let done = Rect::from_min_max(track.min, pos2(here, track.bottom()));
    painter.rect_filled(done, 3.0, Color32::from_rgb(92, 52, 28));
    draw_numbers(painter, track, scale, line.end());
    for other in line
        .branches
        .iter()
        .filter(|other| other.branch.number != line.present)
    {
        draw_fork(painter, track, scale, other);
    }
    for deed in &line.deeds {
        draw_deed(painter, track, scale, deed, report.moment);
    }
    for kept in &line.kept {
        star(painter, pos2(scale.x(kept.step), track.top() - 1.0));
    }
    if report.goal != report.moment {
        let goal = scale.x(report.goal.step);
        painter.vline(goal, track.expand(2.0).y_range(), Stroke::new(1.5, ACCENT));
    }
    head(painter, track, here);
}

/// Draws ticks and step numbers below the track. `end`: last step on the track.
fn draw_numbers(painter: &Painter, track: Rect, scale: Scale, end: u64) {
    let ticks = Ticks::fitting((0.0, end.max(1) as f64), 1.0, track.width(), |_| 70.0);
    let font = FontId::proportional(10.0);
    for (tick, label) in ticks.values.iter().zip(ticks.labels()) {
        let x = scale.x(*tick as u64);
        painter.vline(
            x,
            track.bottom()..=track.bottom() + 3.0,
            Stroke::new(1.0, FAINT),
        );
        painter.text(
            pos2(x, track.bottom() + 2.0),
            Align2::CENTER_TOP,
            label,
            font.clone(),
            FAINT,
        );
    }
}

/// Draws the branch `other` as a line at the bottom of the track, from its last common step with
/// the present branch to its tip.
fn draw_fork(painter: &Painter, track: Rect, scale: Scale, other: &BranchReport) {
    let (from, to) = (scale.x(other.parts_at), scale.x(other.branch.end));
    let y = track.bottom() - 2.0;
    let stroke = Stroke::new(1.5, Color32::from_rgb(120, 150, 170));
    painter.line_segment([pos2(from, track.center().y), pos2(from + 4.0, y)], stroke);
    painter.line_segment(
        [
            pos2(from + 4.0, y),
            pos2(to.max(from + 9.0).min(track.right() + 6.0), y),
        ],
        stroke,
    );
}

fn draw_deed(painter: &Painter, track: Rect, scale: Scale, deed: &DeedReport, here: Moment) {
    let (from, to) = (
        scale.x(deed.deed.before.step),
        scale.x(deed.deed.after.step),
    );
    let color = color(deed.deed.kind);
    let color = if deed.deed.after > here {
        color.gamma_multiply(0.55)
    } else {
        color
    };
    let mark = Rect::from_min_max(
        pos2(from - 1.5, track.top() + 3.0),
        pos2(to + 1.5, track.bottom() - 5.0),
    );
    painter.rect_filled(mark, 1.0, color);
}

/// Draws the marker of the present step at the horizontal position `x` in points.
fn head(painter: &Painter, track: Rect, x: f32) {
    painter.vline(
        x,
        track.expand2(vec2(0.0, 2.0)).y_range(),
        Stroke::new(2.0, BRIGHT),
    );
    let (top, half) = (track.top() - 3.0, 4.5);
    let points = vec![
        pos2(x - half, top - half),
        pos2(x + half, top - half),
        pos2(x, top + 2.0),
    ];
    painter.add(Shape::convex_polygon(points, BRIGHT, Stroke::NONE));
}

/// Draws a star, the mark of a kept moment, centred at the point `at` of the screen (in points).
fn star(painter: &Painter, at: Pos2) {
    painter.text(
        at,
        Align2::CENTER_CENTER,
        "★",
        FontId::proportional(12.0),
        Color32::from_rgb(255, 214, 90),
    );
}

/// Returns the tooltip text for the horizontal position `x` on the track, in points: the step, and
/// the user actions at this step.
fn hint(line: &TimeLine, scale: Scale, x: f32) -> String {
    let way = way_at(line, scale, x);
    if let Way::To(moment) = way {
        return format!("step {}, kept", moment.step);
    }
    let near = |deed: &&DeedReport| {
        let reach = scale.x(deed.deed.before.step) - 4.0..=scale.x(deed.deed.after.step) + 4.0;
        reach.contains(&x)
    };
    let here: Vec<&DeedReport> = line.deeds.iter().filter(near).collect();
    let step = format!("step {}", scale.step(x));
    match here[..] {
        [] => step,
        [only] => format!("{step}: {} at {}", only.words, only.deed.before.step),
        [first, .., last] => format!(
            "{step}: {} … {} ({} acts)",
            first.words,
            last.words,
            here.len()
        ),
    }
}

/// Draws the tooltip with the text `words` above the horizontal position `x` of the track, shifted
/// so that the tooltip lies inside the window.
fn show_hint(painter: &Painter, track: Rect, x: f32, words: &str) {
    let galley = painter.layout_no_wrap(words.to_owned(), FontId::proportional(11.5), BRIGHT);
    let half = 0.5 * galley.size().x + 6.0;
    let middle = x.clamp(
        (track.left() + half).min(track.right() - half),
        track.right() - half,
    );
    let card = Rect::from_center_size(
        pos2(middle, track.top() - HEIGHT + 20.0),
        galley.size() + vec2(12.0, 6.0),
    );
    let painter = painter.with_clip_rect(Rect::EVERYTHING);
    painter.rect(
        card,
        4.0,
        SHADE,
        Stroke::new(1.0, Color32::from_rgb(70, 70, 76)),
        StrokeKind::Inside,
    );
    painter.galley(card.center() - 0.5 * galley.size(), galley, BRIGHT);
}

/// Returns the colour in which the timeline marks user actions of the kind `kind`.
fn color(kind: ActKind) -> Color32 {
    match kind {
        ActKind::Lava => ACCENT,
        ActKind::Material => Color32::from_rgb(88, 156, 236),
        ActKind::Rock => Color32::from_rgb(178, 150, 122),
        ActKind::Dig => Color32::from_rgb(214, 196, 110),
        ActKind::Drain => Color32::from_rgb(110, 204, 200),
        ActKind::Air => Color32::from_rgb(196, 200, 214),
        ActKind::Source => Color32::from_rgb(255, 84, 84),
        ActKind::Setting => Color32::from_rgb(190, 132, 232),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::messages::{Deed, Pace};
    use crate::ui::shapes;
    use lavoxel_base::grid::Grid;
    use lavoxel_scene::scene::Scene;

    fn line() -> TimeLine {
        let branch = |number, name: &str, last, end, parts_at| BranchReport {
            branch: Branch {
                number,
                name: name.to_owned(),
                named: false,
                last,
                end,
            },
            parts_at,
        };
        let at = |step, act| Moment { step, act };
        let deed = |before, after, kind, words: &str| DeedReport {
            deed: Deed {
                before,
                after,
                kind,
            },
            words: words.to_owned(),
        };
        TimeLine {
            present: 2,
            branches: vec![
                branch(1, "main", 1, 700, 200),
                branch(2, "with a dam", 9, 400, 400),
            ],
            deeds: vec![
                deed(at(20, 0), at(20, 1), ActKind::Source, "new vent"),
                deed(at(200, 1), at(230, 9), ActKind::Rock, "stroke of rock"),
            ],
            kept: vec![at(100, 1)],
            offers: [Some("stroke of rock".to_owned()), None],
        }
    }

    fn state() -> State {
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        let moment = Moment { step: 300, act: 9 };
        let quiet = Report::quiet(Grid::new(16, 16, 16));
        state.report = Some(Report {
            step: 300,
            moment,
            goal: moment,
            timeline: Arc::new(line()),
            ..quiet
        });
        state
    }

    #[test]
    fn a_place_of_the_strip_is_a_step_and_near_a_star_the_kept_moment() {
        let track = Rect::from_min_size(pos2(50.0, 10.0), vec2(800.0, TRACK));
        let scale = Scale::new(track, 400);
        for step in 0..=400 {
            assert_eq!(scale.step(scale.x(step)), step);
        }
        assert_eq!([scale.step(-1e6), scale.step(1e6)], [0, 400]);
        let at = |x| way_at(&line(), scale, x);
        assert_eq!(
            at(scale.x(100) + 3.0),
            Way::To(Moment { step: 100, act: 1 })
        );
        assert_eq!(at(scale.x(100) + 10.0), Way::Step(105));
        assert_eq!(
            hint(&line(), scale, scale.x(215)),
            "step 215: stroke of rock at 200"
        );
        assert_eq!(hint(&line(), scale, scale.x(100)), "step 100, kept");
        assert_eq!(hint(&line(), scale, scale.x(300)), "step 300");
        // A session at its beginning has a strip, too.
        assert_eq!(Scale::new(track, 0).step(50.0), 0);
    }

    #[test]
    fn it_shows_its_branches_in_windows_of_any_size_and_leaves_with_the_panel() {
        for (width, height) in [(1280.0, 800.0), (640.0, 480.0), (420.0, 320.0)] {
            let context = Context::default();
            crate::ui::theme(&context);
            let mut state = state();
            let texts = shapes::texts(&context, vec2(width, height), |context| {
                draw(context, &mut state)
            });
            let seen = |words: &str| {
                let text = texts.iter().find(|text| text.words.contains(words));
                text.is_some_and(|text| text.clip.expand(1.0).contains_rect(text.area))
            };
            assert!(
                seen("main") && seen("step 300"),
                "{width}: {:?}",
                texts.iter().map(|t| &t.words).collect::<Vec<_>>()
            );
            assert!(
                texts
                    .iter()
                    .all(|text| text.area.top() >= height - HEIGHT - 1.0),
                "over the picture"
            );
            // Above the strip the picture receives the pointer.
            let layer = |y: f32| {
                context
                    .layer_id_at(pos2(width - 60.0, y))
                    .map(|layer| layer.order)
            };
            assert_eq!(layer(height - 0.5 * HEIGHT), Some(Order::Middle));
            for y in [height - HEIGHT - 4.0, 0.6 * height, 0.3 * height] {
                assert_ne!(layer(y), Some(Order::Middle), "{y} of {height}");
            }
        }
        let mut hidden = state();
        hidden.shown.panel = false;
        let context = Context::default();
        let texts = shapes::texts(&context, vec2(1280.0, 800.0), |context| {
            draw(context, &mut hidden)
        });
        assert!(texts.is_empty());
        assert_eq!(self::height(&hidden, 800.0), 0.0);
    }
}
