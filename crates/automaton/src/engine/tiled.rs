//! Tiled engine, the default engine of the program: processes only tiles of 32 cells that can
//! change, with the widest SIMD instructions of the processor, on all threads.
//!
//! Strips of tiles are handed to threads in parts of equal weight. Spreading reads the old state
//! and writes the flow out of each tile into a list of changes per strip. A strip takes its changes
//! as soon as no thread reads its old state any more: inside a part shortly after the strip was
//! processed, at the ends of a part when all parts are done.
//!
//! Invariant: every tile has one writer at a time and every sum is of integers, so the bits depend
//! neither on the number of threads nor on the cuts between parts.

use super::deltas::Deltas;
use super::drift::{Rises, Stirs};
use super::fall::{FallCommon, Falls};
use super::heavier::{Layers, Nothing};
use super::spread::{Lost, Near, Out, Spread};
use super::trace::Tracer;
use super::{Engine, grains, points};
use crate::rules::{
    Bodies, Column, Driver, Due, Each, Exchange, Point, Rule, Turns, UpDown, Walls,
};
use crate::world::{AMOUNT, Activities, ENERGY, Ground, Layer, Reader, Strip, Traced, World};
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::{self, *};
use lavoxel_base::random::Draw;
use lavoxel_base::simd::{Level, Simd, Work};

/// Minimum number of tiles to process in a part (the adjacent strips of one thread); with fewer,
/// waking another thread takes longer than the work.
const LEAST_PART: usize = 128;

/// Tiled engine. All state is in the world; the engine stores only scratch memory and caches.
#[derive(Debug)]
pub struct Tiled {
    level: Level,
    cuts: Vec<usize>,
    scratch: Vec<Scratch>,
    grains: grains::Scratch,
    /// Empty strips that stand for the neighbours beyond the first and the last strip: the first
    /// for layers with one value per cell (amount), the second for layers with two (amount,
    /// energy).
    nothing: [Option<Strip>; 2],
    /// Caches of the tracing rule (levelling of connected liquid bodies), one for each layer.
    tracers: Vec<Tracer>,
    /// Scratch buffer: cells that lose energy, each with the loss in units.
    losing: Vec<(Place, u16)>,
}

/// Scratch memory for one part of the grid: adjacent strips that one thread processes.
#[derive(Debug, Default)]
struct Scratch {
    before: Vec<u64>,
    ring: [Deltas; 3],
    /// Pending changes of the four strips that other threads may read at the same time: the strip
    /// before the part, the part's first and last strip, and the strip after the part.
    ends: [Deltas; 4],
    lost: Lost,
}

impl Default for Tiled {
    fn default() -> Self {
        Self::on(Level::fastest())
    }
}

impl Tiled {
    /// Creates an engine that uses the instruction set `level`; the results are the same with all
    /// instruction sets.
    ///
    /// # Panics
    /// If the processor does not support `level`.
    pub fn on(level: Level) -> Self {
        assert!(
            Level::available().contains(&level),
            "this processor has no {level:?}"
        );
        let (grains, tracers, losing) = (grains::Scratch::default(), Vec::new(), Vec::new());
        Self {
            level,
            cuts: Vec::new(),
            scratch: Vec::new(),
            grains,
            nothing: [None, None],
            tracers,
            losing,
        }
    }

    /// Divides the strips `from..to` into parts with equal estimated work, and stores in `cuts` the
    /// z index after the last strip of each part.
    fn cut(&mut self, layer: &Layer, from: usize, to: usize) {
        // Estimate of the work: mostly the changed tiles, plus a little for tiles that may be
        // marked in this step.
        let weight = |z: usize| 4 * layer.strips[z].work + layer.strips[z].tiles() + 1;
        let total: usize = (from..to).map(weight).sum();
        let threads = parallel::current_num_threads();
        let parts = threads.min(total / LEAST_PART).min((to - from) / 3).max(1);
        self.cuts.clear();
        let (mut sum, mut start) = (0, from);
        for z in from..to {
            // Nearest to equal parts: half of the strip on either side.
            let enough = (2 * sum + weight(z)) * parts >= 2 * total * (self.cuts.len() + 1);
            // Every part needs two strips at least, for the two ends that the part shares with
            // others.
            if enough && z - start >= 2 && to - z >= 2 && self.cuts.len() + 1 < parts {
                self.cuts.push(z);
                start = z;
            }
            sum += weight(z);
        }
        self.cuts.push(to);
        if self.scratch.len() < self.cuts.len() {
            self.scratch.resize_with(self.cuts.len(), Scratch::default);
        }
    }
}

