//! Parallel iterators that wrap other parallel iterators.

use super::{Fold, ParallelIterator};

/// See [`ParallelIterator::map`].
pub struct Map<B, F> {
    pub(super) base: B,
    pub(super) f: F,
}

struct MapFold<'a, F, G> {
    f: &'a F,
    fold: &'a G,
}

impl<B: ParallelIterator, T, F: Fn(B::Item) -> T + Sync> ParallelIterator for Map<B, F> {
    type Item = T;

    fn drive<G: Fold<T>>(self, fold: &G) -> G::Out {
        self.base.drive(&MapFold { f: &self.f, fold })
    }
}

impl<A, T, F: Fn(A) -> T + Sync, G: Fold<T>> Fold<A> for MapFold<'_, F, G> {
    type Out = G::Out;

    fn fold(&self, items: impl Iterator<Item = A>) -> G::Out {
        self.fold.fold(items.map(self.f))
    }

    fn join(&self, first: G::Out, second: G::Out) -> G::Out {
        self.fold.join(first, second)
    }
}

/// See [`ParallelIterator::map_init`].
pub struct MapInit<B, I, F> {
    pub(super) base: B,
    pub(super) init: I,
    pub(super) f: F,
}

struct MapInitFold<'a, I, F, G> {
    init: &'a I,
    f: &'a F,
    fold: &'a G,
}

impl<B: ParallelIterator, S, T, I: Fn() -> S + Sync, F: Fn(&mut S, B::Item) -> T + Sync>
    ParallelIterator for MapInit<B, I, F>
{
    type Item = T;

    fn drive<G: Fold<T>>(self, fold: &G) -> G::Out {
        self.base.drive(&MapInitFold {
            init: &self.init,
            f: &self.f,
            fold,
        })
    }
}

impl<A, S, T, I: Fn() -> S + Sync, F: Fn(&mut S, A) -> T + Sync, G: Fold<T>> Fold<A>
    for MapInitFold<'_, I, F, G>
{
    type Out = G::Out;

    fn fold(&self, items: impl Iterator<Item = A>) -> G::Out {
        let mut state = (self.init)();
        self.fold.fold(items.map(|item| (self.f)(&mut state, item)))
    }

    fn join(&self, first: G::Out, second: G::Out) -> G::Out {
        self.fold.join(first, second)
    }
}

/// See [`ParallelIterator::filter`].
pub struct Filter<B, F> {
    pub(super) base: B,
    pub(super) f: F,
}

struct FilterFold<'a, F, G> {
    f: &'a F,
    fold: &'a G,
}

impl<B: ParallelIterator, F: Fn(&B::Item) -> bool + Sync> ParallelIterator for Filter<B, F> {
    type Item = B::Item;

    fn drive<G: Fold<B::Item>>(self, fold: &G) -> G::Out {
        self.base.drive(&FilterFold { f: &self.f, fold })
    }
}

impl<A, F: Fn(&A) -> bool + Sync, G: Fold<A>> Fold<A> for FilterFold<'_, F, G> {
    type Out = G::Out;

    fn fold(&self, items: impl Iterator<Item = A>) -> G::Out {
        self.fold.fold(items.filter(self.f))
    }

    fn join(&self, first: G::Out, second: G::Out) -> G::Out {
        self.fold.join(first, second)
    }
}

/// See [`ParallelIterator::flat_map_iter`].
pub struct FlatMapIter<B, F> {
    pub(super) base: B,
    pub(super) f: F,
}

struct FlatMapFold<'a, F, G> {
    f: &'a F,
    fold: &'a G,
}

impl<B: ParallelIterator, J: IntoIterator, F: Fn(B::Item) -> J + Sync> ParallelIterator
    for FlatMapIter<B, F>
{
    type Item = J::Item;

    fn drive<G: Fold<J::Item>>(self, fold: &G) -> G::Out {
        self.base.drive(&FlatMapFold { f: &self.f, fold })
    }
}

impl<A, J: IntoIterator, F: Fn(A) -> J + Sync, G: Fold<J::Item>> Fold<A> for FlatMapFold<'_, F, G> {
    type Out = G::Out;

    fn fold(&self, items: impl Iterator<Item = A>) -> G::Out {
        self.fold.fold(items.flat_map(self.f))
    }

    fn join(&self, first: G::Out, second: G::Out) -> G::Out {
        self.fold.join(first, second)
    }
}

/// See [`ParallelIterator::fold`].
pub struct Folded<B, I, F> {
    pub(super) base: B,
    pub(super) identity: I,
    pub(super) f: F,
}

struct FoldedFold<'a, I, F, G> {
    identity: &'a I,
    f: &'a F,
    fold: &'a G,
}

impl<B: ParallelIterator, S, I: Fn() -> S + Sync, F: Fn(S, B::Item) -> S + Sync> ParallelIterator
    for Folded<B, I, F>
{
    type Item = S;

    fn drive<G: Fold<S>>(self, fold: &G) -> G::Out {
        self.base.drive(&FoldedFold {
            identity: &self.identity,
            f: &self.f,
            fold,
        })
    }
}

impl<A, S, I: Fn() -> S + Sync, F: Fn(S, A) -> S + Sync, G: Fold<S>> Fold<A>
    for FoldedFold<'_, I, F, G>
{
    type Out = G::Out;

    fn fold(&self, items: impl Iterator<Item = A>) -> G::Out {
        self.fold
            .fold(std::iter::once(items.fold((self.identity)(), self.f)))
    }

    fn join(&self, first: G::Out, second: G::Out) -> G::Out {
        self.fold.join(first, second)
    }
}
