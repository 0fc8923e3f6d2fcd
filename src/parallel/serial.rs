//! Rayon's names for loops on the calling thread.

/// Threads that run at once.
pub(crate) fn current_num_threads() -> usize {
    1
}

/// Runs at once.
pub(crate) fn enter<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// Runs both, one after the other.
pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// An iterator with rayon's methods. A type of its own, because some methods of the same name take other arguments in
/// [`Iterator`].
pub(crate) struct Serial<I>(I);

impl<I: Iterator> IntoIterator for Serial<I> {
    type Item = I::Item;
    type IntoIter = I;

    fn into_iter(self) -> I {
        self.0
    }
}

impl<I: Iterator> Serial<I> {
    pub(crate) fn enumerate(self) -> Serial<std::iter::Enumerate<I>> {
        Serial(self.0.enumerate())
    }

    pub(crate) fn zip<J: IntoIterator>(self, other: J) -> Serial<std::iter::Zip<I, J::IntoIter>> {
        Serial(self.0.zip(other))
    }

    pub(crate) fn map<T>(self, f: impl FnMut(I::Item) -> T) -> Serial<impl Iterator<Item = T>> {
        Serial(self.0.map(f))
    }

    pub(crate) fn map_init<S, T>(
        self,
        init: impl Fn() -> S,
        mut f: impl FnMut(&mut S, I::Item) -> T,
    ) -> Serial<impl Iterator<Item = T>> {
        let mut state = init();
        Serial(self.0.map(move |item| f(&mut state, item)))
    }

    pub(crate) fn for_each(self, f: impl FnMut(I::Item)) {
        self.0.for_each(f);
    }

    pub(crate) fn for_each_init<S>(self, init: impl Fn() -> S, mut f: impl FnMut(&mut S, I::Item)) {
        let mut state = init();
        self.0.for_each(|item| f(&mut state, item));
    }

    pub(crate) fn try_for_each<E>(mut self, f: impl FnMut(I::Item) -> Result<(), E>) -> Result<(), E> {
        self.0.try_for_each(f)
    }

    pub(crate) fn reduce(self, identity: impl Fn() -> I::Item, f: impl FnMut(I::Item, I::Item) -> I::Item) -> I::Item {
        self.0.fold(identity(), f)
    }

    pub(crate) fn sum<S: std::iter::Sum<I::Item>>(self) -> S {
        self.0.sum()
    }

    pub(crate) fn collect<C: FromIterator<I::Item>>(self) -> C {
        self.0.collect()
    }

    /// Pieces for threads have no meaning here.
    pub(crate) fn with_min_len(self, _: usize) -> Self {
        self
    }
}

/// Loops that only pictures and files need.
#[cfg(any(feature = "render", feature = "files"))]
impl<I: Iterator> Serial<I> {
    pub(crate) fn filter(self, f: impl FnMut(&I::Item) -> bool) -> Serial<impl Iterator<Item = I::Item>> {
        Serial(self.0.filter(f))
    }

    pub(crate) fn skip(self, count: usize) -> Serial<impl Iterator<Item = I::Item>> {
        Serial(self.0.skip(count))
    }

    pub(crate) fn flat_map_iter<J: IntoIterator>(
        self,
        f: impl FnMut(I::Item) -> J,
    ) -> Serial<impl Iterator<Item = J::Item>> {
        Serial(self.0.flat_map(f))
    }

    /// One sum for all items; rayon makes one for each piece.
    pub(crate) fn fold<S>(
        self,
        identity: impl Fn() -> S,
        f: impl FnMut(S, I::Item) -> S,
    ) -> Serial<impl Iterator<Item = S>> {
        Serial(std::iter::once(self.0.fold(identity(), f)))
    }
}

pub(crate) trait IntoParallelIterator: IntoIterator + Sized {
    fn into_par_iter(self) -> Serial<Self::IntoIter> {
        Serial(self.into_iter())
    }
}

impl<T: IntoIterator> IntoParallelIterator for T {}

pub(crate) trait ParallelSlice<T> {
    fn par_iter(&self) -> Serial<std::slice::Iter<'_, T>>;
    fn par_iter_mut(&mut self) -> Serial<std::slice::IterMut<'_, T>>;
    fn par_chunks(&self, size: usize) -> Serial<std::slice::Chunks<'_, T>>;
    fn par_chunks_mut(&mut self, size: usize) -> Serial<std::slice::ChunksMut<'_, T>>;
}

impl<T> ParallelSlice<T> for [T] {
    fn par_iter(&self) -> Serial<std::slice::Iter<'_, T>> {
        Serial(self.iter())
    }

    fn par_iter_mut(&mut self) -> Serial<std::slice::IterMut<'_, T>> {
        Serial(self.iter_mut())
    }

    fn par_chunks(&self, size: usize) -> Serial<std::slice::Chunks<'_, T>> {
        Serial(self.chunks(size))
    }

    fn par_chunks_mut(&mut self, size: usize) -> Serial<std::slice::ChunksMut<'_, T>> {
        Serial(self.chunks_mut(size))
    }
}
