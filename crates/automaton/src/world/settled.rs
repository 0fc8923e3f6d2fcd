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
    /// The ground, by [`crate::world::Ground::stamp`].
    pub(super) ground: Option<u64>,
    /// The numbers of each [`Reader`].
    pub(super) rules: [Option<RuleNumbers>; 2],
}

/// Under what a rule that does not keep tiles to visit (tracing, drifting, floating) came to rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traced {
    pub(crate) rule: RuleNumbers,
    /// By [`Ground::stamp`](super::Ground::stamp).
    pub(crate) ground: u64,
    /// The layers that it reads, by [`Layer::version`](super::Layer::version).
    pub(crate) layers: Vec<LayerVersion>,
}

/// A state of one layer: another one after every change.
pub(crate) type LayerVersion = [u64; 2];
