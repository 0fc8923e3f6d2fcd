//! Wind section of the panel, for scenes with air.

use kiss3d::egui::Ui;

use super::rows::SliderRow;
use crate::messages::Command;
use crate::state::{Request, State};
use lavoxel_air::{FASTEST_M_S, Wind};

/// Upper end of the slider for the wind speed in m/s, unless the present wind is faster.
const SLIDER: f64 = 40.0;

/// Draws sliders for speed and direction of the wind at the height at which it is fastest, and
/// sends the user's changes to the simulation.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let Some(wind) = state.wind.value.clone() else {
        return;
    };
    let opened = state
        .scene
        .spec
        .air
        .as_ref()
        .map(|air| Wind(air.wind.clone()))
        .unwrap_or_default()
        .fastest();
    let [mut speed, mut from] = wind.fastest();
    let most = if speed > SLIDER { FASTEST_M_S } else { SLIDER };
    let many = wind.0.len() > 1;
    let hint = if many {
        "Speed at the height where it is fastest; the others keep their shares"
    } else {
        "Speed"
    };
    let faster = SliderRow::new("speed", "m/s", hint).decimals(1).show(
        ui,
        &mut speed,
        0.0..=most,
        Some(opened[0]),
    );
    let hint = "The direction it comes from: 0 north, 90 east, 180 south, 270 west";
    let turned = SliderRow::new("from", "°", hint).decimals(0).show(
        ui,
        &mut from,
        0.0..=360.0,
        Some(opened[1]),
    );
    if faster || turned {
        let wind = wind.with_fastest(speed, from);
        state.wind.value = Some(wind.clone());
        state.wind.touch();
        state.ask(Request::Send(Command::World(wind.into())));
    }
}
