//! Loops over rows of cells in a form that the compiler vectorises; each loop writes to one slice.

/// Number of consecutive cells that a loop processes at once; every row of a field consists of
/// whole blocks.
pub(super) const BLOCK: usize = 16;

/// Replaces each value of the slice `$to` by `$value`, an expression in which `$own` is the old
/// value and `$from[$i]` are the values of the other slices at the same index.
macro_rules! lanes {
    ($to:expr, [$($from:ident),*], |$own:ident, $i:ident| $value:expr) => {{
        let to: &mut [_] = $to;
        let count = to.len() / $crate::practical_fluid::lanes::BLOCK * $crate::practical_fluid::lanes::BLOCK;
        let to = &mut to[..count];
        $(let $from = &$from[..count];)*
        for $i in 0..count {
            let $own = to[$i];
            to[$i] = $value;
        }
    }};
}

pub(super) use lanes;
