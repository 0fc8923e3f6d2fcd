//! Cooling of a flow: heat losses, crusts, and liquid that solidifies.

pub(crate) mod crust;
pub mod heat;
pub(crate) mod lid;
pub(crate) mod rubble;
pub(crate) mod solidify;
