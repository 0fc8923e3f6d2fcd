//! Inputs of the rules at the time when a layer came to rest; as long as they are unchanged, the
//! rules can skip the layer.

/// Parameters of a rule as raw bits, compared only for equality.
pub(crate) type RuleNumbers = [u32; 8];

/// Kind of rule that processes marked tiles only.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// Vertical rule: matter falls and rises in columns of cells.
    Column,
    /// Horizontal rule: matter spreads to neighbouring columns.
    Across,
}

/// Version of the ground and rule parameters for which all tiles of a layer without a mark were
/// last found at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settled {
    /// Version of the ground, as returned by [`crate::world::Ground::stamp`]; `None` if unknown.
    pub(super) ground: Option<u64>,
    /// Parameters of the rule of each [`Reader`] kind, by its index; `None` before the first
    /// application of the rule.
    pub(super) rules: [Option<RuleNumbers>; 2],
}

/// Inputs of the last application of a rule without records per tile (tracing, drift, floating);
/// stored if no matter moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traced {
    pub(crate) rule: RuleNumbers,
    /// Version of the ground, as returned by [`Ground::stamp`](super::Ground::stamp).
    pub(crate) ground: u64,
    /// Versions of the layers that the rule reads, as returned by
    /// [`Layer::version`](super::Layer::version).
    pub(crate) layers: Vec<LayerVersion>,
}

/// Version of a layer's contents, unique for every change: identity of the layer's change clock,
/// and number of changes.
pub(crate) type LayerVersion = [u64; 2];
