//! Parallel loops; the only module that uses rayon.
//!
//! Loops use rayon's names and its work-stealing scheme: a loop is split into halves, which are
//! split again when another thread has stolen one. Only [`join`] uses threads. Each outermost loop
//! runs on one thread or on all, whichever was measured to be faster (`pass`). Results never
//! depend on the number of threads.
//!
//! **Why not rayon's own iterators:** rayon instantiates its queue, latches and panic handling for
//! every loop, which made up a sixth of the crate's code. Here this machinery is instantiated once
//! behind [`join`], whose halves are called by reference.

mod adapters;
mod folds;
mod parts;
mod pass;

use std::iter::Sum;
use std::marker::PhantomData;

use self::adapters::{Adapted, Adapter, Filter, FlatMapIter, Folded, Map, MapInit};
pub use self::folds::Gather;
use self::folds::{Add, Collect, ForEach, Reduce, TryForEach};
pub use self::parts::{IntoParallelIterator, ParallelSlice};
use self::parts::{Loop, Splittable};
use self::pass::Role;

/// Number of worker threads; 1 where the system starts none.
pub fn current_num_threads() -> usize {
    rayon::current_num_threads()
}

/// Runs a sequence of parallel loops, as a step is, on the calling thread or on a thread of the
/// pool while other workers wait awake for the loops, whichever was measured to be faster. `work`
/// is the amount of work, for example the number of columns; its power of two separates the
/// measured times. Inside another call, only runs `run`.
pub fn enter<R: Send, F: FnOnce() -> R + Send>(work: usize, run: F) -> R {
    if pass::role() != Role::Outside {
        return run();
    }
    let code = enter::<R, F> as *const () as usize;
    let (mut run, mut result) = (Some(run), None);
    pass::run(code, work, |shares| {
        let mut run = || result = run.take().map(|run| run());
        if shares {
            enter_pool(&mut run);
        } else {
            run();
        }
    });
    result.expect("the closure ran")
}

/// Work on one item. The second argument is a callback that returns true when the work should stop;
/// `Ok(true)` means that the item was completed.
pub type Work<'a, T, E> = dyn Fn(&T, &dyn Fn() -> bool) -> Result<bool, E> + Sync + 'a;

/// Processes `items` on `threads` dedicated threads, in list order as threads become free, until
/// all items are done, `ends` returns true, or an item fails; then all threads stop. A thread that
/// finds no further item takes parts of the loops of items that still run. Returns the number of
/// completed items.
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
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()
        .map_err(std::io::Error::other)?;
    // A broadcast gives each thread its own list of items first; no thread can take a whole item
    // while it waits for a part of another one.
    let counts = pool.broadcast(|_| {
        let result = all_of_one();
        failed.fetch_or(result.is_err(), Ordering::Relaxed);
        result
    });
    counts.into_iter().sum()
}

fn enter_pool(region: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| pass::with_workers_awake(region));
}

/// Runs both closures and returns both results, in parallel where a worker thread is free and the
/// pass is worth sharing.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    join_halves(|_| a(), |_| b())
}

/// Runs both closures; the argument of each is true if another thread has stolen it.
fn join_halves<A: Send, B: Send, F: FnOnce(bool) -> A + Send, G: FnOnce(bool) -> B + Send>(
    a: F,
    b: G,
) -> (A, B) {
    let shares = |shares| {
        if shares {
            join_shared(a, b)
        } else {
            (a(false), b(false))
        }
    };
    match pass::role() {
        Role::Outside | Role::Region => {
            pass::run(join_halves::<A, B, F, G> as *const () as usize, 1, shares)
        }
        role => shares(role == Role::Sharing),
    }
}

fn join_shared<A: Send, B: Send>(
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

/// Another thread that takes a half shares the pass, too; and while this thread waits for that
/// half, it may take a job of another pass.
fn join_by_reference(a: &mut (dyn FnMut(bool) + Send), b: &mut (dyn FnMut(bool) + Send)) {
    rayon::join_context(
        |context| pass::with_role(Role::Sharing, || a(context.migrated())),
        |context| pass::with_role(Role::Sharing, || b(context.migrated())),
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
        if items / 2 < self.least {
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
        let (items, least) = (self.part.len(), self.least.max(1));
        // A loop that is never cut is no pass; loops inside its items may be.
        if items / 2 < least {
            return fold.fold(self.part.items());
        }
        let parts = |shares| {
            let left = if shares { current_num_threads() } else { 0 };
            halves(self.part, Cuts { left, least }, false, fold)
        };
        match pass::role() {
            Role::Outside | Role::Region => {
                pass::run(halves::<P, F> as *const () as usize, items, parts)
            }
            role => parts(role == Role::Sharing),
        }
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
            assert_eq!(enter(5, || join(|| 3, || enter(5, || 4))), (3, 4));
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
    fn items_are_shared_out_and_an_error_ends_them() {
        let items: Vec<u64> = (0..40).collect();
        let sum = std::sync::atomic::AtomicU64::new(0);
        let add = |item: &u64, _: &dyn Fn() -> bool| {
            let part: u64 = (0..1000_usize)
                .into_par_iter()
                .map(|i| i as u64 * item)
                .sum();
            sum.fetch_add(part, std::sync::atomic::Ordering::Relaxed);
            Ok(true)
        };
        for threads in [1, 3] {
            let count: std::io::Result<usize> = share_out(&items, threads, &|| false, &add);
            assert_eq!(count.expect("no error"), 40);
        }
        assert_eq!(
            sum.load(std::sync::atomic::Ordering::Relaxed),
            2 * 780 * 499_500
        );
        let fails = |item: &u64, _: &dyn Fn() -> bool| match item {
            20 => Err(std::io::Error::other("twenty")),
            _ => Ok(true),
        };
        let failed = share_out(&items, 2, &|| false, &fails);
        assert_eq!(failed.expect_err("an item fails").to_string(), "twenty");
        let none: std::io::Result<usize> = share_out(&items, 2, &|| true, &add);
        assert_eq!(none.expect("no error"), 0);
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
