//! Renderer: draws volumes over one ground with one look, and reuses data between frames.

mod passes;
mod printing;
mod scenery;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::Point3;
use ndarray::Array2;

use lavoxel_automaton::world::Ground;
use lavoxel_base::grid::Grid;
use lavoxel_base::simd::Level;
use lavoxel_base::validate::Invalid;
use lavoxel_sim::lowpass::{LowPass, Volume, VolumeCursor};

use super::camera::{Bounds, Camera, Ray};
use super::contents::opened;
use super::contents::{Contents, Slices};
use super::film::Develop;
use super::frame::{Kept, Scene, cover};
use super::image::Image;
use super::mask;
use super::math::V3;
use crate::ground::floor::Floor;
use crate::ground::heightfield::Caves;
use crate::ground::heightfield::ShownPart;
use crate::ground::land::{LandBake, MapNodes, NODES, TerrainLook};
use crate::ground::lava_glow::{EmberLight, Glow};
use crate::ground::sky::Sky;
use crate::lava::blackbody::BlackBody;
use crate::lava::sparks::{Mouth, Sparks};
use crate::media::billows::Generations;
use crate::media::clear::{Clear, Clouds, Media};
use crate::media::flame::Flame;
use crate::media::fog::Fog;
use crate::media::haze::{Haze, HazeField};
use crate::media::sea::SeaField;
use crate::media::smoke::{self, Smoke};
use crate::media::steam::risen;
use crate::style::plain::Specimen;
use crate::style::shading::ShadeContext;
use crate::style::tracer::Tracer;
use crate::style::transfer::Transfer;
use crate::volume::bricks::Bricks;
use crate::volume::field::MediumField;
use crate::volume::places::Skipping;
use crate::volume::prepared::{FieldChanges, Prepared, VolumeChanges, rows};
use crate::volume::seen::{Behind, Places, Seen};
use crate::volume::tiles::{Depths, OtherTiles, Tiles};
use lavoxel_automaton::view::{Antialias, Form, LookSpec, Style};

/// Empty region of the simulation box: lower bounds above the upper bounds along x, y and z
/// (fractions of the box).
const NOWHERE: [[f32; 2]; 3] = [[2.0, -1.0]; 3];

/// Region that contains the whole simulation box: lower and upper bound along x, y and z as
/// fractions of the box.
const WHOLE: [[f32; 2]; 3] = [[0.0, 1.0]; 3];

/// Empty picture, returned for a cancelled frame.
const NO_PICTURE: Image = Image {
    width: 0,
    height: 0,
    rgb: Vec::new(),
};

/// Renderer of volumes over one ground with one look. Data computed for a frame (rays'
/// intersections with the ground, bricks, gases, smoke and light) is reused for the next frame if
/// its inputs did not change.
#[derive(Clone, Debug)]
pub struct Renderer {
    grid: Grid,
    look: LookSpec,
    land: Arc<TerrainLook>,
    /// Stamp of the `Ground` that `land` shows; `None` if `land` was not set by
    /// `Renderer::set_ground`.
    ground: Option<u64>,
    sky: Sky,
    blackbody: BlackBody,
    transfer: Transfer,
    /// Number of simulation steps from the start, by which moving patterns such as the crust's
    /// plates are advanced.
    steps: f64,
    /// Offset (0 to 1) added to the blue-noise values that jitter the samples along rays; differs
    /// from frame to frame.
    turn: f32,
    /// Set if the pictures are frames of a running scene; clear for single pictures.
    running: bool,
    /// Backdrops (ground, slice or sky behind all lava, per pixel) of recent cameras, the most
    /// recent last; reused while a camera stands still.
    seen: Vec<Seen>,
    /// Maximum number of entries of `seen`.
    kept_cameras: usize,
    /// Set if the previous picture showed land beyond the sides of the simulation box.
    goes_on: bool,
    /// Vent mouths from which sparks are thrown; drawn in the cinematic style only.
    mouths: Vec<Mouth>,
    /// Data computed from the previous volume, such as bricks, smoke and light.
    prepared: Prepared,
    /// Position in the low-pass's list of changes up to which the previous frame has drawn the
    /// changes; `None` if the previous frame was not drawn from a low-pass.
    last: Option<VolumeCursor>,
    /// SIMD instruction set with which rows of pixels are traced.
    pub(super) level: Level,
    contents: Contents,
    /// Set to cache the backdrops of sub-pixel rays (ground, slice or sky behind all lava) even in
    /// pictures with four rays in every pixel, where the cache takes up to 200 bytes per pixel.
    keeps_closer: bool,
    /// Cancellation flag: stops the frame in progress when set.
    stop: Arc<AtomicBool>,
}

