//! States under which a layer came to rest.

/// All numbers on which a rule depends, for comparison only.
pub(crate) type RuleNumbers = [u32; 8];

/// Rule that keeps a set of tiles to visit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// Rule along columns.
    Column,
    /// Rule across.
    Across,
}

/// State under which the sleeping tiles came to rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settled {
    /// Stamp of the ground, by [`crate::world::Ground::stamp`].
    pub(super) ground: Option<u64>,
    /// Numbers of each [`Reader`].
    pub(super) rules: [Option<RuleNumbers>; 2],
}

/// State under which a rule that does not keep tiles to visit (tracing, drifting, floating) came to
/// rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traced {
    pub(crate) rule: RuleNumbers,
    /// Stamp of the ground, by [`Ground::stamp`](super::Ground::stamp).
    pub(crate) ground: u64,
    /// Versions of the layers that the rule reads, by [`Layer::version`](super::Layer::version).
    pub(crate) layers: Vec<LayerVersion>,
}

/// Version of one layer's state; every change makes a new one.
pub(crate) type LayerVersion = [u64; 2];