/// Returns the range of strips from the first to the last with tiles to process, as first z index
/// and last plus one; `None` if no tile of the layer must be processed.
fn awake(layer: &Layer) -> Option<(usize, usize)> {
    let from = layer.awake.iter().position(|&awake| awake)?;
    let to = layer.awake.iter().rposition(|&awake| awake)? + 1;
    Some((from, to))
}

/// Sets `layer.awake` for each strip in `from..to`: true if a tile of the strip is marked for a
/// rule or active.
fn update_awake(layer: &mut Layer, from: usize, to: usize) {
    for z in from..to {
        let strip = &layer.strips[z];
        layer.awake[z] = !(strip.falling.is_empty()
            && strip.flowing.is_empty()
            && layer.activities[z].active.is_empty());
    }
}

impl Engine for Tiled {
    fn run(&mut self, world: &mut World, (layer, rule): (usize, &Rule), draw: Draw) {
        rule.run(self, (world, layer), draw);
    }

    fn due(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due> {
        points::due(world, rule, draw, round)
    }
}

impl Driver for Tiled {
    fn turns<R: Turns>(&mut self, (world, layer): (&mut World, usize), rule: &R, draw: Draw) {
        grains::run(&mut self.grains, self.level, world, (layer, rule), draw);
    }

    fn bodies<R: Bodies>(&mut self, (world, layer): (&mut World, usize), rule: &R) {
        if self.tracers.len() <= layer {
            self.tracers.resize_with(layer + 1, Tracer::default);
        }
        self.tracers[layer].run(self.level, world, layer, rule);
    }

    fn each<R: Each>(&mut self, on: (&mut World, usize), rule: &R) {
        rule.act(on, &mut self.losing);
    }