impl Renderer {
    /// Creates a renderer and computes its maps of the ground for `look`. `ground` holds heights in
    /// cells above the floor of the simulation box at the column centres, shape (nz, nx).
    ///
    /// Fails if a value of `look` is out of range.
    ///
    /// # Panics
    /// When the shape of `ground` is not (nz, nx) of `grid`.
    pub fn new(ground: &Array2<f32>, grid: Grid, look: LookSpec) -> Result<Self, Invalid> {
        look.validate()?;
        let land = TerrainLook::bake(ground, grid, &look, NODES);
        Ok(Self {
            keeps_closer: true,
            ..Self::over(Arc::new(land), grid, look)?
        })
    }

    /// Creates a renderer for single pictures over the ground `land`, which must have been computed
    /// for the sun of `look`. In pictures with four rays in every pixel, it caches no data of the
    /// single rays. Fails if a value of `look` is out of range.
    pub fn over(land: Arc<TerrainLook>, grid: Grid, look: LookSpec) -> Result<Self, Invalid> {
        look.validate()?;
        let transfer = Transfer::new(&look, look.palette.build("look.palette")?);
        let sky = Sky::new(&look);
        let blackbody = BlackBody::new();
        let prepared = Prepared::new(grid);
        let level = Level::fastest();
        // All caches start empty; the first frame fills them.
        Ok(Self {
            grid,
            look,
            land,
            ground: None,
            sky,
            blackbody,
            transfer,
            steps: 0.0,
            turn: 0.0,
            running: false,
            seen: Vec::new(),
            kept_cameras: 1,
            goes_on: false,
            mouths: Vec::new(),
            prepared,
            last: None,
            level,
            contents: Contents::default(),
            keeps_closer: false,
            stop: Arc::default(),
        })
    }

    /// Returns the look with which pictures are drawn.
    pub fn look(&self) -> &LookSpec {
        &self.look
    }

    /// Changes the look; fails if a value of `look` is out of range. The maps of the ground are
    /// computed again only if the sun, the cell height, the draped picture or the kind of
    /// surroundings changed.
    pub fn set_look(&mut self, look: LookSpec) -> Result<(), Invalid> {
        let (sun, tall) = (self.sky.sun, self.look.cell_height);
        self.set_look_but_sunlight(look)?;
        if (self.sky.sun, self.look.cell_height) != (sun, tall) || !self.land.is_of(&self.look) {
            Arc::make_mut(&mut self.land).relight(&self.look);
        }
        if self.look.cell_height != tall {
            // The cell height decides which slopes count as walls.
            self.ground = None;
        }
        Ok(())
    }

    /// Changes the look without updating the maps of the ground; fails if a value of `look` is out
    /// of range. If the sun changed, the sunlight on the ground is outdated until
    /// `Renderer::set_land` replaces the ground.
    pub fn set_look_but_sunlight(&mut self, look: LookSpec) -> Result<(), Invalid> {
        look.validate()?;
        if look != self.look {
            self.seen.clear();
        }
        self.transfer = Transfer::new(&look, look.palette.build("look.palette")?);
        self.sky = Sky::new(&look);
        self.look = look;
        Ok(())
    }

    /// Returns true if `land` is the allocation of the ground that is drawn.
    pub fn is_over(&self, land: &Arc<TerrainLook>) -> bool {
        Arc::ptr_eq(&self.land, land)
    }

