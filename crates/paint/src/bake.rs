//! Baking of the ground's look (mesh, light and albedo; `render::land`) beside the pictures, for all
//! painters.
//!
//! A bake takes about a second. Until the first fine bake ends, a coarse bake is shown. Later
//! changes of the ground patch a copy of the fine bake on a separate thread; each result is shown
//! when ready, even if the ground has changed again. Ground that keeps changing is patched in
//! batches, by half of the threads: neighbouring cells share most of their patches, and the
//! pictures and the simulation need the processor.

mod work;

use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use ndarray::Array2;

use lavoxel_base::grid::Grid;
use lavoxel_render::ground::heightfield::Caves;
use lavoxel_render::ground::land::{NODES, TerrainLook, per_cell};
use lavoxel_render::{Bounds, LookSpec};

use self::work::{Bake, Progress, Work};
use crate::changes::GroundPatch;

/// Number of columns along the longer horizontal side up to which a change of the ground is shown
/// at once by another coarse bake, before the first fine bake ends; in larger boxes, this would
/// take longer than a few frames.
const COARSE: usize = 256;

/// Time without a change of the ground after which the next bake begins at once, even if the pause
/// between two bakes is not over.
const PAUSE: Duration = Duration::from_millis(150);
/// Pause between two bakes of ground that keeps changing, in multiples of the duration of the last
/// bake. The constants `SHORTEST_REST` and `LONGEST_REST` clamp the pause to 2–3.5 s, since after
/// each ground change the rays of the next pictures must search the ground again.
const REST: u32 = 3;
/// Lower bound of the pause between two bakes of ground that keeps changing.
const SHORTEST_REST: Duration = Duration::from_millis(2000);
/// Upper bound of the pause between two bakes of ground that keeps changing.
const LONGEST_REST: Duration = Duration::from_millis(3500);

/// Baked ground as shown, and the background bake in progress.
pub struct BakedGround {
    heights: Arc<Array2<f32>>,
    caves: Arc<Caves>,
    /// Size of the simulation box in cells.
    pub grid: Grid,
    /// Ground as it is shown.
    pub land: Arc<TerrainLook>,
    /// Set if `land` is a fine bake, in full resolution.
    is_fine: bool,
    /// Bake in progress; `None` between bakes.
    baking: Option<Work>,
    /// Time of the last change of the ground.
    changed: Instant,
    /// Earliest time of the next bake while the ground keeps changing.
    rests: Instant,
    /// Set if the ground or the sun has changed since the last bake began, so that another bake is
    /// needed.
    stale: bool,
    /// Set if the sun or the look of the ground has changed, so that the light of the whole ground
    /// must be baked again.
    other_sun: bool,
}

impl BakedGround {
    /// Bakes the whole ground in low resolution and waits for the result, so that a picture can be
    /// drawn at once. The bake in full resolution follows in the background.
    pub fn new(ground: &GroundPatch, grid: Grid, look: &LookSpec) -> Self {
        let (heights, caves) = (Arc::new(ground.heights.clone()), ground.caves.clone());
        let land = Arc::new(work::coarse(&heights, &caves, look));
        let now = Instant::now();
        let (changed, rests) = (now, now);
        Self {
            heights,
            caves,
            grid,
            land,
            is_fine: false,
            baking: None,
            changed,
            rests,
            stale: true,
            other_sun: false,
        }
    }

    /// Copies `patch`, a changed rectangle of the ground, into the heights and caves to bake.
    /// Returns true if the shown ground changed at once, which happens in a small box before the
    /// first fine bake; otherwise a bake follows.
    pub fn apply(&mut self, patch: &GroundPatch, look: &LookSpec) -> bool {
        patch.write_to(Arc::make_mut(&mut self.heights));
        self.caves = patch.caves.clone();
        (self.stale, self.changed) = (true, Instant::now());
        // Until the first fine bake ends, the coarse bake is patched in place.
        let quick = !self.is_fine && self.grid.nx.max(self.grid.nz) <= COARSE;
        quick && Arc::make_mut(&mut self.land).follow(&self.heights, &self.caves, look)
    }

    /// Limits the pause before the next bake to `PAUSE` (150 ms), so that the user's edits are
    /// shown soon.
    pub fn hurry(&mut self) {
        self.rests = self.rests.min(Instant::now() + PAUSE);
    }

    /// Requests a bake of the light of the whole ground, after a change of the sun or of the
    /// ground's look.
    pub fn relight(&mut self) {
        (self.stale, self.other_sun) = (true, true);
        self.rests = Instant::now();
    }

    /// Returns the bounds in cells of the solid block that is drawn as the ground; a camera frames
    /// these bounds.
    pub fn subject(&self) -> Bounds {
        self.land.subject(self.grid)
    }

    /// Returns true if the shown ground is final: no bake is in progress or needed.
    pub fn settled(&self) -> bool {
        !self.stale && self.baking.is_none()
    }