    fn points(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due> {
        points::due(world, rule, draw, round)
    }

    fn column<R: Column<Q>, const Q: usize>(
        &mut self,
        (world, layer): (&mut World, usize),
        rule: &R,
    ) {
        if world.capacity.layers_above(layer) > 0 {
            world.wake_beside_heavier(layer);
        }
        let (ground, heavier, layer) = world.split(layer);
        layer.wake_under(Reader::Column, &rule.numbers(), ground);
        let Some((from, to)) = awake(layer) else {
            return;
        };
        self.cut(layer, from, to);
        let common = FallCommon {
            ground,
            heavier: Layers(heavier),
            rule,
            reads: layer.clock.last(),
        };
        let strips = &mut layer.strips[from..to];
        let cuts = &self.cuts[..];
        let scratch = &mut self.scratch[..cuts.len()];
        if heavier.is_empty() {
            fall_in::<R, false, Q>(self.level, (from, strips), common, cuts, scratch);
        } else {
            fall_in::<R, true, Q>(self.level, (from, strips), common, cuts, scratch);
        }
        update_awake(layer, from, to);
    }

    /// Applies a rule of random vertical motion. Skips the layer if no cell could have moved for
    /// any random numbers when the rule was last applied, and rule, ground and the layers that it
    /// reads have not changed since.
    fn updown<R: UpDown>(&mut self, (world, layer): (&mut World, usize), rule: &R, draw: Draw) {
        let (ground, heavier, own) = world.split(layer);
        let now = |own: &Layer| {
            let versions = heavier.iter().map(Layer::version).chain([own.version()]);
            Traced {
                rule: rule.numbers(),
                ground: ground.stamp(),
                layers: versions.collect(),
            }
        };
        if own.traced.as_ref().is_some_and(|rests| *rests == now(own)) {
            return;
        }
        let before = own.version();
        let (level, heavier, key) = (self.level, Layers(heavier), rule.key(draw));
        let Layer { strips, awake, .. } = own;
        strips
            .par_iter_mut()
            .zip(awake)
            .enumerate()
            .for_each(|(tz, (strip, awake))| {
                if !strip.held.is_empty() {
                    level.run(Rises {
                        strip,
                        tz,
                        ground,
                        heavier,
                        rule,
                        key,
                    });
                    *awake |= !strip.falling.is_empty();
                }
            });
        // Only after a run that moved nothing is the search for cells that another draw could move
        // worth its cost.
        let rests = own.version() == before && {
            let stirs = |(tz, strip): (usize, &mut Strip)| {
                let mut found = false;
                level.run(Stirs {
                    rises: Rises {
                        strip,
                        tz,
                        ground,
                        heavier,
                        rule,
                        key,
                    },
                    found: &mut found,
                });
                found
            };
            !own.strips
                .par_iter_mut()
                .enumerate()
                .map(stirs)
                .reduce(|| false, |a, b| a | b)
        };
        own.traced = rests.then(|| now(own));
    }

    fn exchange<R: Exchange<Q>, const Q: usize>(
        &mut self,
        (world, layer): (&mut World, usize),
        rule: &R,
        draw: Draw,
    ) {
        let grid = world.grid();
        let (ground, heavier, layer) = world.split(layer);
        layer.wake_under(Reader::Across, &rule.numbers(), ground);
        let Some((from, to)) = awake(layer) else {
            return;
        };
        // A strip next to a marked one may give, and the strip next to that one may receive.
        let (from, to) = (from.saturating_sub(2), (to + 2).min(layer.strips.len()));
        self.cut(layer, from, to);
        let cuts = &self.cuts[..];
        let scratch = &mut self.scratch[..cuts.len()];
        let rows = layer.strips[from].len();
        for Scratch {
            ring, ends, lost, ..
        } in scratch.iter_mut()
        {
            ring.iter_mut()
                .chain(ends)
                .for_each(|deltas| deltas.prepare(rows));
            *lost = Lost::default();
        }
        let nothing = match &self.nothing[Q - 1] {
            Some(strip) if strip.count == layer.strips[from].count => strip,
            _ => self.nothing[Q - 1].insert(Strip::empty(grid, Q)),
        };
        let Layer {
            strips,
            activities,
            ledger,
            ..
        } = layer;
        let (head, rest) = strips.split_at_mut(from);
        let (inner, tail) = rest.split_at_mut(to - from);
        let part = StripRange {
            from,
            before: head.last().unwrap_or(nothing),
            first: None,
            inner,
            last: None,
            after: tail.first().unwrap_or(nothing),
            activities: &mut activities[from..to],
        };
        let common = Common {
            level: self.level,
            ground,
            heavier: Layers(heavier),
            rule,
            draw,
        };
        if heavier.is_empty() {
            spread_in::<R, false, Q>(part, &common, cuts, scratch);
        } else {
            spread_in::<R, true, Q>(part, &common, cuts, scratch);
        }
        self.level.run(Ends::<Q> {
            strips,
            cuts,
            scratch,
        });
        for Scratch { lost, .. } in &*scratch {
            ledger.outflow += lost.outflow[AMOUNT];
            ledger.energy.outflow += lost.outflow[ENERGY];
            ledger.energy.friction += lost.friction;
        }
        update_awake(layer, from, to);
    }
}

/// Applies a vertical rule to parts of the grid in parallel, one part per thread. `first`: z index
/// of the first of `strips`; `cuts`: for each part the z index after its last strip.
fn fall_in<R: Column<Q>, const MEETS: bool, const Q: usize>(
    level: Level,
    (first, strips): (usize, &mut [Strip]),
    common: FallCommon<'_, R>,
    cuts: &[usize],
    scratch: &mut [Scratch],
) {
    if cuts.len() == 1 {
        let before = &mut scratch[0].before;
        return level.run(Falls::<R, MEETS, Q> {
            first,
            strips,
            common,
            before,
        });
    }
    let half = cuts.len() / 2;
    let middle = cuts[half - 1];
    let (left, right) = strips.split_at_mut(middle - first);
    let (left_scratch, right_scratch) = scratch.split_at_mut(half);
    parallel::join(
        || fall_in::<R, MEETS, Q>(level, (first, left), common, &cuts[..half], left_scratch),
        || fall_in::<R, MEETS, Q>(level, (middle, right), common, &cuts[half..], right_scratch),
    );
}

/// Inputs of an exchange rule that all parts of the grid share in a step.
struct Common<'a, R> {
    level: Level,
    ground: &'a Ground,
    heavier: Layers<'a>,
    rule: &'a R,
    draw: Draw,
}

/// Part of the grid: adjacent strips that one thread processes. Its first and last strip may also
/// be read by the threads that process the adjacent parts.
struct StripRange<'a> {
    /// z index of the first strip of the part.
    from: usize,
    before: &'a Strip,
    first: Option<&'a Strip>,
    inner: &'a mut [Strip],
    last: Option<&'a Strip>,
    after: &'a Strip,
    activities: &'a mut [Activities],
}

