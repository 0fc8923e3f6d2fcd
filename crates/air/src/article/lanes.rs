//! Loops over rows of cells that the compiler vectorises; each loop writes one slice.

/// Number of cells per block; rows of the fields consist of whole blocks.
pub(super) const BLOCK: usize = 16;

/// Sets each value of the slice `$to` to `$value`, where `$own` is the old value and `$from[$i]`
/// those of the named slices.
macro_rules! lanes {
    ($to:expr, [$($from:ident),*], |$own:ident, $i:ident| $value:expr) => {{
        let to: &mut [_] = $to;
        let count = to.len() / $crate::article::lanes::BLOCK * $crate::article::lanes::BLOCK;
        let to = &mut to[..count];
        $(let $from = &$from[..count];)*
        for $i in 0..count {
            let $own = to[$i];
            to[$i] = $value;
        }
    }};
}

pub(super) use lanes;
