//! Media other than lava: light that these media scatter and absorb along a ray, in front of the
//! ray's end on lava, rock or sky.
//!
//! ```text
//!  eye ─────────┬───────────────┬────────────▪
//!               │ mirrors sky   │            lava, rock or sky
//!               │ and sun       │
//!               └ absorbs and   └ leaves
//!                 scatters
//! ```
//!
//! A ray ends at the nearest lava, rock or other opaque material. Surfaces of translucent media
//! divide the ray into segments. The light of surfaces and segments is composited front to back.
//! Gases scatter light only in segments that lie in no other medium.

pub mod billows;
pub mod built;
pub mod clear;
mod events;
pub mod flame;
pub mod fog;
pub mod grains;
pub mod haze;
pub mod hit;
pub mod ice;
pub mod leaves;
pub mod liquid;
pub mod pass;
pub mod plume;
pub mod sea;
pub mod smoke;
pub mod smooth;
pub mod solid;
pub mod steam;
pub mod transmittance;
pub mod water;
