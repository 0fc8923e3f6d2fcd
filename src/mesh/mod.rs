//! Bodies from files, closed triangle meshes and heightmaps: what a scene says of one, its file, and the cells inside of it.
//!
//! [`MeshSpec`] is the shape `kind = "mesh"` of a `[[body]]` table. [`Soup`] holds the triangles of a file, in units of the
//! file and turned y-up; `MeshSpec::place` brings them into cells, and [`Soup::cells`] finds the cells inside; [`Shelf`] does so once for all
//! bodies and events that name a file. [`ReliefSpec`] is the shape
//! `kind = "heightmap"`.

mod cells;
mod error;
mod glb;
mod obj;
mod read;
mod relief;
mod shelf;
mod soup;
mod spec;
mod stl;
mod survey;

pub use self::cells::{Cells, NoCells};
pub use self::error::MeshError;
pub use self::read::{MAX_TRIANGLES, endings, read};
pub use self::relief::ReliefSpec;
pub use self::shelf::Shelf;
pub use self::soup::Soup;
pub use self::spec::{MeshSpec, Up};
pub use self::survey::SurveySpec;
