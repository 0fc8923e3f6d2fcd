//! Bodies from files as plain data: the keys of a mesh, a relief or a survey in a scene, and the
//! set of cells that the file reader (`lavoxel::mesh`) determines.

mod cells;
mod mesh_spec;
mod relief_spec;
mod survey_spec;

pub use self::cells::Cells;
pub use self::mesh_spec::{MeshSpec, Up};
pub use self::relief_spec::ReliefSpec;
pub use self::survey_spec::SurveySpec;