impl StripRange<'_> {
    /// Returns the strip with z index `from − 1 + i`: 0 is the strip before the part.
    fn strip(&self, i: usize) -> &Strip {
        let inner = 1 + usize::from(self.first.is_some());
        match i {
            0 => self.before,
            1 if self.first.is_some() => self.first.unwrap_or(self.before),
            _ => match self.inner.get(i - inner) {
                Some(strip) => strip,
                None if i == self.activities.len() + 1 => self.after,
                None => self.last.unwrap_or(self.after),
            },
        }
    }

    /// Returns the owner, during the parallel computation, of the strip with z index `from − 1 +
    /// i`.
    fn place(&self, i: usize) -> Owner {
        match i {
            0 => Owner::Others(0),
            1 if self.first.is_some() => Owner::Others(1),
            _ if i == self.activities.len() + 1 => Owner::Others(3),
            _ if i == self.activities.len() && self.last.is_some() => Owner::Others(2),
            _ => Owner::Inner(i - 1 - usize::from(self.first.is_some())),
        }
    }
}

/// Owner of a strip, which decides when changes can be applied to the strip.
enum Owner {
    /// Strip that only the thread of this part reads and writes; the field is the index in
    /// `StripRange::inner`.
    Inner(usize),
    /// Strip that the threads of adjacent parts read as well: its changes are stored in
    /// [`Scratch::ends`], at the index in the field, until all parts are done.
    Others(usize),
}

/// Applies an exchange rule to parts of the grid in parallel, one part per thread. `cuts`: for each
/// part the z index after its last strip.
fn spread_in<R: Exchange<Q>, const MEETS: bool, const Q: usize>(
    part: StripRange<'_>,
    common: &Common<'_, R>,
    cuts: &[usize],
    scratch: &mut [Scratch],
) {
    if cuts.len() == 1 {
        return common.level.run(Spreads::<R, MEETS, Q> {
            part,
            common,
            scratch: &mut scratch[0],
        });
    }
    let half = cuts.len() / 2;
    let middle = cuts[half - 1];
    let StripRange {
        from,
        before,
        first,
        inner,
        last,
        after,
        activities,
    } = part;
    // The strips at the cut are read from both sides, so neither side may write them.
    let at = middle - from - usize::from(first.is_some());
    let (left, right) = inner.split_at_mut(at);
    let (left, left_last) = left.split_at_mut(at - 1);
    let (right_first, right) = right.split_at_mut(1);
    let (left_last, right_first) = (&left_last[0], &right_first[0]);
    let (left_activities, right_activities) = activities.split_at_mut(middle - from);
    let (left_scratch, right_scratch) = scratch.split_at_mut(half);
    let left = StripRange {
        from,
        before,
        first,
        inner: left,
        last: Some(left_last),
        after: right_first,
        activities: left_activities,
    };
    let right = StripRange {
        from: middle,
        before: left_last,
        first: Some(right_first),
        inner: right,
        last,
        after,
        activities: right_activities,
    };
    parallel::join(
        || spread_in::<R, MEETS, Q>(left, common, &cuts[..half], left_scratch),
        || spread_in::<R, MEETS, Q>(right, common, &cuts[half..], right_scratch),
    );
}

