//! Tour of the window for new users: five pages, each with something to try and with an arrow to a
//! section of the panel.

use kiss3d::egui::{
    Align, Area, Button, Context, Frame, Id, Layout, Margin, Order, Pos2, Rect, RichText, Shape,
    Stroke, StrokeKind, Ui, Vec2, vec2,
};

use super::{ACCENT, BRIGHT, DEEP, FAINT};
use crate::input::keys::Action;
use crate::state::{Request, State};
use lavoxel_files::shipped::{self, Shipped};
use lavoxel_session::Tool;

/// Length in points of the head of the arrow from the tour's card to a section.
const TIP: f32 = 10.0;
/// Width in points of the card that shows a page of the tour.
const WIDTH: f32 = 340.0;

/// Height in points of the tallest card of the tour; each card is placed so that this height fits.
const HEIGHT: f32 = 215.0;

/// Page of the tour: title, text, and something for the user to try.
struct Step {
    title: &'static str,
    words: &'static str,
    /// Title of the panel's section to which the arrow points; `None` for a page about the picture.
    section: Option<&'static str>,
    /// Button that does what the page suggests; `None` for no button.
    offer: Option<Offer>,
}

/// Button on the card of a page of the tour.
enum Offer {
    /// Carries out an action. First field: text of the button.
    Do(&'static str, Action),
    /// Opens the built-in scene with this name.
    Open(&'static str),
}

/// Pages of the tour, in order.
const STEPS: [Step; 5] = [
    Step {
        title: "Turn the camera",
        words: "Drag over the picture to go round the volcano, turn the wheel to come closer, and drag with Shift to move aside. Home \
                brings the first view back.",
        section: None,
        offer: Some(Offer::Do("Turn by itself (T)", Action::Turntable)),
    },
    Step {
        title: "Place a vent",
        words: "Take the tool source (F3) and click on the land: lava comes out there. Drag a vent to another place, or its upper handle for \
                more lava.",
        section: Some("Tools"),
        offer: Some(Offer::Do("Take the tool (F3)", Action::Tool(Tool::Source))),
    },
    Step {
        title: "Pour water",
        words: "In a scene with water, choose it among the materials and paint with the tool fill (F4): where it meets lava it boils, \
                and the lava breaks up. Rock (F5) dams a flow, dig (F6) lets it through.",
        section: Some("Tools"),
        offer: Some(Offer::Open("island")),
    },
    Step {
        title: "Go back in time",
        words: "Ctrl+Z takes back what was done, Ctrl+Shift+Z brings it back. Drag on the strip at the bottom to go to any step; what you \
                do there begins a branch, and the way before stays.",
        section: None,
        offer: Some(Offer::Do("To the start (Backspace)", Action::Reset)),
    },
    Step {
        title: "Save and film",
        words: "Ctrl+S writes all that was done into one small file to send or go on with. F12 takes a picture, F9 begins a film and ends \
                it. All files go into lavoxel-out.",
        section: Some("Files"),
        offer: Some(Offer::Do(
            "Take a picture (F12)",
            Action::Screenshot { transparent: false },
        )),
    },
];

/// User's click on a card of the tour: goes to the page with this index, ends the tour, or carries
/// out a request.
enum Choice {
    To(usize),
    End,
    Try(Request),
}

/// Draws the card of the present page of the tour; hidden while the start screen or the help window
/// is open.
pub(super) fn draw(context: &Context, state: &mut State) {
    let Some(number) = state
        .shown
        .tour
        .filter(|_| !state.shown.opening && !state.shown.help)
    else {
        return;
    };
    let Some(step) = STEPS.get(number) else {
        return;
    };
    let screen = context.content_rect();
    let panel = super::panel_width(&state.shown, screen.width());
    let section = step
        .section
        .and_then(|title| heading(context, title))
        .filter(|area| screen.contains_rect(*area));
    let place = place(section, screen, panel);
    let mut choice = None;
    let area = Area::new(Id::new("tour"))
        .order(Order::Foreground)
        .fixed_pos(place)
        .movable(false);
    let shown = area.show(context, |ui| {
        ui.set_max_width(WIDTH.min(screen.width() - panel - 40.0).max(160.0));
        let frame = Frame::new()
            .fill(context.global_style().visuals.window_fill)
            .inner_margin(Margin::same(12));
        let frame = frame.corner_radius(6).stroke(Stroke::new(1.5, ACCENT));
        frame.show(ui, |ui| choice = card(ui, step, number));
    });
    if let Some(section) = section {
        point(context, shown.response.rect, section);
    }
    match choice {
        Some(Choice::To(next)) => state.shown.tour = Some(next),
        Some(Choice::End) => state.shown.tour = None,
        Some(Choice::Try(request)) => state.ask(request),
        None => {}
    }
}

/// Draws text and buttons of the page `step` of the tour. `number`: index of the page. Returns the
/// user's click; `None` without a click.
fn card(ui: &mut Ui, step: &Step, number: usize) -> Option<Choice> {
    let mut choice = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new(step.title).strong().size(15.0).color(BRIGHT));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(
                RichText::new(format!("{} of {}", number + 1, STEPS.len()))
                    .small()
                    .color(FAINT),
            );
        });
    });
    ui.label(step.words);
    ui.add_space(4.0);
    match &step.offer {
        Some(Offer::Do(name, action)) if ui.button(*name).clicked() => {
            choice = Some(Choice::Try(Request::Do(*action)));
        }
        Some(Offer::Open(name))
            if ui
                .button(format!("Open {name}, an island in the sea"))
                .clicked() =>
        {
            choice = scene(name).map(|scene| Choice::Try(Request::Open(scene.path())));
        }
        _ => {}
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let last = number + 1 == STEPS.len();
        let next =
            Button::new(RichText::new(if last { "Done" } else { "Next" }).color(BRIGHT)).fill(DEEP);
        if ui.add(next.min_size(vec2(70.0, 24.0))).clicked() {
            choice = Some(if last {
                Choice::End
            } else {
                Choice::To(number + 1)
            });
        }
        if number > 0 && ui.button("Back").clicked() {
            choice = Some(Choice::To(number - 1));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let hint = "Esc ends the tour; the help (F1) starts it again.";
            if !last
                && ui
                    .button(RichText::new("Skip the tour").color(FAINT))
                    .on_hover_text(hint)
                    .clicked()
            {
                choice = Some(Choice::End);
            }
        });
    });
    choice
}

