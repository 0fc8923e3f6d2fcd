//! Sources of items for parallel loops (ranges, slices, vectors), and their splitting.

use std::iter::Zip;
use std::ops::{Range, RangeInclusive};

/// Sequence of items of known length that can be split in two.
pub trait Splittable: Sized + Send {
    type Item;
    type Items: Iterator<Item = Self::Item>;

    fn len(&self) -> usize;
    /// Splits the sequence in two: the first `at` items, and the remaining items.
    fn cut(self, at: usize) -> (Self, Self);
    fn items(self) -> Self::Items;
}

/// Parallel loop over the items of `part`; splitting keeps at least `least` items in each half.
pub struct Loop<P> {
    pub(super) part: P,
    pub(super) least: usize,
}

impl<P: Splittable> Loop<P> {
    fn over(part: P) -> Self {
        Self { part, least: 1 }
    }

    pub fn enumerate(self) -> Loop<Numbered<P>> {
        Loop {
            part: Numbered {
                part: self.part,
                first: 0,
            },
            least: self.least,
        }
    }

    /// Pairs the items of two parallel loops in order; ends with the shorter loop.
    pub fn zip<J: IntoParallelIterator>(self, other: J) -> Loop<Pairs<P, J::Part>> {
        let other = other.into_par_iter();
        Loop {
            part: Pairs {
                a: self.part,
                b: other.part,
            },
            least: self.least.max(other.least),
        }
    }

    pub fn skip(self, count: usize) -> Self {
        let count = count.min(self.part.len());
        Self {
            part: self.part.cut(count).1,
            ..self
        }
    }

    /// Raises the minimum number of items per part to `least`: a part with fewer than `2 · least`
    /// items is not split.
    pub fn with_min_len(self, least: usize) -> Self {
        Self {
            least: self.least.max(least),
            ..self
        }
    }
}

/// Conversion of a collection or range into a parallel loop over its items.
pub trait IntoParallelIterator {
    type Part: Splittable;

    fn into_par_iter(self) -> Loop<Self::Part>;
}

impl<P: Splittable> IntoParallelIterator for Loop<P> {
    type Part = P;

    fn into_par_iter(self) -> Self {
        self
    }
}

impl<P: Splittable> IntoParallelIterator for P {
    type Part = P;

    fn into_par_iter(self) -> Loop<P> {
        Loop::over(self)
    }
}

impl IntoParallelIterator for RangeInclusive<usize> {
    type Part = Range<usize>;

    fn into_par_iter(self) -> Loop<Range<usize>> {
        Loop::over(*self.start()..self.end() + 1)
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a Vec<T> {
    type Part = &'a [T];

    fn into_par_iter(self) -> Loop<&'a [T]> {
        Loop::over(self)
    }
}

impl<'a, T: Send> IntoParallelIterator for &'a mut Vec<T> {
    type Part = &'a mut [T];

    fn into_par_iter(self) -> Loop<&'a mut [T]> {
        Loop::over(self)
    }
}

impl Splittable for Range<usize> {
    type Item = usize;
    type Items = Self;

    fn len(&self) -> usize {
        ExactSizeIterator::len(self)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        (self.start..self.start + at, self.start + at..self.end)
    }

    fn items(self) -> Self {
        self
    }
}

impl<T: Send> Splittable for Vec<T> {
    type Item = T;
    type Items = std::vec::IntoIter<T>;

    fn len(&self) -> usize {
        self.len()
    }

    fn cut(mut self, at: usize) -> (Self, Self) {
        let rest = self.split_off(at);
        (self, rest)
    }

    fn items(self) -> Self::Items {
        self.into_iter()
    }
}

impl<'a, T: Sync> Splittable for &'a [T] {
    type Item = &'a T;
    type Items = std::slice::Iter<'a, T>;

    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }

    fn items(self) -> Self::Items {
        self.iter()
    }
}

impl<'a, T: Send> Splittable for &'a mut [T] {
    type Item = &'a mut T;
    type Items = std::slice::IterMut<'a, T>;

    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }

    fn items(self) -> Self::Items {
        self.iter_mut()
    }
}

/// Chunks of equal length of a slice; the last chunk may be shorter.
pub struct Chunks<S> {
    slice: S,
    size: usize,
}

impl<'a, T: Sync> Splittable for Chunks<&'a [T]> {
    type Item = &'a [T];
    type Items = std::slice::Chunks<'a, T>;

    fn len(&self) -> usize {
        self.slice.len().div_ceil(self.size)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let size = self.size;
        let (first, rest) = self.slice.split_at((at * size).min(self.slice.len()));
        (Self { slice: first, size }, Self { slice: rest, size })
    }

    fn items(self) -> Self::Items {
        self.slice.chunks(self.size)
    }
}

impl<'a, T: Send> Splittable for Chunks<&'a mut [T]> {
    type Item = &'a mut [T];
    type Items = std::slice::ChunksMut<'a, T>;

    fn len(&self) -> usize {
        self.slice.len().div_ceil(self.size)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let size = self.size;
        let at = (at * size).min(self.slice.len());
        let (first, rest) = self.slice.split_at_mut(at);
        (Self { slice: first, size }, Self { slice: rest, size })
    }

    fn items(self) -> Self::Items {
        self.slice.chunks_mut(self.size)
    }
}

/// Items of a sequence with their indices in the whole sequence; made by [`Loop::enumerate`].
pub struct Numbered<P> {
    part: P,
    first: usize,
}

impl<P: Splittable> Splittable for Numbered<P> {
    type Item = (usize, P::Item);
    type Items = Zip<std::ops::RangeFrom<usize>, P::Items>;

    fn len(&self) -> usize {
        self.part.len()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let (first, rest) = self.part.cut(at);
        (
            Self {
                part: first,
                first: self.first,
            },
            Self {
                part: rest,
                first: self.first + at,
            },
        )
    }

    fn items(self) -> Self::Items {
        (self.first..).zip(self.part.items())
    }
}

/// Pairs of the items of two sequences; made by [`Loop::zip`].
pub struct Pairs<A, B> {
    a: A,
    b: B,
}

impl<A: Splittable, B: Splittable> Splittable for Pairs<A, B> {
    type Item = (A::Item, B::Item);
    type Items = Zip<A::Items, B::Items>;

    fn len(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.a.cut(at), self.b.cut(at));
        (Self { a, b }, Self { a: c, b: d })
    }

    fn items(self) -> Self::Items {
        self.a.items().zip(self.b.items())
    }
}

/// Parallel loops over slices, with the method names of rayon.
pub trait ParallelSlice<T>: AsRef<[T]> + AsMut<[T]> {
    fn par_iter(&self) -> Loop<&[T]>
    where
        T: Sync,
    {
        Loop::over(self.as_ref())
    }

    fn par_iter_mut(&mut self) -> Loop<&mut [T]>
    where
        T: Send,
    {
        Loop::over(self.as_mut())
    }

    fn par_chunks(&self, size: usize) -> Loop<Chunks<&[T]>>
    where
        T: Sync,
    {
        let slice = self.as_ref();
        Loop::over(Chunks { slice, size })
    }

    fn par_chunks_mut(&mut self, size: usize) -> Loop<Chunks<&mut [T]>>
    where
        T: Send,
    {
        let slice = self.as_mut();
        Loop::over(Chunks { slice, size })
    }
}

impl<T> ParallelSlice<T> for [T] {}
