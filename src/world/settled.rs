//! Under what a layer came to rest.

/// All numbers on which a rule depends, for comparison only.
pub(crate) type RuleNumbers = [u32; 8];

/// A rule that keeps a set of tiles to visit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// The rule along columns.
    Column,
    /// The rule across.
    Across,
}

/// Under what the sleeping tiles came to rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settled {
    /// The ground, by [`Ground::stamp`].
    pub(super) ground: Option<u64>,
    /// The numbers of each [`Reader`].
    pub(super) rules: [Option<RuleNumbers>; 2],
}
