//! Look section of the panel: style, colours, light and drawing quality.

use kiss3d::egui::{ComboBox, Ui};

use super::rows::{SliderRow, choice, key, name};
use crate::input::keys::Action;
use crate::paint::Quality;
use crate::state::{Request, State};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::COLORS;
use lavoxel_automaton::world::Quantity;
use lavoxel_render::{LookSpec, Named, PALETTE_NAMES, PaletteSpec, SkyPreset, Style};

/// Tooltip of the button that begins a print.
const PRINT: &str = "Traces the light of this view, better while you look; time stands still \
                     meanwhile (5).";

/// Elevation of the sun in degrees at which the slider starts when the user chooses to set the
/// elevation; without this choice, the kind of sky determines the elevation.
const USUAL_SUN_DEG: f32 = 20.0;

/// Draws the buttons among which the user chooses the style of the picture, and the button that
/// begins a print.
pub(super) fn style(ui: &mut Ui, state: &mut State) {
    // Styles of the live picture; a print begins from each.
    let live = Style::LIST
        .iter()
        .filter(|style| style.at_once() == **style)
        .map(|style| (*style, style.name(), style.what()));
    let mut style = state.look.style.at_once();
    // No label: with a label, the choice would be wider than the panel.
    if choice(ui, ("", ""), &mut style, &live.collect::<Vec<_>>()) {
        state.look.style = style;
    }
    let text = if state.print.is_some() {
        "Close the print"
    } else {
        "Print this view"
    };
    if ui.button(text).on_hover_text(PRINT).clicked() {
        state.ask(Request::Do(Action::Print));
    }
}

/// Draws the controls for the look; the user's changes go to `state.look`.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    // The height of cells and the draped image do not belong to the look in the scene file: the
    // comparison for resets ignores them.
    let (cell_height, drape) = (state.look.cell_height, state.look.drape.clone());
    let usual = LookSpec {
        cell_height,
        drape,
        ..state.scene.look()
    };
    let look = &mut state.look;
    if look.style.at_once() == Style::Cinematic {
        cinematic(ui, look, &usual);
    } else {
        plain(ui, look, &usual);
    }
    if matches!(look.style.at_once(), Style::Cinematic | Style::Surface) {
        let least = f64::from(look.film.max(0.02));
        key(ui, ("iso", "surface at", 2), (look, &usual), least..=0.98);
    }
    sky(ui, look, &usual);
    ui.horizontal(|ui| {
        name(ui, "show", "What is drawn (V and G).");
        ui.checkbox(&mut state.shown.volume, "lava");
        ui.checkbox(&mut state.shown.ground, "ground");
        if ui
            .button("reset look")
            .on_hover_text("Back to the scene's look.")
            .clicked()
        {
            state.look = usual;
        }
    });
    quality(ui, &mut state.shown.quality, state.shown.usual_fps);
}

fn cinematic(ui: &mut Ui, look: &mut LookSpec, usual: &LookSpec) {
    key(ui, ("exposure", "exposure", 2), (look, usual), -4.0..=4.0);
    key(ui, ("glow", "glow", 2), (look, usual), 0.0..=3.0);
    key(ui, ("shimmer", "heat haze", 2), (look, usual), 0.0..=4.0);
    key(
        ui,
        ("lava_light", "lava light", 2),
        (look, usual),
        0.0..=4.0,
    );
    key(ui, ("crust", "crust", 2), (look, usual), 0.0..=3.0);
    key(ui, ("haze", "haze", 2), (look, usual), 0.0..=4.0);
}

fn plain(ui: &mut Ui, look: &mut LookSpec, usual: &LookSpec) {
    palette(ui, look);
    let quantities = COLORS.map(|measure| Quantity::new(measure, Material::LAVA));
    let texts = quantities
        .each_ref()
        .map(|quantity| (quantity.words(), quantity.description()));
    let choices = COLORS
        .iter()
        .zip(&texts)
        .map(|(measure, (words, what))| (*measure, &words[..], &what[..]));
    let label = ("colour by", "What chooses the colour of the lava.");
    choice(ui, label, &mut look.color_by, &choices.collect::<Vec<_>>());
    if look.style == Style::Scientific {
        key(ui, ("step", "sample dist.", 2), (look, usual), 0.1..=2.0);
    }
}

/// Draws the choice of the palette, which gives the colours of the plain styles and the slices.
pub(super) fn palette(ui: &mut Ui, look: &mut LookSpec) {
    ui.horizontal(|ui| {
        name(
            ui,
            "palette",
            "Colours of the plain views and of slices (C).",
        );
        let now = match &look.palette {
            PaletteSpec::Name(name) => name.clone(),
            PaletteSpec::Stops(_) => "the scene's own".to_owned(),
        };
        ComboBox::from_id_salt("palette")
            .width(150.0)
            .selected_text(&now)
            .show_ui(ui, |ui| {
                for name in PALETTE_NAMES {
                    if ui.selectable_label(now == name, name).clicked() {
                        look.palette = PaletteSpec::Name(name.to_owned());
                    }
                }
            });
    });
}

fn sky(ui: &mut Ui, look: &mut LookSpec, usual: &LookSpec) {
    choice(
        ui,
        ("sky", "Time of day."),
        &mut look.sky,
        &[
            (
                SkyPreset::Dusk,
                "dusk",
                "Low warm sun; the lava is the brightest thing.",
            ),
            (
                SkyPreset::Day,
                "day",
                "High white sun; the lava hardly lights the rock.",
            ),
            (
                SkyPreset::Night,
                "night",
                "Moonlight; the lava lights everything.",
            ),
        ],
    );
    look.sun_azimuth_deg = look.sun_azimuth_deg.rem_euclid(360.0);
    let usual_sun = LookSpec {
        sun_azimuth_deg: usual.sun_azimuth_deg.rem_euclid(360.0),
        ..LookSpec::default()
    };
    key(
        ui,
        ("sun_azimuth_deg", "sun from", 0),
        (look, &usual_sun),
        0.0..=360.0,
    );
    let mut own = look.sun_elevation_deg.is_some();
    ui.horizontal(|ui| {
        name(ui, "sun height", "Height of the sun above the horizon.");
        if ui
            .checkbox(&mut own, "set by hand")
            .on_hover_text("Otherwise what suits the sky.")
            .changed()
        {
            look.sun_elevation_deg = own.then_some(USUAL_SUN_DEG);
        }
    });
    if let Some(height) = &mut look.sun_elevation_deg {
        SliderRow::new("", "°", "Height of the sun above the horizon.")
            .decimals(0)
            .show(ui, height, 1.0..=90.0, None);
    }
}

fn quality(ui: &mut Ui, quality: &mut Quality, usual_fps: f32) {
    let mut auto = matches!(quality, Quality::Auto { .. });
    let what = (
        "quality",
        "Share of the window's resolution at which lava is marched.",
    );
    let choices = [
        (true, "automatic", "As fine as the frame rate allows."),
        (false, "fixed", "Always the same share of the resolution."),
    ];
    if choice(ui, what, &mut auto, &choices) {
        *quality = if auto {
            Quality::Auto {
                target_fps: usual_fps,
            }
        } else {
            Quality::Fixed(1.0)
        };
    }
    match quality {
        Quality::Auto { target_fps } => {
            SliderRow::new("", "fps", "Frames a second to keep.")
                .decimals(0)
                .show(ui, target_fps, 5.0..=60.0, Some(usual_fps));
        }
        Quality::Fixed(share) => {
            SliderRow::new("", "share", "Share of the resolution.").show(
                ui,
                share,
                0.25..=1.0,
                Some(1.0),
            );
        }
    }
}