    /// Returns true if the intersections of the rays of `camera` with the ground are cached, which
    /// makes the next picture of `camera` faster.
    pub(crate) fn knows_ground(&self, camera: &Camera) -> bool {
        self.seen
            .iter()
            .any(|seen| seen.is_of(camera, self.contents.cells()))
    }

    /// Replaces the ground by `land`, computed for the same simulation box, and drops all cached
    /// intersections of rays with the ground.
    pub fn set_land(&mut self, land: Arc<TerrainLook>) {
        (self.land, self.ground) = (land, None);
        self.seen.clear();
    }

    /// Sets the ground as `Renderer::set_ground` does if few columns changed. Otherwise leaves the
    /// maps as they are and returns false: a `LandBake` of this ground is to be made, which takes
    /// seconds, and handed over by `Renderer::set_land`.
    ///
    /// # Panics
    /// When the shape of the ground is not that of this renderer's simulation box.
    pub fn patch_ground(&mut self, ground: &Ground) -> bool {
        assert_eq!(
            ground.grid(),
            self.grid,
            "the ground has the renderer's shape"
        );
        if self.ground == Some(ground.stamp()) {
            return true;
        }
        let caves = Caves::from_ground(ground, self.look.cell_height);
        let land = Arc::make_mut(&mut self.land);
        let Some(differs) = land.follow_part(ground.surface(), caves, &self.look) else {
            return false;
        };
        self.ground = Some(ground.stamp());
        if differs {
            self.seen.clear();
        }
        true
    }

    /// Begins the maps of the present ground `ground` for this renderer's look with the fineness
    /// `nodes`.
    pub fn bake(&self, ground: &Ground, nodes: MapNodes) -> LandBake {
        let caves = Caves::from_ground(ground, self.look.cell_height);
        LandBake::new(ground.surface(), caves, &self.look, nodes)
    }

    /// Sets the ground, and recomputes only those regions of its maps that differ from the previous
    /// ground: a few changed columns take milliseconds, a new renderer takes about a second.
    /// Pictures equal those of a new renderer.
    ///
    /// # Panics
    /// When the shape of the ground is not that of this renderer's simulation box.
    pub fn set_ground(&mut self, ground: &Ground) {
        assert_eq!(
            ground.grid(),
            self.grid,
            "the ground has the renderer's shape"
        );
        if self.ground.replace(ground.stamp()) == Some(ground.stamp()) {
            return;
        }
        if Arc::make_mut(&mut self.land).follow(
            ground.surface(),
            &Caves::from_ground(ground, self.look.cell_height),
            &self.look,
        ) {
            self.seen.clear();
        }
    }

    /// Selects the matter and slices that the following pictures show. Ground and lava between a
    /// slice and the camera are not drawn.
    pub fn set_contents(&mut self, contents: Contents) {
        if contents.ground != self.contents.ground {
            self.seen.clear();
        }
        self.contents = contents;
    }

    /// Returns the cancellation flag; setting the flag stops the frame in progress.
    pub fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Replaces the cancellation flag by `stop`. While `stop` is set, `Renderer::frame` and
    /// `Renderer::frame_of` return incomplete or empty pictures.
    pub fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Sets the number of simulation steps up to the next volume, by which the crust's pattern
    /// moves with the flow (`LookSpec::drift`).
    pub fn set_steps(&mut self, steps: u64) {
        self.steps = steps as f64;
    }

    /// Sets the vent mouths (see `Mouth::all_from_vents`) from which sparks are thrown in the
    /// following pictures; `LookSpec::sparks` sets their number.
    pub fn set_mouths(&mut self, mouths: Vec<Mouth>) {
        self.mouths = mouths;
    }

    /// Sets the number of the next frame of a running scene. The jitter of samples differs from
    /// frame to frame, which lets the mean of several frames have less noise than a single frame.
    /// The number 0 marks a single picture.
    pub fn set_frame(&mut self, frame: u64) {
        self.turn = mask::turn(frame);
        self.running = frame > 0;
    }

    /// Returns the bounds of the ground block, in cells, that automatic framing of a camera shows.
    pub fn subject(&self) -> Bounds {
        self.land.subject(self.grid)
    }

