//! Cooling of a flow: heat that leaves, crusts, and liquid that sets.

pub(in crate::flow) mod crust;
pub(in crate::flow) mod heat;
pub(in crate::flow) mod lid;
pub(in crate::flow) mod rubble;
pub(in crate::flow) mod set;
