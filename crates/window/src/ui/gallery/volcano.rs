//! Editor of a random volcano on the start screen: sliders for its parameters, a preview, and a
//! button that opens the scene.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use kiss3d::egui::{
    Button, ColorImage, CornerRadius, Image, Layout, RichText, ScrollArea, Sense, TextureHandle,
    TextureOptions, Ui, vec2,
};

use super::super::rows::SliderRow;
use super::super::{BRIGHT, DEEP, FAINT, WRONG};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::view::Antialias;
use lavoxel_base::param::Table;
use lavoxel_base::random::mix64;
use lavoxel_render::{CameraSpec, LookSpec, picture};
use lavoxel_scene::scene::{RandomVolcano, Scene};

/// Size of the coarse preview, which appears at once: number of cells along a side of the
/// simulation box; width and height of the image in pixels.
const COARSE: (usize, (usize, usize)) = (72, (240, 160));
/// Size of the fine preview, which replaces the coarse one: number of cells along a side of the
/// simulation box; width and height of the image in pixels.
const FINE: (usize, (usize, usize)) = (112, (480, 320));
/// Number of threads that compute the previews.
const THREADS: usize = 2;
/// Width and height in points of the area in which the preview is shown.
const PREVIEW: (f32, f32) = (630.0, 420.0);
/// Width in points of the column with the sliders.
const SLIDERS: f32 = 340.0;

/// State of the editor: parameters of the volcano, and their preview.
#[derive(Default)]
pub(super) struct Workshop {
    volcano: RandomVolcano,
    /// Preview on the screen; `None` before the first preview is finished.
    shown: Option<TextureHandle>,
    /// Computation of previews in progress on a background thread; `None` if there is none.
    coming: Option<Making>,
    /// Parameters for which a preview was last started; `None` before the first preview.
    tried: Option<RandomVolcano>,
    /// Error message shown if no volcano can be made from the parameters; `None` for valid
    /// parameters.
    wrong: Option<String>,
    back: bool,
}

impl Workshop {
    /// Draws sliders and preview. Returns the scene to open; `None` unless the user has clicked
    /// "Erupt".
    pub(super) fn show(&mut self, ui: &mut Ui) -> Option<Scene> {
        self.follow(ui);
        let mut made = None;
        let wide = ui.available_width() > SLIDERS + 240.0;
        ScrollArea::vertical()
            .auto_shrink([false, false])
            .show(ui, |ui| {
                if wide {
                    ui.horizontal_top(|ui| {
                        ui.vertical(|ui| {
                            ui.set_width(SLIDERS);
                            made = self.numbers(ui);
                        });
                        self.preview(ui);
                    });
                } else {
                    made = self.numbers(ui);
                    self.preview(ui);
                }
            });
        made
    }

    /// Returns true if the user has clicked the button that leads back to the list of scenes; only
    /// the first call after the click returns true.
    pub(super) fn goes_back(&mut self) -> bool {
        std::mem::take(&mut self.back)
    }

    fn numbers(&mut self, ui: &mut Ui) -> Option<Scene> {
        ui.label(
            RichText::new(
                "Another seed, another volcano; the same numbers give the same one to the bit.",
            )
            .small()
            .color(FAINT),
        );
        ui.add_space(6.0);
        self.seed(ui);
        let usual = RandomVolcano::default();
        let mut row = |key: &str, unit: &str, decimals: usize| {
            let Some(param) = RandomVolcano::param(key) else {
                return;
            };
            let mut value = (param.get)(&self.volcano);
            let row = SliderRow::new(key, unit, param.what).decimals(decimals);
            if row.show(
                ui,
                &mut value,
                param.low..=param.high,
                Some((param.get)(&usual)),
            ) {
                (param.set)(&mut self.volcano, value);
            }
        };
        row("relief", "of side", 2);
        row("crater", "of side", 3);
        row("roughness", "", 2);
        row("side", "cells", 0);
        // An air cell spans 4 × 4 × 4 cells of the simulation box, so the side must be a multiple
        // of 4.
        self.volcano.side = self.volcano.side.next_multiple_of(4);
        let [nx, ny, nz] = self.volcano.size();
        ui.label(
            RichText::new(format!("{nx} × {ny} × {nz} cells of 10 m"))
                .small()
                .color(FAINT),
        );
        ui.add_space(10.0);
        let made = self.ways(ui);
        if let Some(wrong) = &self.wrong {
            ui.label(RichText::new(wrong).small().color(WRONG));
        }
        ui.add_space(10.0);
        ui.label(
            RichText::new("On the command line, as a file of its own:")
                .small()
                .color(FAINT),
        );
        let mut command = self.command();
        ui.add(
            kiss3d::egui::TextEdit::multiline(&mut command)
                .desired_rows(3)
                .desired_width(SLIDERS - 12.0)
                .font(kiss3d::egui::TextStyle::Small),
        );
        ui.label(
            RichText::new("Ctrl+S saves what erupts as a scene, too.")
                .small()
                .color(FAINT),
        );
        made
    }

