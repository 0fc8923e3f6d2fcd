//! Parallel loops; the only module that uses rayon.
//!
//! Loops use rayon's names and its work-stealing scheme: a loop is split into halves, which are
//! split again when another thread has stolen one. Only [`join`] uses threads; where a system
//! starts none, both halves run in sequence, so that each loop is written once. Results never
//! depend on the number of threads.
//!
//! **Why not rayon's own iterators:** rayon instantiates its queue, latches and panic handling for
//! every loop, which made up a sixth of the crate's code. Here this machinery is instantiated once
//! behind [`join`], whose halves are called by reference.

mod adapters;
mod folds;
mod parts;

use std::iter::Sum;
use std::marker::PhantomData;

use self::adapters::{Adapted, Adapter, Filter, FlatMapIter, Folded, Map, MapInit};
pub use self::folds::Gather;
use self::folds::{Add, Collect, ForEach, Reduce, TryForEach};
pub use self::parts::{IntoParallelIterator, ParallelSlice};
use self::parts::{Loop, Splittable};

/// Number of worker threads of the current thread pool.
pub fn current_num_threads() -> usize {
    rayon::current_num_threads()
}

/// Runs the closure `run` on a thread of the pool and returns its result, so that nested parallel
/// loops do not each pay for entering the pool.
pub fn enter<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    let (mut run, mut result) = (Some(run), None);
    enter_by_reference(&mut || result = run.take().map(|run| run()));
    result.expect("the closure ran")
}

/// Runs the closure `run` on a separate single-thread pool: parallel loops inside run sequentially
/// and share no work with other threads, which is fastest when many independent closures run at
/// once.
///
/// # Errors
/// Returns the system's error if the thread cannot be started.
pub fn alone<R: Send>(run: impl FnOnce() -> R + Send) -> std::io::Result<R> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map(|pool| pool.install(run))
        .map_err(std::io::Error::other)
}

/// Work on one item of `share_out`. The second argument is a callback that returns true when the
/// work should stop; the result `Ok(true)` means that the item was completed.
pub type Work<'a, T, E> = dyn Fn(&T, &dyn Fn() -> bool) -> Result<bool, E> + Sync + 'a;

/// Processes `items` by `work` on `threads` dedicated threads, in list order as threads become
/// free, until all items are done, `ends` returns true, or an item fails; then all threads stop.
/// Returns the number of completed items.
///
/// # Errors
/// Returns the first error of `work`, or of a thread that cannot be started.
pub fn share_out<T: Sync, E: Send + From<std::io::Error>>(
    items: &[T],
    threads: usize,
    ends: &(dyn Fn() -> bool + Sync),
    work: &Work<'_, T, E>,
) -> Result<usize, E> {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    // A shared counter hands out the items, so that a free thread takes the next one at once.
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let all_end = || ends() || failed.load(Ordering::Relaxed);
    let all_of_one = || -> Result<usize, E> {
        let mut count = 0;
        while let Some(item) = items
            .get(next.fetch_add(1, Ordering::Relaxed))
            .filter(|_| !all_end())
        {
            if !work(item, &all_end)? {
                break;
            }
            count += 1;
        }
        Ok(count)
    };
    let worker = || {
        let result = alone(all_of_one).map_err(E::from).flatten();
        failed.fetch_or(result.is_err(), Ordering::Relaxed);
        result
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.min(items.len()))
            .map(|_| scope.spawn(worker))
            .collect();
        let ended = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|p| std::panic::resume_unwind(p))
        });
        ended.collect::<Vec<_>>().into_iter().sum()
    })
}

fn enter_by_reference(run: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| run());
}

/// Runs both closures and returns both results; in parallel if a worker thread is free.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    join_halves(|_| a(), |_| b())
}

/// Runs both closures and returns both results; the argument of each closure is true if a thread
/// other than the caller's has stolen that closure.
fn join_halves<A: Send, B: Send>(
    a: impl FnOnce(bool) -> A + Send,
    b: impl FnOnce(bool) -> B + Send,
) -> (A, B) {
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut first, mut second) = (None, None);
    join_by_reference(
        &mut |moved| first = a.take().map(|a| a(moved)),
        &mut |moved| second = b.take().map(|b| b(moved)),
    );
    first.zip(second).expect("both ran")
}

fn join_by_reference(a: &mut (dyn FnMut(bool) + Send), b: &mut (dyn FnMut(bool) + Send)) {
    rayon::join_context(
        |context| a(context.migrated()),
        |context| b(context.migrated()),
    );
}

