//! Margins of a flow: the share of a column's area that is covered by liquid.
//!
//! A margin lies somewhere within the outermost columns. Liquid that has crossed the edge of such a
//! column is no film over the whole column – a film would freeze at once and hold the flow back by
//! a column's width – but a wedge whose thickness follows from the flow behind. With `h` the mean
//! depth of the column and `H` the depth of its deepest neighbour, depth falls by `H − h` over a
//! column's width, and a wedge of that slope covers the share `√(2 h/(H − h))`. The share enters
//! only the heat model: liquid cools and solidifies as if its depth were `h/share`.

use crate::motion::demand::Ground;
use crate::motion::plan::neighbours;
use crate::store::column_summary::ColumnSummary;

impl Ground<'_> {
    /// Share (0 to 1) of the area of column `c` that its uppermost liquid covers; 1 except at
    /// margins of the flow.
    pub(crate) fn wetted(self, c: usize) -> f64 {
        let here = &self.leans[c];
        let depth = here.depth();
        let near = || {
            neighbours(self.space, c)
                .into_iter()
                .flatten()
                .map(|n| &self.leans[n])
        };
        // Below a fall the liquid is no wedge of the flow above.
        let falls = |near: &ColumnSummary| near.floor - here.floor > self.tables.cliff;
        let deepest = near()
            .filter(|near| !falls(near))
            .map(ColumnSummary::depth)
            .fold(0, i64::max);
        // An edge of the flow: the neighbour is dry, or its liquid lies lower than this column's
        // floor.
        let is_edge = |near: &ColumnSummary| !near.has_liquid() || near.head <= here.floor;
        if deepest <= 3 * depth || !near().any(is_edge) {
            return 1.0;
        }
        (2.0 * depth as f64 / (deepest - depth) as f64).sqrt()
    }
}