    /// Draws the field for the random seed, and a button that chooses another seed.
    fn seed(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            super::super::rows::name(
                ui,
                "seed",
                "Its gullies, lips and small cones, and the turns of its lava.",
            );
            ui.add(kiss3d::egui::DragValue::new(&mut self.volcano.seed).speed(1));
            if ui
                .button("another")
                .on_hover_text("A seed by chance")
                .clicked()
            {
                let now = std::time::UNIX_EPOCH
                    .elapsed()
                    .map_or(0, |time| time.as_nanos() as u64);
                self.volcano.seed = (mix64(now) % 100_000) as u32;
            }
        });
    }

    /// Draws the button that opens the scene, and the button that leads back to the list of scenes.
    /// Returns the scene to open; `None` unless the user has clicked "Erupt".
    fn ways(&mut self, ui: &mut Ui) -> Option<Scene> {
        let mut made = None;
        ui.horizontal(|ui| {
            let erupt = Button::new(RichText::new("Erupt").color(BRIGHT).strong()).fill(DEEP);
            if ui.add(erupt.min_size(vec2(90.0, 28.0))).clicked() {
                match Scene::random(&self.volcano) {
                    Ok(scene) => made = Some(scene),
                    Err(error) => self.wrong = Some(error.to_string()),
                }
            }
            self.back |= ui
                .add(Button::new("back to the scenes").min_size(vec2(90.0, 28.0)))
                .clicked();
        });
        made
    }

    /// Returns the command line that prints the scene of the present parameters as a scene file.
    fn command(&self) -> String {
        let RandomVolcano {
            seed,
            relief,
            crater,
            roughness,
            side,
        } = &self.volcano;
        format!(
            "lavoxel scene --random {seed} --relief {relief} --crater {crater} --roughness {roughness} --side {side} \
             > volcano-{seed}.toml"
        )
    }

    fn preview(&self, ui: &mut Ui) {
        let wide = ui.available_width().min(PREVIEW.0).max(100.0);
        let size = vec2(wide, wide * PREVIEW.1 / PREVIEW.0);
        ui.with_layout(Layout::top_down(kiss3d::egui::Align::Center), |ui| {
            let (area, _) = ui.allocate_exact_size(size, Sense::hover());
            match &self.shown {
                Some(texture) => {
                    Image::from_texture((texture.id(), size))
                        .corner_radius(CornerRadius::same(5))
                        .paint_at(ui, area);
                }
                None => drop(
                    ui.painter()
                        .rect_filled(area, 5.0, ui.visuals().extreme_bg_color),
                ),
            }
        });
    }

    /// Shows the previews that have been finished, and starts new ones if the parameters have
    /// changed.
    fn follow(&mut self, ui: &Ui) {
        if let Some(making) = self.coming.take() {
            making
                .stale
                .store(making.of != self.volcano, Ordering::Relaxed);
            self.coming = self.take(ui, making);
        }
        let shows = self.tried.as_ref() == Some(&self.volcano);
        if self.coming.is_none() && !shows {
            self.tried = Some(self.volcano.clone());
            self.coming = Some(Making::start(&self.volcano));
        }
        if self.coming.is_some() {
            ui.ctx().request_repaint();
        }
    }

    /// Shows the previews that `making` has finished. Returns `making` while its computation runs,
    /// else `None`.
    fn take(&mut self, ui: &Ui, making: Making) -> Option<Making> {
        loop {
            match making.pictures.try_recv() {
                Ok(image) => {
                    self.shown = Some(ui.ctx().load_texture(
                        "volcano",
                        image,
                        TextureOptions::LINEAR,
                    ))
                }
                Err(TryRecvError::Empty) => return Some(making),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
    }
}

/// Computation of previews on a background thread: first the coarse preview, then the fine one,
/// which is skipped if the parameters have changed in between.
struct Making {
    pictures: Receiver<ColorImage>,
    of: RandomVolcano,
    /// Flag that stops the computation; set once the user has changed the parameters.
    stale: Arc<AtomicBool>,
}

impl Making {
    /// Starts to compute the previews of `volcano` on a new thread; if no thread can be created,
    /// there are no previews.
    fn start(volcano: &RandomVolcano) -> Self {
        let (sender, pictures) = channel();
        let (of, stale) = (volcano.clone(), Arc::new(AtomicBool::new(false)));
        let (volcano, is_stale) = (of.clone(), stale.clone());
        let work = move || {
            // A separate thread pool: the window's pool is busy with the scene behind the start
            // screen.
            let Ok(threads) = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build() else {
                return;
            };
            for (cells, size) in [COARSE, FINE] {
                let image = match is_stale.load(Ordering::Relaxed) {
                    true => None,
                    false => threads.install(|| drawn(&volcano, cells, size)),
                };
                if image.is_none_or(|image| sender.send(image).is_err()) {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("preview".to_owned())
            .spawn(work)
            .ok();
        Self {
            pictures,
            of,
            stale,
        }
    }
}

/// Draws the ground of `volcano`, in a simulation box of `side` × `side` columns, as an image of
/// `size` (width, height) pixels; `None` if no scene can be made from the parameters.
fn drawn(volcano: &RandomVolcano, side: usize, size: (usize, usize)) -> Option<ColorImage> {
    let mut scene = Scene::random(&RandomVolcano {
        side,
        ..volcano.clone()
    })
    .ok()?;
    // A still preview shows no air.
    scene.spec.air = None;
    scene.spec.vents.iter_mut().for_each(|vent| vent.air = None);
    let stage = scene.build(Box::new(Tiled::default())).ok()?;
    let camera = CameraSpec {
        elevation_deg: 32.0,
        ..scene.spec.camera.clone()
    };
    let antialias = if size == COARSE.1 {
        Antialias::Off
    } else {
        Antialias::Edges
    };
    let look = LookSpec {
        antialias,
        ..scene.spec.look.clone()
    };
    let image = picture(stage.simulation.world(), &camera, &look, size).ok()?;
    Some(ColorImage::from_rgb(
        [image.width, image.height],
        &image.rgb,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_follows_the_numbers() {
        let of = |seed: u32| {
            drawn(
                &RandomVolcano {
                    seed,
                    ..RandomVolcano::default()
                },
                32,
                (48, 32),
            )
            .expect("drawn")
        };
        let [one, again, other] = [3, 3, 4].map(of);
        assert_eq!(one.size, [48, 32]);
        assert!(one.pixels == again.pixels && one.pixels != other.pixels);
    }
}
