//! Input states under which a layer became inactive, kept to detect when it must run again.

/// Parameters of a rule as raw numbers, compared only for equality.
pub(crate) type RuleNumbers = [u32; 8];

/// Rule that tracks a set of tiles to visit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// Vertical rule, along columns.
    Column,
    /// Horizontal rule.
    Across,
}

/// Ground stamp and rule parameters under which the sleeping tiles became inactive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settled {
    /// Stamp of the ground, by [`crate::world::Ground::stamp`]; `None` if unknown.
    pub(super) ground: Option<u64>,
    /// Parameters of each [`Reader`]; `None` before its first run.
    pub(super) rules: [Option<RuleNumbers>; 2],
}

/// Input state under which a rule without per-tile tracking (tracing, drifting, floating) became
/// inactive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traced {
    pub(crate) rule: RuleNumbers,
    /// Stamp of the ground, by [`Ground::stamp`](super::Ground::stamp).
    pub(crate) ground: u64,
    /// Versions of the layers that the rule reads, by [`Layer::version`](super::Layer::version).
    pub(crate) layers: Vec<LayerVersion>,
}

/// Version of a layer's state: unique for every change.
pub(crate) type LayerVersion = [u64; 2];
