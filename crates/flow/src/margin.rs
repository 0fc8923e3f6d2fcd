//! Margins of a flow: the share of a column that its liquid covers.
//!
//! A margin lies somewhere within the outermost columns. What has come over their edge is no film over the whole column, which would
//! freeze at once and hold the flow back by a column's width, but a wedge as thick as the flow behind it lets it be. With the depth
//! `h` of the column on its average, and `H` that of its deepest neighbour, depth falls by `H − h` in a column's width, and a wedge
//! of that slope covers the share `√(2 h/(H − h))`. It counts for heat alone: liquid of the depth `h/share` cools and sets there.

use crate::motion::demand::Ground;
use crate::motion::plan::neighbours;
use crate::store::lean::Lean;

impl Ground<'_> {
    /// Share of a column that its uppermost liquid covers: 1 but at margins.
    pub(crate) fn wetted(self, c: usize) -> f64 {
        let here = &self.leans[c];
        let depth = here.depth();
        let near = || neighbours(self.space, c).into_iter().flatten().map(|n| &self.leans[n]);
        // Below a fall liquid is not the wedge of what is above.
        let falls = |near: &Lean| near.floor - here.floor > self.tables.cliff;
        let deepest = near().filter(|near| !falls(near)).map(Lean::depth).fold(0, i64::max);
        // Nothing stands at its edge: what is there is dry, or lies lower than its floor.
        let is_edge = |near: &Lean| !near.has_liquid() || near.head <= here.floor;
        if deepest <= 3 * depth || !near().any(is_edge) {
            return 1.0;
        }
        (2.0 * depth as f64 / (deepest - depth) as f64).sqrt()
    }
}
