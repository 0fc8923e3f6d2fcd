//! Production of a film: the loop over steps and frames, and the output of frames to files.

use std::time::Instant;

use lavoxel::export::{CachedFrame, write_exr, write_png};
use lavoxel::film::{Follower, Plan, Shot, Sight};
use lavoxel::render::{CameraSpec, Image};
use lavoxel::report::FlowReport;
use lavoxel::scene::{BuiltScene, Edge, Scene};

use super::{FilmState, Outputs, name_of};
use crate::cli::Outcome;
use crate::cli::process::stop;
use crate::cli::show::messages;
use crate::cli::show::painter::{Painter, Traced};
use crate::cli::show::progress::{Frames, Progress, Samples};
use crate::cli::show::reel::Reel;
use crate::cli::show::side_by_side::Beside;

/// Framing that all frames of a film have in common: the camera that follows the lava, and the
/// bounds (lowest corner, extent; in cells) to which camera targets are relative.
pub(super) struct Framed {
    follower: Option<Follower>,
    bounds: [[f32; 3]; 2],
}

/// Film in production: simulation, renderer, camera and outputs.
pub(super) struct Shooting {
    pub(super) scene: Scene,
    pub(super) state: FilmState,
    pub(super) painter: Painter,
    pub(super) beside: Option<Beside>,
    pub(super) outputs: Outputs,
    pub(super) plan: Plan,
    pub(super) framed: Option<Framed>,
    pub(super) reel: Option<Reel>,
    /// Number of the step that the last drawn frame shows.
    pub(super) shown: u64,
    pub(super) quiet: bool,
}

/// Default distance from a camera that follows the lava to its target, in diagonals of the shown
/// bounds.
const FOLLOWING: f32 = 0.45;

/// Metadata key under which a frame's file stores the target point of a camera that follows the
/// lava; a continued film reads this point to repeat the camera's movement.
const SIGHT: &str = "Sight";

impl Shooting {
    pub(super) fn run(mut self) -> anyhow::Result<Outcome> {
        stop::after_the_step();
        self.state.stop_by();
        let frames = if self.reel.is_some() { self.film()? } else { 0 };
        let is_whole = self.reel.is_none() || frames == self.plan.frames();
        let has_picture = (is_whole || stop::asked()) && self.picture()?;
        self.tell(frames, has_picture);
        let is_done = is_whole && has_picture == self.outputs.picture.is_some() && !self.is_early();
        match self.reel.take() {
            Some(reel) if is_done => reel.remove()?,
            Some(mut reel) => {
                if let Some(picture) = self.outputs.picture.as_ref().filter(|_| has_picture) {
                    reel.note_unfinished(picture)?;
                }
                if !self.quiet {
                    messages::note(&reel.how_to_go_on());
                }
            }
            None => {}
        }
        Ok(if is_done {
            Outcome::Done
        } else {
            Outcome::Stopped
        })
    }

    /// Returns the number of simulation steps that the film and the picture of the last step need.
    fn steps(&self) -> u64 {
        let film = self.reel.as_ref().map_or(0, |_| self.plan.last_step());
        if self.outputs.picture.is_some() {
            film.max(self.scene.spec.film.steps)
        } else {
            film
        }
    }

    /// Returns true if a picture of the last step is requested and the simulation has not reached
    /// that step.
    fn is_early(&self) -> bool {
        self.outputs.picture.is_some()
            && self.state.stage.simulation.steps() < self.scene.spec.film.steps
    }

    /// Draws the frames of the film until its end or a stop signal, and completes the film's files.
    /// Returns the number of frames that the film contains.
    fn film(&mut self) -> anyhow::Result<u64> {
        let Some(mut reel) = self.reel.take() else {
            return Ok(0);
        };
        self.frame_cameras()?;
        let mut progress = Frames::new(self.plan.frames(), self.plan.last_step(), self.quiet);
        let mut kept = 0;
        for frame in 0..self.plan.frames() {
            let shot = self.plan.shot(frame);
            let name = name_of(&self.plan, frame, shot.step);
            // A repeated frame is not drawn again: its stored copy is used.
            if self.plan.repeats(frame) {
                reel.repeat(kept, name)?;
                progress.skip(frame + 1, shot.step);
                continue;
            }
            kept = frame;
            if let Some(part) = reel
                .known(frame, self.scene.spec.film.size)
                .filter(|part| self.takes_up(part))
            {
                reel.add((frame, name), part.size, &part.rgb)?;
                self.shown = shot.step;
                progress.skip(frame + 1, shot.step);
            } else if !self.draw_frame(frame, &shot, (&mut reel, &mut progress))? {
                break;
            }
            if stop::asked() {
                break;
            }
        }
        progress.finish();
        reel.finish()?;
        let added = reel.added();
        self.reel = Some(reel);
        Ok(added)
    }