    /// Returns the shown ground if it is final.
    pub fn final_land(&self) -> Option<Arc<TerrainLook>> {
        self.settled().then(|| Arc::clone(&self.land))
    }

    /// Replaces the shown ground by the result of a finished bake, and starts the next bake if it
    /// is due; must be called once per frame. Returns true if the shown ground changed.
    pub fn tend(&mut self, look: &LookSpec) -> bool {
        let mut changed = false;
        match self.baking.as_mut().map(Work::go_on) {
            None | Some(Progress::Runs) => {}
            Some(Progress::Failed) => self.baking = None,
            Some(Progress::Done(land, took)) => {
                self.baking = None;
                self.rests = Instant::now() + (REST * took).clamp(SHORTEST_REST, LONGEST_REST);
                // A result is shown even if the ground has changed since: the next bake only
                // patches the difference.
                (self.land, self.is_fine) = (Arc::new(*land), true);
                changed = true;
            }
        }
        let due = Instant::now() >= self.rests || self.changed.elapsed() >= PAUSE;
        if self.stale && self.baking.is_none() && due {
            self.stale = false;
            self.baking = Some(Work::start(self.bake(look)));
        }
        changed
    }

    /// Blocks until the shown ground is final: all bakes needed are complete. Returns true if the
    /// shown ground changed.
    pub fn finish(&mut self, look: &LookSpec) -> bool {
        let mut changed = false;
        while !self.settled() {
            self.rests = Instant::now();
            changed |= self.tend(look);
            // In a browser the bake goes on in `tend`.
            #[cfg(not(target_arch = "wasm32"))]
            std::thread::sleep(Duration::from_millis(2));
        }
        changed
    }

    /// Returns a bake of the present ground. After the first fine bake, only the surroundings of
    /// changed columns are baked.
    fn bake(&mut self, look: &LookSpec) -> Bake {
        Bake {
            heights: self.heights.clone(),
            caves: self.caves.clone(),
            look: look.clone(),
            other_sun: std::mem::take(&mut self.other_sun),
            before: self.is_fine.then(|| self.land.clone()),
            nodes: per_cell(self.grid.nx.max(self.grid.nz), NODES),
        }
    }
}

#[cfg(test)]
mod tests {
    use web_time::Instant;

    use super::*;
    use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};

    /// World of a test; changes of its ground are sent to a `BakedGround`.
    struct Sender {
        world: World,
        cursor: lavoxel_automaton::world::GroundCursor,
    }

    impl Sender {
        fn edit(&mut self, baked: &mut BakedGround, [x, y, z]: [f64; 3], matter: Matter) {
            let shape = Shape::Box {
                from: [x, y, z],
                to: [x + 1.0, y + 1.0, z + 1.0],
            };
            self.world.edit(&Edit { shape, matter });
            let patch =
                GroundPatch::since(&mut self.cursor, self.world.ground(), 1.0).expect("it changed");
            assert!(
                patch.heights.len() <= 4 * 32,
                "only the columns of tiles near it are sent"
            );
            baked.apply(&patch, &LookSpec::default());
        }
    }

    #[test]
    fn ground_that_changes_all_the_time_is_shown() {
        let (grid, look) = (Grid::new(264, 60, 40), LookSpec::default());
        let world = World::new(Ground::from_surface(
            grid.ny,
            Array2::from_elem((grid.nz, grid.nx), 10.0),
        ));
        let mut baked = BakedGround::new(&GroundPatch::whole(world.ground(), 1.0), grid, &look);
        let mut sender = Sender {
            cursor: world.ground().cursor(),
            world,
        };
        let start = Instant::now();
        // A wall grows by one cell an update, until three bakes are shown while more cells follow.
        let mut cells = (0..).map(|k| {
            [
                f64::from(k % 200) + 20.0,
                10.0 + f64::from(k / 200 % 40),
                20.0,
            ]
        });
        let mut shown = 0;
        while shown < 3 && start.elapsed() < Duration::from_secs(60) {
            sender.edit(&mut baked, cells.next().expect("more cells"), Matter::Rock);
            std::thread::sleep(Duration::from_millis(2));
            shown += usize::from(baked.tend(&look));
        }
        assert_eq!(
            shown, 3,
            "finished bakes are shown though the ground changed meanwhile"
        );
        assert!(baked.land.block.top > 10.8, "the wall is seen");
        // A tunnel through the wall changes no height, only the caves.
        sender.edit(&mut baked, [21.0, 5.0, 20.0], Matter::Nothing);
        assert!(!baked.settled() && baked.finish(&look) && baked.settled());
        assert!(!baked.land.block.caves.is_empty());
        let mut land = (*baked.land).clone();
        let surface = sender.world.ground().surface();
        assert!(
            !land.follow(
                surface,
                &Caves::from_ground(sender.world.ground(), 1.0),
                &look
            ),
            "nothing is left to bake"
        );
    }
}