    /// Returns `camera` raised above the ground as [`TerrainLook::out_of_rock`] does. `ground` must be
    /// the ground last given to `Renderer::set_ground`.
    pub fn out_of_rock(
        &self,
        ground: &Ground,
        camera: &Camera,
        target: Point3<f32>,
    ) -> Option<Camera> {
        self.land.out_of_rock(ground, camera, target)
    }

    /// Returns the distance in cells along `ray` to the ground, including its relief and the planes
    /// that cut it open; `None` if the ray misses the ground. Matter in front of the ground is
    /// ignored.
    pub fn distance_to_ground(&self, ray: &Ray) -> Option<f32> {
        let part = self.drawn_part(self.shown_from(ray.origin));
        self.land.block.hit(ray, &part, 0.0).map(|hit| hit.t)
    }

    /// Returns the region of the simulation box that is drawn for a camera at `eye` (cells),
    /// without the region between slices and the camera: lower and upper bound along x, y and z as
    /// fractions of the box.
    fn shown_from(&self, eye: V3) -> [[f32; 2]; 3] {
        let sides = self.sides();
        let plane = |axis: usize| {
            self.contents.slices[axis]
                .as_ref()
                .map(|cut| cut.middle() / sides[axis])
        };
        opened(
            self.look.clip,
            [0, 1, 2].map(plane),
            [0, 1, 2].map(|axis| eye[axis] / sides[axis]),
        )
    }

    /// Returns the ground in the region `shown` of the simulation box (bounds as fractions); empty
    /// if the ground is hidden.
    fn drawn_part(&self, shown: [[f32; 2]; 3]) -> ShownPart {
        self.land.block.part_between(
            if self.contents.ground { shown } else { NOWHERE },
            self.sides(),
        )
    }

    /// Returns the region of the simulation box in which lava and other media are drawn (bounds as
    /// fractions): `shown`, or an empty region if the lava is hidden.
    fn with_volume(&self, shown: [[f32; 2]; 3]) -> [[f32; 2]; 3] {
        if self.contents.lava { shown } else { NOWHERE }
    }

