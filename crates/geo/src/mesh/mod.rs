//! Bodies whose shape comes from files: the cells inside closed triangle meshes, and the cells
//! below heightmaps and surveys.
//!
//! [`TriangleMesh`] contains the triangles of a file, with y up, in the unit of the file;
//! [`TriangleMesh::cells`] finds the cells inside. [`ShapeCache`] does both, once for all bodies
//! and events that use the same file.

mod cells;
mod error;
mod glb;
mod obj;
mod read;
mod relief;
mod shape_cache;
mod stl;
mod survey;
mod triangles;

pub use self::cells::NoCells;
pub use self::error::MeshError;
pub use self::read::has_known_ending;
pub use self::read::{MAX_TRIANGLES, endings, read};
pub use self::shape_cache::ShapeCache;
pub use self::survey::read_survey;
pub use self::triangles::TriangleMesh;
pub use lavoxel_base::body::{Cells, MeshSpec, ReliefSpec, SurveySpec, Up};