fn scene(name: &str) -> Option<Shipped> {
    shipped::scenes().find(|scene| scene.name == name)
}

/// Returns the position in points of the upper left corner of the tour's card: right of the panel
/// at the height of `section` (area of a heading in points), or at the bottom of the picture if
/// `section` is `None`. `panel`: width of the panel in points.
fn place(section: Option<Rect>, screen: Rect, panel: f32) -> Pos2 {
    match section {
        Some(area) => {
            let lowest = (screen.bottom() - HEIGHT - 20.0).max(screen.top() + 12.0);
            let top = (area.top() - 8.0).clamp(screen.top() + 12.0, lowest);
            Pos2::new(screen.left() + panel + 28.0, top)
        }
        None => {
            let middle = screen.left() + panel + 0.5 * (screen.width() - panel - WIDTH);
            let low = (screen.bottom() - HEIGHT - 20.0).max(screen.top() + 12.0);
            Pos2::new(middle.max(screen.left() + panel + 12.0), low)
        }
    }
}

/// Draws a frame around `section` (area of a heading in points), and an arrow from the tour's card
/// to the frame.
fn point(context: &Context, card: Rect, section: Rect) {
    let painter = context.layer_painter(kiss3d::egui::LayerId::new(
        Order::Foreground,
        Id::new("tour mark"),
    ));
    let stroke = Stroke::new(2.0, ACCENT);
    painter.rect_stroke(section.expand(2.0), 4.0, stroke, StrokeKind::Outside);
    let from = Pos2::new(
        card.left(),
        section
            .center()
            .y
            .clamp(card.top() + 10.0, card.bottom() - 10.0),
    );
    let to = Pos2::new(section.right() + 6.0, section.center().y);
    painter.line_segment([from, to], stroke);
    let tip = [Vec2::ZERO, vec2(TIP, -0.6 * TIP), vec2(TIP, 0.6 * TIP)].map(|corner| to + corner);
    painter.add(Shape::convex_polygon(tip.to_vec(), ACCENT, Stroke::NONE));
}

/// Returns the screen area in points of the section heading `title`; `None` if the heading was
/// drawn neither in this egui pass nor in the previous one.
fn heading(context: &Context, title: &str) -> Option<Rect> {
    let (pass, area): (u64, Rect) = context.data(|data| data.get_temp(id_of(title)))?;
    (pass + 1 >= context.cumulative_pass_nr()).then_some(area)
}

/// Stores the screen area in points of the section heading `title`, so that the tour can point to
/// the heading.
pub(super) fn note_heading(ui: &Ui, title: &str, area: Rect) {
    let (pass, seen) = (
        ui.ctx().cumulative_pass_nr(),
        ui.clip_rect().contains_rect(area),
    );
    if seen {
        ui.ctx()
            .data_mut(|data| data.insert_temp(id_of(title), (pass, area)));
    }
}

fn id_of(title: &str) -> Id {
    Id::new(("heading", title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::panel;

    #[test]
    fn scenes_that_the_tour_opens_are_there() {
        for step in STEPS {
            if let Some(Offer::Open(name)) = step.offer {
                let scene = scene(name).expect("a scene of the program");
                assert!(scene.text.contains("water"), "{name}");
            }
            if let Some(section) = step.section {
                assert!(panel::SECTIONS.contains(&section), "{section}");
            }
        }
    }
}