    /// Returns the size of the simulation box in cells along x, y and z.
    fn sides(&self) -> [f32; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|n| n as f32)
    }

    /// Draws `volume` as seen by `camera`. The picture does not depend on the number of threads.
    ///
    /// Reads every cell of the volume; `Renderer::frame_of` draws an equal picture but only reads
    /// cells that changed.
    ///
    /// # Panics
    /// If the volume does not have the shape of this renderer's simulation box.
    pub fn frame(&mut self, volume: &Volume, camera: &Camera) -> Image {
        self.draw(volume, camera, Skipping::Bricks)
    }

    /// Draws the present volume of `lowpass` as seen by `camera`, and takes the list of changed
    /// cells out of `lowpass`. If the previous frame was drawn from the same low-pass, only changed
    /// cells are read.
    ///
    /// # Panics
    /// When the volume of the low-pass does not have the shape of this renderer's simulation box.
    pub fn frame_of(&mut self, lowpass: &mut LowPass, camera: &Camera) -> Image {
        self.with_changes(lowpass, |renderer, volume, changes| {
            renderer.draw_changes(volume, changes, camera, Skipping::Bricks)
        })
    }

    /// Takes the list of changed cells out of `lowpass` and calls `see` with the volume and this
    /// list.
    fn with_changes<R>(
        &mut self,
        lowpass: &mut LowPass,
        see: impl FnOnce(&mut Self, &Volume, &VolumeChanges) -> R,
    ) -> R {
        let changed = lowpass.take_changes_since(&mut self.last);
        let lava = FieldChanges {
            rows: lowpass.rows(),
            changed: changed.as_ref().map(|all| &all.lava[..]),
        };
        let medium = |k: usize| FieldChanges {
            rows: lowpass.rows_of(k),
            changed: changed.as_ref().map(|all| &all.media[k][..]),
        };
        let media = (0..lowpass.volume().media.len()).map(medium).collect();
        see(self, lowpass.volume(), &VolumeChanges { lava, media })
    }

    pub(super) fn draw(&mut self, volume: &Volume, camera: &Camera, skipping: Skipping) -> Image {
        self.with_all(volume, |renderer, changes| {
            renderer.draw_changes(volume, changes, camera, skipping)
        })
    }

    /// Calls `see` with a list of changes that holds all cells of `volume`.
    fn with_all<R>(
        &mut self,
        volume: &Volume,
        see: impl FnOnce(&mut Self, &VolumeChanges) -> R,
    ) -> R {
        self.last = None;
        let fields = std::iter::once(Some(volume.lava()))
            .chain(volume.media.iter().map(|m| m.fields(volume.grid)));
        let rows: Vec<_> = fields
            .map(|fields| fields.map(rows).unwrap_or_default())
            .collect();
        let mut all = rows.iter().map(|rows| FieldChanges {
            rows,
            changed: None,
        });
        let Some(lava) = all.next() else {
            unreachable!("the lava's fields come first")
        };
        see(
            self,
            &VolumeChanges {
                lava,
                media: all.collect(),
            },
        )
    }

    /// Draws `volume` as seen by `camera`; cached data is computed again only for the cells in
    /// `changes`. Returns `None` if the flag of `Renderer::stop_switch` was set before the frame
    /// was finished.
    pub fn frame_with(
        &mut self,
        volume: &Volume,
        changes: &VolumeChanges,
        camera: &Camera,
    ) -> Option<Image> {
        self.last = None;
        let image = self.draw_changes(volume, changes, camera, Skipping::Bricks);
        if self.is_given_up() {
            self.seen.clear();
            return None;
        }
        Some(image)
    }

    /// Returns distances of the previous frame in cells, row-major from the top: from the camera to
    /// the ground or a slice along the ray through each pixel's centre, `f32::MAX` if the ray meets
    /// neither. Empty before the first frame.
    pub fn distances(&self) -> Vec<f32> {
        match self.seen.last().map(|seen| &seen.behind) {
            Some(Behind::Cinematic(kept)) => kept
                .centres
                .iter()
                .map(<ShadeContext as Tracer>::far)
                .collect(),
            Some(Behind::Plain(kept)) => {
                kept.centres.iter().map(<Specimen as Tracer>::far).collect()
            }
            None => Vec::new(),
        }
    }

    /// Returns the alpha channel of `image`, 0 (sky) to 255 (opaque) per pixel, row-major from the
    /// top. `image` must be this renderer's last picture, of `volume` as seen by `camera`.
    pub fn coverage(&self, volume: &Volume, camera: &Camera, image: &Image) -> Vec<u8> {
        let interest = self.transfer.of_interest(&self.look);
        let shown = self.shown_from(camera.eye().coords);
        let field = self
            .prepared
            .field(volume, interest, Skipping::Bricks)
            .clipped(self.with_volume(shown));
        let media = self.media(volume, Skipping::Bricks, shown);
        match self.look.style.at_once() {
            Style::Cinematic => {
                let fog = self.prepared.known_fog().filter(|_| self.contents.lava);
                let smoke = self.prepared.known_smoke().filter(|_| self.contents.lava);
                let part = (self.with_volume(shown), Skipping::Bricks);
                let media = Media::new(media, self.clouds(fog.as_deref(), smoke.as_deref()), part);
                let ember = EmberLight::none(volume.grid);
                let how = self.filmic();
                let sea = self
                    .sea(volume, shown)
                    .and_then(|sea| self.sea_around(sea, volume, &media));
                let sparks = self.sparks(camera);
                cover(
                    &self.context(&field, &media, (shown, sea, &sparks), &ember),
                    camera,
                    image,
                    how,
                )
            }
            _ => {
                let haze = self.prepared.known_haze();
                let haze = self.haze(haze.as_deref(), (shown, Skipping::Bricks));
                cover(
                    &self.specimen(&field, &media, (shown, haze.as_ref())),
                    camera,
                    image,
                    Develop::Plain,
                )
            }
        }
    }

    /// Returns true if the cancellation flag is set, and the frame is to stop.
    fn is_given_up(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn draw_changes(
        &mut self,
        volume: &Volume,
        changes: &VolumeChanges,
        camera: &Camera,
        skipping: Skipping,
    ) -> Image {
        assert_eq!(
            volume.grid, self.grid,
            "the volume has the renderer's shape"
        );
        let interest = self.transfer.of_interest(&self.look);
        self.prepared.follow(volume, changes, interest);
        if self.is_given_up() {
            return NO_PICTURE;
        }
        let shown = self.shown_from(camera.eye().coords);
        let sea = self
            .sea(volume, shown)
            .filter(|_| self.look.style.at_once() == Style::Cinematic);
        let goes_on =
            self.look.style.at_once() == Style::Cinematic && self.goes_on(sea.is_some(), shown);
        if goes_on != self.goes_on {
            // The cached backdrops are invalid: rays must search for the land beyond the simulation
            // box again.
            (self.goes_on, self.seen) = (goes_on, Vec::new());
        }
        let still = self.knows_ground(camera);
        let seen = self.take_seen(camera);
        let (image, behind) = match self.look.style.at_once() {
            Style::Cinematic => {
                let (ember, fog, smoke) = self.lit(volume, changes);
                if self.is_given_up() {
                    return NO_PICTURE;
                }
                let clouds = self.clouds(fog.as_deref(), smoke.as_deref());
                let field = self
                    .prepared
                    .field(volume, interest, skipping)
                    .clipped(self.with_volume(shown));
                let part = (self.with_volume(shown), skipping);
                let media = Media::new(self.media(volume, skipping, shown), clouds, part);
                let sea = sea.and_then(|sea| self.sea_around(sea, volume, &media));
                let sparks = self.sparks(camera);
                let context = self.context(&field, &media, (shown, sea, &sparks), &ember);
                let scene = self.scene(camera, shown);
                let mut kept = match seen.map(|seen| seen.behind) {
                    Some(Behind::Cinematic(kept)) if still => kept,
                    Some(Behind::Cinematic(kept)) => kept.turned(&context, &scene),
                    _ => Kept::default().turned(&context, &scene),
                };
                let places = self.places(volume, (camera, &kept.depths), clouds, skipping);
                (
                    self.everything(&context, camera, &places, &mut kept),
                    Behind::Cinematic(kept),
                )
            }
            _ => {
                let haze = self.prepared.haze(volume).filter(|_| self.contents.lava);
                let field = self
                    .prepared
                    .field(volume, interest, skipping)
                    .clipped(self.with_volume(shown));
                let media = self.media(volume, skipping, shown);
                let haze = haze.as_deref();
                let in_view = self.haze(haze, (shown, skipping));
                let specimen = self.specimen(&field, &media, (shown, in_view.as_ref()));
                let scene = self.scene(camera, shown);
                let mut kept = match seen.map(|seen| seen.behind) {
                    Some(Behind::Plain(kept)) if still => kept,
                    Some(Behind::Plain(kept)) => kept.turned(&specimen, &scene),
                    _ => Kept::default().turned(&specimen, &scene),
                };
                let clouds = Clouds {
                    haze,
                    ..self.clouds(None, None)
                };
                let places = self.places(volume, (camera, &kept.depths), clouds, skipping);
                (
                    self.over_bare(&specimen, camera, &places, &mut kept),
                    Behind::Plain(kept),
                )
            }
        };
        self.seen.push(Seen {
            camera: camera.clone(),
            slices: self.contents.cells(),
            behind,
        });
        image
    }

    /// Returns the light of the lava in `volume`, its gases and its smoke, computed again only for
    /// the cells in `changes`.
    fn lit(
        &mut self,
        volume: &Volume,
        changes: &VolumeChanges,
    ) -> (Arc<EmberLight>, Option<Arc<Fog>>, Option<Arc<Smoke>>) {
        let ember = match self.contents.lava {
            true => self.prepared.light(volume, changes, Glow::from(&self.look)),
            false => Arc::new(EmberLight::none(volume.grid)),
        };
        let fog = self
            .prepared
            .fog(
                volume,
                changes,
                (self.sky.sun, self.look.cell_height, risen(self.steps)),
            )
            .filter(|_| self.contents.lava);
        let wanted = smoke::Wanted {
            sun: self.sky.sun,
            tall: self.look.cell_height,
            look: self.look.air.clone(),
        };
        let smoke = match self.contents.lava {
            true => self.prepared.smoke(volume, wanted, &ember),
            false => None,
        };
        (ember, fog, smoke)
    }

    /// Removes and returns the cached backdrops (ground, slice or sky behind all lava) of `camera`;
    /// if there are none and the cache is full, the oldest entry, for reuse of its allocations.
    /// `None` if there are none and the cache has space.
    fn take_seen(&mut self, camera: &Camera) -> Option<Seen> {
        let known = self
            .seen
            .iter()
            .position(|seen| seen.is_of(camera, self.contents.cells()));
        let full = (self.seen.len() >= self.kept_cameras).then_some(0);
        let taken = known.or(full).map(|at| self.seen.remove(at));
        self.seen
            .drain(..(self.seen.len() + 1).saturating_sub(self.kept_cameras));
        taken
    }

    /// Sets the maximum number of cameras whose intersections of rays with the ground are cached,
    /// for scenes that alternate between several cameras; 0 counts as 1.
    pub fn keep_cameras(&mut self, count: usize) {
        self.kept_cameras = count.max(1);
    }

    /// Returns the gases `fog` and the smoke `smoke` of a frame, with the size of the simulation
    /// box and the ray-marching step of the look.
    fn clouds<'a>(&self, fog: Option<&'a Fog>, smoke: Option<&'a Smoke>) -> Clouds<'a> {
        Clouds {
            fog,
            smoke,
            haze: None,
            size: self.sides(),
            step: self.look.step,
        }
    }

    /// Returns the haze of the plain styles, restricted to the region `shown` of the simulation box
    /// (bounds as fractions); `None` if there is no haze. `skipping`: method by which rays skip
    /// empty space.
    fn haze<'a>(
        &self,
        haze: Option<&'a Haze>,
        (shown, skipping): ([[f32; 2]; 3], Skipping),
    ) -> Option<HazeField<'a>> {
        let part = (self.with_volume(shown), self.sides());
        haze.map(|haze| HazeField::new(haze, self.look.step, part, skipping))
    }

    /// Returns the range of distances in which rays may meet matter, per square tile of pixels,
    /// found by projecting bricks and the bounding boxes of `clouds`. `depths`: depth per tile
    /// beyond which everything is hidden.
    fn places(
        &self,
        volume: &Volume,
        (camera, depths): (&Camera, &Depths),
        clouds: Clouds<'_>,
        skipping: Skipping,
    ) -> Places {
        if !self.contents.lava {
            return Places::none(camera);
        }
        // Without skipping, every tile of a present medium counts: tests compare this with the
        // skipping renderer.
        let whole = skipping == Skipping::Never;
        let tiles = |bricks: &Bricks| {
            if whole {
                Tiles::whole(camera)
            } else {
                Tiles::new(bricks, camera, depths)
            }
        };
        let of_media = |wanted: &dyn Fn(Form) -> bool| {
            let bricks = self
                .prepared
                .bricks_of_media(volume, |look| wanted(look.preset.form()));
            bricks.map(tiles).reduce(Tiles::union)
        };
        let gas = clouds
            .fog
            .map(|fog| Tiles::of_boxes(fog.boxes(), camera, depths));
        let smoke = clouds
            .smoke
            .map(|smoke| Tiles::of_boxes(smoke.boxes(), camera, depths));
        let gas = gas.into_iter().chain(smoke).reduce(Tiles::union);
        let others = match self.look.style.at_once() {
            Style::Cinematic => OtherTiles {
                clear: of_media(&|form| form == Form::Clear),
                solid: of_media(&|form| form == Form::Solid),
                gas: if whole {
                    gas.map(|_| Tiles::whole(camera))
                } else {
                    gas
                },
            },
            _ => {
                let haze = clouds.haze.map(|haze| match whole {
                    true => Tiles::whole(camera),
                    false => Tiles::of_boxes(haze.boxes(), camera, depths),
                });
                OtherTiles {
                    clear: of_media(&|_| true),
                    solid: None,
                    gas: haze,
                }
            }
        };
        Places {
            lava: tiles(self.prepared.bricks()),
            others,
        }
    }

    /// Returns the sparks in flight at the present step, and the width of a pixel at depth 1.
    fn sparks(&self, camera: &Camera) -> (Sparks, f32) {
        let mouths = if self.contents.lava {
            &self.mouths[..]
        } else {
            &[]
        };
        (
            Sparks::at(mouths, self.steps, self.look.sparks, self.land.unit),
            camera.pixel(),
        )
    }

    /// Returns the media other than lava, restricted to the region `shown` of the simulation box
    /// (bounds as fractions). `skipping`: method by which rays skip empty space.
    fn media<'a>(
        &'a self,
        volume: &'a Volume,
        skipping: Skipping,
        shown: [[f32; 2]; 3],
    ) -> Vec<Clear<'a>> {
        let (interest, shown) = (
            self.transfer.of_interest(&self.look),
            self.with_volume(shown),
        );
        let media = self.prepared.media(volume, interest, skipping);
        media
            .map(|(medium, field)| Clear::new(field.clipped(shown), &medium.look, &self.look))
            .collect()
    }

    fn scene<'a>(&'a self, camera: &'a Camera, shown: [[f32; 2]; 3]) -> Scene<'a> {
        let (block, part) = (&self.land.block, self.drawn_part(shown));
        let antialias = self.look.antialias;
        let keeps_closer = self.keeps_closer || antialias != Antialias::Full;
        Scene {
            camera,
            block,
            part,
            antialias,
            keeps_closer,
            level: self.level,
            stop: &self.stop,
        }
    }

    fn context<'a>(
        &'a self,
        field: &'a MediumField<'a>,
        media: &'a Media<'a>,
        (shown, sea, sparks): ([[f32; 2]; 3], Option<SeaField>, &'a (Sparks, f32)),
        ember: &'a EmberLight,
    ) -> ShadeContext<'a> {
        // The land beyond the simulation box is passed on only where it is drawn: a cut box stands
        // alone.
        let goes_on = self.goes_on(sea.is_some(), shown);
        let around = self.land.beyond.as_ref().filter(|_| goes_on);
        ShadeContext {
            field,
            clear: &media.clear,
            solids: &media.solids,
            fog: media.fog.as_ref(),
            smoke: media.smoke.as_ref(),
            land: &self.land,
            part: self.drawn_part(shown),
            ember,
            sky: &self.sky,
            floor: Floor::new(&self.look, &self.land.block, self.land.unit, around),
            goes_on,
            sea,
            sparks: &sparks.0,
            pixel: sparks.1,
            flame: Flame::from_look(&self.look, self.steps).filter(|_| self.contents.lava),
            look: &self.look,
            blackbody: &self.blackbody,
            slices: self.slices(shown).natural(),
            billows: Generations::at(self.steps),
            steps: self.steps,
            running: self.running,
        }
    }

    fn specimen<'a>(
        &'a self,
        field: &'a MediumField<'a>,
        media: &'a [Clear<'a>],
        (shown, haze): ([[f32; 2]; 3], Option<&'a HazeField<'a>>),
    ) -> Specimen<'a> {
        let slices = self.slices(shown);
        Specimen {
            field,
            media,
            haze,
            land: &self.land,
            part: self.drawn_part(shown),
            transfer: &self.transfer,
            look: &self.look,
            slices,
        }
    }

    /// Returns the slices of a frame, clipped to the region `shown` of the simulation box (bounds
    /// as fractions).
    fn slices(&self, shown: [[f32; 2]; 3]) -> Slices<'_> {
        Slices::new(
            [self.grid.nx, self.grid.ny, self.grid.nz],
            shown,
            &self.contents,
            &self.transfer,
        )
    }
}
