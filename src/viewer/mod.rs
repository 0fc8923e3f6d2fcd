//! The window: lava that pours while one watches, steers and measures it.
//!
//! Three rooms: [`link`] is what the window and the simulation thread say to each other, `worker` is that thread, and
//! `paint` draws what it reports with the graphics card.

pub mod link;
pub mod paint;
pub mod worker;
