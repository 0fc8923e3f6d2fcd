//! The rules of the automaton: one file per rule, each with its formula on one or two cells and the equations of the
//! paper it comes from. How the rules are carried over the whole box, and how fast, is the business of
//! [`crate::engine`].
//!
//! The paper: *A cellular-automaton model of viscous flow volumes* (3D CA with Solid, Liquid, Amount and Energy;
//! gravity rules, equations 1–5; spreading rules, equations 6–19).

pub mod gravity;
mod params;
pub mod spreading;
mod transfer;

pub use params::{Friction, Rules, RulesSpec, Walls};
pub use transfer::Parcel;
