//! Fold operations of parallel loops: the work on the items of a part, and the merge of two partial
//! results.

use std::iter::Sum;
use std::marker::PhantomData;

use super::Fold;

pub(super) struct ForEach<F>(pub(super) F);

impl<T, F: Fn(T) + Sync> Fold<T> for ForEach<F> {
    type Out = ();

    fn fold(&self, items: impl Iterator<Item = T>) {
        items.for_each(&self.0);
    }

    fn join(&self, (): (), (): ()) {}
}

pub(super) struct TryForEach<F>(pub(super) F);

impl<T, E: Send, F: Fn(T) -> Result<(), E> + Sync> Fold<T> for TryForEach<F> {
    type Out = Result<(), E>;

    fn fold(&self, mut items: impl Iterator<Item = T>) -> Result<(), E> {
        items.try_for_each(&self.0)
    }

    fn join(&self, first: Result<(), E>, second: Result<(), E>) -> Result<(), E> {
        first.and(second)
    }
}

pub(super) struct Reduce<I, F> {
    pub(super) identity: I,
    pub(super) f: F,
}

impl<T: Send, I: Fn() -> T + Sync, F: Fn(T, T) -> T + Sync> Fold<T> for Reduce<I, F> {
    type Out = T;

    fn fold(&self, items: impl Iterator<Item = T>) -> T {
        items.fold((self.identity)(), &self.f)
    }

    fn join(&self, first: T, second: T) -> T {
        (self.f)(first, second)
    }
}

/// Fold that sums the items; the type parameter is the type of the sum.
pub(super) struct Add<S>(pub(super) PhantomData<fn() -> S>);

impl<T, S: Sum<T> + Sum<S> + Send> Fold<T> for Add<S> {
    type Out = S;

    fn fold(&self, items: impl Iterator<Item = T>) -> S {
        items.sum()
    }

    fn join(&self, first: S, second: S) -> S {
        [first, second].into_iter().sum()
    }
}

/// Collection that a parallel loop builds in parts and concatenates in the order of the items.
pub trait Gather<T>: FromIterator<T> + Send {
    fn gather(first: Self, second: Self) -> Self;
}

impl<T: Send> Gather<T> for Vec<T> {
    fn gather(mut first: Self, mut second: Self) -> Self {
        first.append(&mut second);
        first
    }
}

impl<T, C: Gather<T>> Gather<Option<T>> for Option<C> {
    fn gather(first: Self, second: Self) -> Self {
        Some(C::gather(first?, second?))
    }
}

impl<T, E: Send, C: Gather<T>> Gather<Result<T, E>> for Result<C, E> {
    fn gather(first: Self, second: Self) -> Self {
        Ok(C::gather(first?, second?))
    }
}

pub(super) struct Collect<C>(pub(super) PhantomData<fn() -> C>);

impl<T, C: Gather<T>> Fold<T> for Collect<C> {
    type Out = C;

    fn fold(&self, items: impl Iterator<Item = T>) -> C {
        items.collect()
    }

    fn join(&self, first: C, second: C) -> C {
        C::gather(first, second)
    }
}
