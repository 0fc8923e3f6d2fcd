//! The bodies of a scene on its ground: meshes and heightmaps become the cells inside of them.

use std::borrow::Cow;
use std::path::PathBuf;

use super::{BodySpec, Scene, SceneError};
use crate::grid::Grid;
use crate::mesh::{MeshError, endings};
use crate::terrain::Surface;
use crate::validate::Invalid;
use crate::world::Shape;

impl Scene {
    /// Checks the names of the files of meshes, and that no event needs one.
    pub(super) fn check_meshes(&self) -> Result<(), Invalid> {
        for (i, body) in self.spec.bodies.iter().enumerate() {
            if let Shape::Mesh(mesh) = &body.shape
                && !mesh.has_known_ending()
            {
                let expected = format!("the name of a mesh ({})", endings());
                return Err(Invalid::new(&format!("body[{i}].shape.file"), mesh.file.display(), expected));
            }
        }
        let events = self.spec.events.iter().enumerate();
        let mut kinds = events.filter_map(|(i, event)| Some((i, event.put.as_ref()?.shape.kind_of_file()?)));
        match kinds.next() {
            Some((i, kind)) => {
                let expected = "another shape: a file is put into the box by a [[body]] alone";
                Err(Invalid::new(&format!("event[{i}].put.shape.kind"), kind, expected))
            }
            None => Ok(()),
        }
    }

    /// The bodies, in their order, with the cells of their files on this ground.
    ///
    /// # Errors
    /// [`SceneError::Mesh`] for the first file that is no closed mesh, [`SceneError::Terrain`] for one that is no heightmap.
    pub(super) fn bodies_on(&self, surface: &Surface, grid: Grid) -> Result<Vec<Cow<'_, BodySpec>>, SceneError> {
        self.spec.bodies.iter().map(|body| self.body_on(body, surface, grid)).collect()
    }

    fn body_on<'a>(&self, body: &'a BodySpec, on: &Surface, grid: Grid) -> Result<Cow<'a, BodySpec>, SceneError> {
        let shape = match &body.shape {
            Shape::Mesh(mesh) => {
                let mesh = mesh.in_cells(&self.folder, grid, (on.cell_size_m, on.vertical_exaggeration));
                Shape::Mesh(mesh.map_err(|cause| self.wrong_mesh(cause))?.into())
            }
            Shape::Heightmap(relief) => {
                let relief = relief.in_cells(&self.folder, grid);
                Shape::Heightmap(relief.map_err(|cause| self.wrong_terrain(cause))?.into())
            }
            _ => return Ok(Cow::Borrowed(body)),
        };
        Ok(Cow::Owned(BodySpec { shape, matter: body.matter.clone() }))
    }

    fn wrong_mesh(&self, cause: MeshError) -> SceneError {
        SceneError::Mesh { path: self.origin.clone(), cause: Box::new(cause) }
    }
}

/// The files of bodies that a scene names, to change.
pub(super) fn files_of(bodies: &mut [BodySpec]) -> impl Iterator<Item = &mut PathBuf> {
    bodies.iter_mut().filter_map(|body| match &mut body.shape {
        Shape::Mesh(mesh) => Some(&mut mesh.file),
        Shape::Heightmap(relief) => Some(&mut relief.file),
        _ => None,
    })
}
