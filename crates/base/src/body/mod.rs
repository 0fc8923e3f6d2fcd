//! Bodies (shapes into which a scene puts matter or rock) that a scene reads from files, as plain
//! data: the keys of a mesh, a heightmap, a world of blocks or a survey, and the set of cells inside, which the file
//! reader (`lavoxel::mesh`) determines.

mod blocks_spec;
mod cells;
mod mesh_spec;
mod relief_spec;
mod survey_spec;

pub use self::blocks_spec::BlocksSpec;
pub use self::cells::Cells;
pub use self::mesh_spec::{MeshSpec, Up};
pub use self::relief_spec::ReliefSpec;
pub use self::survey_spec::SurveySpec;
