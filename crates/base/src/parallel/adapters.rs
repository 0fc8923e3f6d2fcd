//! Parallel iterators that wrap other parallel iterators: each part runs a sequential adapter of
//! the standard library.

use super::{Fold, ParallelIterator};

/// Sequential adapter (such as `map`) that every part of a parallel loop applies to its items.
pub trait Adapter<A>: Sync {
    /// Type of the items that the adapted iterator yields.
    type Item;

    fn adapt(&self, items: impl Iterator<Item = A>) -> impl Iterator<Item = Self::Item>;
}

/// Parallel iterator over the items of `base`, changed by `adapter` in each part.
pub struct Adapted<B, M> {
    pub(super) base: B,
    pub(super) adapter: M,
}

struct AdaptedFold<'a, M, G> {
    adapter: &'a M,
    fold: &'a G,
}

impl<B: ParallelIterator, M: Adapter<B::Item>> ParallelIterator for Adapted<B, M> {
    type Item = M::Item;

    fn drive<G: Fold<M::Item>>(self, fold: &G) -> G::Out {
        self.base.drive(&AdaptedFold {
            adapter: &self.adapter,
            fold,
        })
    }
}

impl<A, M: Adapter<A>, G: Fold<M::Item>> Fold<A> for AdaptedFold<'_, M, G> {
    type Out = G::Out;

    fn fold(&self, items: impl Iterator<Item = A>) -> G::Out {
        self.fold.fold(self.adapter.adapt(items))
    }

    fn join(&self, first: G::Out, second: G::Out) -> G::Out {
        self.fold.join(first, second)
    }
}

/// Adapter of [`ParallelIterator::map`].
pub struct Map<F>(pub(super) F);

impl<A, T, F: Fn(A) -> T + Sync> Adapter<A> for Map<F> {
    type Item = T;

    fn adapt(&self, items: impl Iterator<Item = A>) -> impl Iterator<Item = T> {
        items.map(&self.0)
    }
}

/// Adapter of [`ParallelIterator::map_init`].
pub struct MapInit<I, F>(pub(super) I, pub(super) F);

impl<A, S, T, I: Fn() -> S + Sync, F: Fn(&mut S, A) -> T + Sync> Adapter<A> for MapInit<I, F> {
    type Item = T;

    fn adapt(&self, items: impl Iterator<Item = A>) -> impl Iterator<Item = T> {
        let mut state = (self.0)();
        items.map(move |item| (self.1)(&mut state, item))
    }
}

/// Adapter of [`ParallelIterator::filter`].
pub struct Filter<F>(pub(super) F);

impl<A, F: Fn(&A) -> bool + Sync> Adapter<A> for Filter<F> {
    type Item = A;

    fn adapt(&self, items: impl Iterator<Item = A>) -> impl Iterator<Item = A> {
        items.filter(&self.0)
    }
}

/// Adapter of [`ParallelIterator::flat_map_iter`].
pub struct FlatMapIter<F>(pub(super) F);

impl<A, J: IntoIterator, F: Fn(A) -> J + Sync> Adapter<A> for FlatMapIter<F> {
    type Item = J::Item;

    fn adapt(&self, items: impl Iterator<Item = A>) -> impl Iterator<Item = J::Item> {
        items.flat_map(&self.0)
    }
}

/// Adapter of [`ParallelIterator::fold`].
pub struct Folded<I, F>(pub(super) I, pub(super) F);

impl<A, S, I: Fn() -> S + Sync, F: Fn(S, A) -> S + Sync> Adapter<A> for Folded<I, F> {
    type Item = S;

    fn adapt(&self, items: impl Iterator<Item = A>) -> impl Iterator<Item = S> {
        std::iter::once(items.fold((self.0)(), &self.1))
    }
}