/// Operation of a parallel loop: `fold` folds consecutive items into a partial result, `join`
/// merges two partial results, of which `first` belongs to the earlier items.
pub trait Fold<T>: Sync {
    type Out: Send;

    fn fold(&self, items: impl Iterator<Item = T>) -> Self::Out;
    fn join(&self, first: Self::Out, second: Self::Out) -> Self::Out;
}

/// Policy that decides when a part of a parallel loop is split further.
#[derive(Clone, Copy)]
struct Cuts {
    /// Budget of further splits while no thread steals; halved with each split.
    left: usize,
    /// Minimum number of items in a part.
    least: usize,
}

impl Cuts {
    /// Returns true if a part of the loop with `items` items should be split again: at first until
    /// there is a part for each thread, later whenever another thread took the part over (`moved`).
    fn again(&mut self, items: usize, moved: bool) -> bool {
        if items / 2 < self.least.max(1) {
            return false;
        }
        let more = moved || self.left > 0;
        self.left = if moved {
            current_num_threads().max(self.left / 2)
        } else {
            self.left / 2
        };
        more
    }
}

fn halves<P: Splittable, F: Fold<P::Item>>(
    part: P,
    mut cuts: Cuts,
    moved: bool,
    fold: &F,
) -> F::Out {
    let items = part.len();
    if !cuts.again(items, moved) {
        return fold.fold(part.items());
    }
    let (first, second) = part.cut(items / 2);
    let (first, second) = join_halves(
        |moved| halves(first, cuts, moved, fold),
        |moved| halves(second, cuts, moved, fold),
    );
    fold.join(first, second)
}

fn adapted<B: ParallelIterator, M: Adapter<B::Item>>(base: B, adapter: M) -> Adapted<B, M> {
    Adapted { base, adapter }
}

/// Parallel iterator with the method names of rayon.
pub trait ParallelIterator: Sized {
    type Item;

    /// Runs the parallel loop and returns the merged result of `fold` over all items.
    fn drive<F: Fold<Self::Item>>(self, fold: &F) -> F::Out;

    fn map<T, F: Fn(Self::Item) -> T + Sync>(self, f: F) -> Adapted<Self, Map<F>> {
        adapted(self, Map(f))
    }

    fn filter<F: Fn(&Self::Item) -> bool + Sync>(self, f: F) -> Adapted<Self, Filter<F>> {
        adapted(self, Filter(f))
    }

    fn flat_map_iter<J: IntoIterator, F: Fn(Self::Item) -> J + Sync>(
        self,
        f: F,
    ) -> Adapted<Self, FlatMapIter<F>> {
        adapted(self, FlatMapIter(f))
    }

    /// Folds each part of the loop into one accumulator, created by `identity`; the result iterates
    /// over the accumulators.
    fn fold<S, I: Fn() -> S + Sync, F: Fn(S, Self::Item) -> S + Sync>(
        self,
        identity: I,
        f: F,
    ) -> Adapted<Self, Folded<I, F>> {
        adapted(self, Folded(identity, f))
    }

    /// Maps each item as [`map`](Self::map) does, with mutable scratch data that `init` creates
    /// once per part.
    fn map_init<S, T, I: Fn() -> S + Sync, F: Fn(&mut S, Self::Item) -> T + Sync>(
        self,
        init: I,
        f: F,
    ) -> Adapted<Self, MapInit<I, F>> {
        adapted(self, MapInit(init, f))
    }

    fn for_each(self, f: impl Fn(Self::Item) + Sync) {
        self.drive(&ForEach(f));
    }

    fn for_each_init<S>(self, init: impl Fn() -> S + Sync, f: impl Fn(&mut S, Self::Item) + Sync) {
        self.map_init(init, f).for_each(|()| ());
    }

    /// Calls `f` on each item; a part stops at its first error. Returns the error of the earliest
    /// part that fails.
    fn try_for_each<E: Send>(
        self,
        f: impl Fn(Self::Item) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.drive(&TryForEach(f))
    }

    fn reduce(
        self,
        identity: impl Fn() -> Self::Item + Sync,
        f: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self::Item: Send,
    {
        self.drive(&Reduce { identity, f })
    }

    fn sum<S: Sum<Self::Item> + Sum<S> + Send>(self) -> S {
        self.drive(&Add(PhantomData))
    }

    fn collect<C: Gather<Self::Item>>(self) -> C {
        self.drive(&Collect(PhantomData))
    }
}

impl<P: Splittable> ParallelIterator for Loop<P> {
    type Item = P::Item;

