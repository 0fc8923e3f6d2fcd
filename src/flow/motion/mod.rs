//! Motion of a flow: what crosses faces, which columns and faces are due, and the threads that share them.

pub(in crate::flow) mod cross;
pub(in crate::flow) mod demand;
pub(in crate::flow) mod face;
pub(in crate::flow) mod gather;
pub(in crate::flow) mod lanes;
pub(in crate::flow) mod layers;
pub(in crate::flow) mod mag;
pub(in crate::flow) mod plan;
pub(in crate::flow) mod strips;
pub(in crate::flow) mod tables;
pub(in crate::flow) mod watch;
