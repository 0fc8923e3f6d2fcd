//! Inputs of the rules at the time when a layer came to rest, kept to detect when the rules must
//! run again.

/// Parameters of a rule as raw bits, compared only for equality.
pub(crate) type RuleNumbers = [u32; 8];

/// Rule that records which tiles it must process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// Vertical rule: matter falls and rises in columns of cells.
    Column,
    /// Horizontal rule: matter spreads to neighbouring columns.
    Across,
}

/// Version of the ground and rule parameters under which the unmarked tiles stopped moving.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settled {
    /// Version of the ground, as returned by [`crate::world::Ground::stamp`]; `None` if unknown.
    pub(super) ground: Option<u64>,
    /// Parameters of each [`Reader`], by its index; `None` before its first run.
    pub(super) rules: [Option<RuleNumbers>; 2],
}

/// Inputs of the last run of a rule without records per tile (tracing, drift, floating), kept if
/// the run moved nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traced {
    pub(crate) rule: RuleNumbers,
    /// Version of the ground, as returned by [`Ground::stamp`](super::Ground::stamp).
    pub(crate) ground: u64,
    /// Versions of the layers that the rule reads, as returned by
    /// [`Layer::version`](super::Layer::version).
    pub(crate) layers: Vec<LayerVersion>,
}

/// Version of a layer's contents, unique for every change: stamp of the layer's clock, and number
/// of changes.
pub(crate) type LayerVersion = [u64; 2];