    /// Draws frame number `frame` with the settings `shot`, adds it to the film, and stores it.
    /// Returns false after a stop signal; the frame is then the film's last and is not stored.
    fn draw_frame(
        &mut self,
        frame: u64,
        shot: &Shot,
        (reel, progress): (&mut Reel, &mut Frames),
    ) -> anyhow::Result<bool> {
        let before = self.state.begin(Some(reel.parts().folder()), shot.step)?;
        progress.start_at(before);
        while self.state.stage.simulation.steps() < shot.step && !stop::asked() {
            let took = self.state.step(&self.scene)?;
            progress.step(&self.state.stage.simulation, took);
        }
        let begin = Instant::now();
        let step = self.state.stage.simulation.steps();
        // After an aborted step the state is that of the frame before, and a continued film may end
        // before its first new frame: in both cases there is no new picture.
        if step < shot.step && frame > 0 && step <= self.shown {
            return Ok(false);
        }
        self.shown = step;
        let shot = if step < shot.step {
            self.plan.early(frame, step)
        } else {
            shot.clone()
        };
        let (camera, sight) = self.camera(&shot);
        let size = self.scene.spec.film.size;
        let watch = &mut |traced| progress.trace(traced);
        let Some(image) = self.paint(size, &camera, watch)? else {
            return Ok(false);
        };
        let size = (image.width as u32, image.height as u32);
        let labels = self.labels(sight);
        if self.plan.shot(frame).step > step {
            let path = self
                .outputs
                .targets
                .frame_path(name_of(&self.plan, frame, step));
            if let Some(path) = &path {
                write_png(
                    path,
                    size,
                    &image.rgb,
                    &labels,
                    self.outputs.targets.existing,
                )?;
            }
            reel.add_last(path.as_deref(), size, &image.rgb)?;
            return Ok(false);
        }
        reel.keep(frame, &image, &labels)?;
        reel.add((frame, name_of(&self.plan, frame, step)), size, &image.rgb)?;
        progress.frame(frame + 1, &self.state.stage.simulation, begin.elapsed());
        Ok(true)
    }

    /// Fixes the bounds to which the cameras of all frames refer: the bounds of the scene before
    /// the first step.
    fn frame_cameras(&mut self) -> anyhow::Result<()> {
        let simulation = &self.state.stage.simulation;
        let Some(bounds) = self.painter.keep_framing(simulation)? else {
            return Ok(());
        };
        self.beside.as_mut().map_or(Ok(()), Beside::keep_framing)?;
        let vents: Vec<[f64; 2]> = simulation
            .lava_vents()
            .map(|vent| [vent.x, vent.z])
            .collect();
        let follower = self
            .plan
            .follows()
            .map(|kind| Follower::new(kind, &vents, simulation.world(), self.plan.fps()));
        self.framed = Some(Framed { follower, bounds });
        Ok(())
    }

    /// Returns the camera for a frame of the present state, and the target point of a camera that
    /// follows the lava (`None` for other cameras). `shot`: settings of the frame.
    fn camera(&mut self, shot: &Shot) -> (CameraSpec, Option<Sight>) {
        let camera = shot.camera.clone();
        let Some(Framed {
            follower: Some(follower),
            bounds: [low, extent],
        }) = &mut self.framed
        else {
            return (camera, None);
        };
        let sight = follower.sight(self.state.stage.simulation.world(), shot.share);
        let target = follower.follow(sight);
        let share = |axis: usize| {
            ((target[axis] as f32 - low[axis]) / extent[axis].max(1e-3)).clamp(-10.0, 10.0)
        };
        let target = Some(std::array::from_fn(share));
        (
            CameraSpec {
                target,
                distance: camera.distance.or(Some(FOLLOWING)),
                ..camera
            },
            Some(sight),
        )
    }

    /// Moves a camera that follows the lava to the target point in the metadata of the stored frame
    /// `part`, without a simulation. Returns false if the metadata do not contain the point.
    fn takes_up(&mut self, part: &CachedFrame) -> bool {
        let Some(Framed {
            follower: Some(follower),
            ..
        }) = &mut self.framed
        else {
            return true;
        };
        let numbers: Option<Vec<f64>> = part
            .labels
            .get(SIGHT)
            .and_then(|text| text.split(' ').map(|number| number.parse().ok()).collect());
        let Some(&[x, y, z, reach]) = numbers.as_deref() else {
            return false;
        };
        follower.follow(Sight {
            point: [x, y, z],
            reach,
        });
        true
    }