    fn drive<F: Fold<P::Item>>(self, fold: &F) -> F::Out {
        let threads = current_num_threads();
        let left = if threads > 1 { threads } else { 0 };
        halves(
            self.part,
            Cuts {
                left,
                least: self.least,
            },
            false,
            fold,
        )
    }
}

/// Runs `work` in a new pool of `count` threads, whose names begin with `name`. A pool shared with
/// other work would make both wait for each other's queued parts.
pub fn on_own_threads<T: Send>(
    (name, count): (&'static str, usize),
    work: impl FnOnce() -> T + Send,
) -> T {
    match rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(move |k| format!("{name} {k}"))
        .build()
    {
        Ok(pool) => pool.install(work),
        // The operating system gives no more threads.
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the closure `run` on thread pools of several sizes.
    fn on_pools(run: impl Fn() + Send + Sync) {
        run();
        for threads in [1, 2, 5] {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads")
                .install(&run);
        }
    }

    #[test]
    fn loops_give_what_iterators_give() {
        on_pools(|| {
            let numbers: Vec<u32> = (0..1000).collect();
            let mut halves = vec![0; 1000];
            halves
                .par_chunks_mut(7)
                .zip(numbers.par_chunks(7))
                .enumerate()
                .for_each(|(i, (to, from))| {
                    to.iter_mut()
                        .zip(from)
                        .for_each(|(to, from)| *to = from / 2 + i as u32);
                });
            assert!(
                halves
                    .iter()
                    .enumerate()
                    .all(|(i, half)| *half == (i / 2 + i / 7) as u32)
            );
            let scratch = |buffer: &mut Vec<u32>, n: &u32| {
                buffer.push(*n);
                n % 10
            };
            assert_eq!(
                numbers.par_iter().map_init(Vec::new, scratch).sum::<u32>(),
                4500
            );
            let largest = (0..numbers.len())
                .into_par_iter()
                .map(|i| numbers[i])
                .reduce(|| 0, u32::max);
            assert_eq!(largest, 999);
            let wrong = numbers
                .par_iter()
                .try_for_each(|&n| if n % 400 == 399 { Err(n) } else { Ok(()) });
            assert_eq!(wrong, Err(399), "the first of both");
            let doubled: Vec<u32> = numbers.par_iter().with_min_len(10).map(|n| 2 * n).collect();
            assert!(doubled.iter().zip(&numbers).all(|(a, b)| *a == 2 * b));
            let none: Option<Vec<u32>> = numbers
                .par_iter()
                .map(|&n| (n < 999).then_some(n))
                .collect();
            assert_eq!(none, None);
            assert_eq!(join(|| 1, || 2), (1, 2));
            assert_eq!(enter(|| 3), 3);
        });
    }

    #[test]
    fn parts_are_cut_at_items_and_skipped_ones_stay_out() {
        on_pools(|| {
            let mut bytes = [0_u8; 103];
            bytes
                .par_chunks_mut(10)
                .skip(2)
                .enumerate()
                .for_each(|(i, chunk)| chunk.fill(i as u8 + 1));
            assert!(
                bytes[..20].iter().all(|&b| b == 0)
                    && bytes[20..30].iter().all(|&b| b == 1)
                    && bytes[102] == 9
            );
            let mut other = vec![1_u64; 5];
            let made: Vec<u64> = vec![3, 4, 5, 6, 7, 8];
            other
                .par_iter_mut()
                .zip(made)
                .for_each(|(to, from)| *to += from);
            assert_eq!(other, [4, 5, 6, 7, 8], "the shorter of both ends it");
            let none: u32 = Vec::<u32>::new().into_par_iter().sum();
            assert_eq!(none, 0);
        });
    }

    #[test]
    fn every_thread_works_and_a_panic_comes_through() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("threads");
        let seen = std::sync::Mutex::new(std::collections::HashSet::new());
        let item = |_: usize| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            seen.lock()
                .expect("no panic")
                .insert(rayon::current_thread_index());
        };
        pool.install(|| (0..30).into_par_iter().for_each(item));
        assert_eq!(seen.lock().expect("no panic").len(), 3);
        let panics = || {
            (0..30)
                .into_par_iter()
                .for_each(|i| assert!(i != 17, "seventeen"))
        };
        let caught =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.install(panics)));
        assert!(caught.is_err());
    }
}