/// SIMD kernel that applies an exchange rule to one part of the grid; changes of strips that other
/// threads read are only stored in `scratch`.
struct Spreads<'a, R, const MEETS: bool, const Q: usize> {
    part: StripRange<'a>,
    common: &'a Common<'a, R>,
    scratch: &'a mut Scratch,
}

impl<R: Exchange<Q>, const MEETS: bool, const Q: usize> Work for Spreads<'_, R, MEETS, Q> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self {
            mut part,
            common,
            scratch,
        } = self;
        let &Common {
            ground,
            heavier,
            rule,
            draw,
            ..
        } = common;
        let (kernel, key) = (&rule.kernel(s, draw.step), draw.key());
        let open = rule.walls() == Walls::Open;
        let Scratch {
            ring, ends, lost, ..
        } = scratch;
        let n = part.activities.len();
        // Strip i of the part takes from ring[i % 3].
        for i in 1..=n {
            let mut activities = std::mem::take(&mut part.activities[i - 1]);
            let near = Near {
                tz: part.from + i - 1,
                north: part.strip(i - 1),
                here: part.strip(i),
                south: part.strip(i + 1),
            };
            if near.is_awake(&activities) {
                let [a, b, c] = &mut *ring;
                let (north, here, south) = match i % 3 {
                    0 => (c, a, b),
                    1 => (a, b, c),
                    _ => (b, c, a),
                };
                let (out, ground) = (Out { north, here, south }, ground.strip(near.tz));
                let activities = &mut activities;
                lost.add(if MEETS && heavier.is_near(near.tz) {
                    Spread::<S, R, _, Q> {
                        s,
                        kernel,
                        near,
                        heavier,
                        ground,
                        draw,
                        key,
                        open,
                    }
                    .strip(activities, out)
                } else {
                    let heavier = Nothing::<MEETS>;
                    Spread::<S, R, _, Q> {
                        s,
                        kernel,
                        near,
                        heavier,
                        ground,
                        draw,
                        key,
                        open,
                    }
                    .strip(activities, out)
                });
            }
            part.activities[i - 1] = activities;
            // From here on no thread reads the strip before this one.
            take::<S, Q>(s, &mut part, i - 1, &mut ring[(i + 2) % 3], ends);
        }
        take::<S, Q>(s, &mut part, n, &mut ring[n % 3], ends);
        take::<S, Q>(s, &mut part, n + 1, &mut ring[(n + 1) % 3], ends);
    }
}

/// Applies the changes `deltas` to the strip with z index `from − 1 + i` (`from`: first strip of
/// the part), or moves them to `ends` if other threads still read the strip.
#[inline(always)]
fn take<S: Simd, const Q: usize>(
    s: S,
    part: &mut StripRange<'_>,
    i: usize,
    deltas: &mut Deltas,
    ends: &mut [Deltas; 4],
) {
    match part.place(i) {
        Owner::Inner(i) => {
            let strip = &mut part.inner[i];
            strip.spread_read();
            deltas.apply::<S, Q>(s, strip);
        }
        Owner::Others(end) => std::mem::swap(deltas, &mut ends[end]),
    }
}

/// SIMD kernel that applies the stored changes to the strips at the ends of the parts, after all
/// parts are done.
struct Ends<'a, const Q: usize> {
    strips: &'a mut [Strip],
    cuts: &'a [usize],
    scratch: &'a mut [Scratch],
}

impl<const Q: usize> Work for Ends<'_, Q> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        for (i, &cut) in self.cuts.iter().enumerate().take(self.cuts.len() - 1) {
            let [left, right] = &mut self.scratch[i..i + 2] else {
                unreachable!("two parts meet at a cut")
            };
            let sides = [(&mut left.ends, [2, 3]), (&mut right.ends, [0, 1])];
            for strip in &mut self.strips[cut - 1..=cut] {
                strip.spread_read();
            }
            for (ends, [north, south]) in sides {
                ends[north].apply::<S, Q>(s, &mut self.strips[cut - 1]);
                ends[south].apply::<S, Q>(s, &mut self.strips[cut]);
            }
        }
    }
}