    /// Simulates to the last step and draws the picture of that step. Returns false if no picture
    /// is requested, or if a stop signal arrived before the picture was drawn.
    fn picture(&mut self) -> anyhow::Result<bool> {
        let Some(path) = self.outputs.picture.clone() else {
            return Ok(false);
        };
        let steps = self.steps();
        let folder = self
            .reel
            .as_ref()
            .map(|reel| reel.parts().folder().to_owned());
        if !stop::asked() {
            let from = self.state.begin(folder.as_deref(), steps)?;
            let mut progress = Progress::new(steps, self.quiet);
            progress.start_at(from);
            while self.state.stage.simulation.steps() < steps && !stop::asked() {
                self.state.step(&self.scene)?;
                progress.update(&self.state.stage.simulation);
            }
            progress.finish();
        }
        let step = self.state.stage.simulation.steps();
        // After an aborted step, the state may be earlier than the film's last frame.
        if step < self.shown {
            return Ok(false);
        }
        let shot = self.plan.early(u64::MAX, step);
        if self.scene.spec.film.keys.is_empty() && self.plan.follows().is_none() {
            self.painter.free_framing();
            self.beside.iter_mut().for_each(Beside::free_framing);
        }
        let (camera, _) = self.camera(&shot);
        let mut samples = Samples::new(self.quiet);
        let size = self.scene.spec.film.picture_size;
        let image = self.paint(size, &camera, &mut |traced| samples.update(traced))?;
        samples.finish();
        let Some(image) = image else {
            return Ok(false);
        };
        let size = (image.width as u32, image.height as u32);
        write_png(
            &path,
            size,
            &image.rgb,
            &self.labels(None),
            self.outputs.existing(&path),
        )?;
        self.layers()?;
        Ok(true)
    }

    /// Writes the layers of the picture if they are asked for.
    fn layers(&mut self) -> anyhow::Result<()> {
        let Some((path, layers)) = self.outputs.layers.as_ref().zip(self.painter.take_layers())
        else {
            return Ok(());
        };
        // Packing the layers of a large picture takes seconds, longer than a signal may wait.
        stop::only_files_are_left(true);
        let cell_m = self.state.stage.site.cell_size_m;
        let existing = self.outputs.existing(path);
        write_exr(path, layers, cell_m, &self.labels(None), existing)?;
        Ok(())
    }

    /// Draws the present state as a picture of `size` (width, height) pixels, whose right side
    /// shows the content of `--beside` if requested. `None` if the program was stopped and the
    /// grace period is over. `watch` is called after each pass of tracing.
    fn paint(
        &mut self,
        size: [u32; 2],
        camera: &CameraSpec,
        watch: &mut dyn FnMut(Traced),
    ) -> anyhow::Result<Option<Image>> {
        let Self {
            painter,
            state,
            beside,
            ..
        } = self;
        let simulation = &state.stage.simulation;
        match beside {
            Some(beside) => beside.paint(simulation, size, (camera, painter), watch),
            None => Ok(painter.paint(simulation, size, camera, watch)?),
        }
    }

    /// Returns the metadata for the file of a picture of the present state, as pairs (key, value).
    /// `sight`: target point of a camera that follows the lava.
    fn labels(&self, sight: Option<Sight>) -> Vec<(&'static str, String)> {
        let simulation = &self.state.stage.simulation;
        let mut labels = vec![
            ("Title", self.scene.spec.name.clone()),
            ("Software", format!("lavoxel {}", env!("CARGO_PKG_VERSION"))),
            ("Seed", simulation.seed().to_string()),
            ("Step", simulation.steps().to_string()),
            ("State", format!("{:016x}", simulation.world().state_hash())),
        ];
        if let Some(Sight {
            point: [x, y, z],
            reach,
        }) = sight
        {
            labels.push((SIGHT, format!("{x} {y} {z} {reach}")));
        }
        labels
    }

    /// Prints the paths of the written files, the number of the last step, and warnings. `frames`:
    /// number of frames in the film; `has_picture`: true if the picture of the last step was drawn.
    fn tell(&self, frames: u64, has_picture: bool) {
        if self.quiet {
            return;
        }
        let BuiltScene {
            simulation, site, ..
        } = &self.state.stage;
        // Stored frames are skipped without simulating their steps.
        let steps = simulation.steps().max(self.shown);
        if let Some(edge) = Edge::from_simulation(simulation, site).words() {
            messages::note(&edge);
        }
        self.beside
            .iter()
            .flat_map(|beside| beside.lines(simulation))
            .for_each(|line| messages::note(&line));
        let flow = FlowReport::new(simulation, site);
        messages::warn(flow.iter().flat_map(FlowReport::warnings));
        if stop::asked()
            && (steps < self.steps() || self.reel.is_some() && frames < self.plan.frames())
        {
            messages::note(&format!(
                "stopped after step {steps}; these files are complete up to there:"
            ));
        }
        for path in self
            .outputs
            .targets
            .animations
            .iter()
            .filter(|_| frames > 0)
        {
            messages::note(&format!("{} ({frames} frames)", path.display()));
        }
        if let Some((folder, name)) = &self.outputs.targets.folder {
            messages::note(&format!(
                "{} ({frames} frames)",
                folder.join(format!("{name}_*.png")).display()
            ));
        }
        match &self.outputs.picture {
            Some(path) if has_picture => {
                for path in std::iter::once(path).chain(&self.outputs.layers) {
                    messages::note(&format!("{} (step {steps})", path.display()));
                }
            }
            Some(path) => messages::note(&format!("stopped before {} was drawn", path.display())),
            None => {}
        }
    }
}
