//! Bodies from files: the cells inside closed triangle meshes, and below heightmaps and surveys.
//!
//! [`Soup`] holds the triangles of a file, in units of the file with y up, and [`Soup::cells`]
//! finds the cells inside; [`Shelf`] does both, once for all bodies and events that name the same
//! file.

mod cells;
mod error;
mod glb;
mod obj;
mod read;
mod relief;
mod shelf;
mod soup;
mod stl;
mod survey;

pub use self::cells::NoCells;
pub use self::error::MeshError;
pub use self::read::has_known_ending;
pub use self::read::{MAX_TRIANGLES, endings, read};
pub use self::shelf::Shelf;
pub use self::soup::Soup;
pub use self::survey::read_survey;
pub use lavoxel_base::body::{Cells, MeshSpec, ReliefSpec, SurveySpec, Up};
