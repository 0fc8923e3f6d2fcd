//! Bodies and events of a scene: conversion of their files of meshes, heightmaps and blocks to sets
//! of cells of the simulation box.

use std::borrow::Cow;
use std::path::Path;
use std::path::PathBuf;

use super::{BodySpec, Scene, SceneError, SceneSpec, VentPlace};
use lavoxel_automaton::world::Edit;
use lavoxel_automaton::world::{Matter, Shape};
use lavoxel_base::grid::Grid;
use lavoxel_base::validate::Invalid;
use lavoxel_geo::blocks::BlocksError;
use lavoxel_geo::map::Site;
use lavoxel_geo::mesh::{MeshError, ShapeCache, endings, has_known_ending, read_survey};
use lavoxel_sim::simulation::{Command, Event};

impl Scene {
    /// Checks that all mesh files of bodies and events have an extension of a known mesh format.
    pub(super) fn check_meshes(&self) -> Result<(), Invalid> {
        for (key, edit) in self.spec.edits() {
            if let Shape::Mesh(mesh) = &edit.shape
                && !has_known_ending(&mesh.file)
            {
                let expected = format!("the name of a mesh ({})", endings());
                return Err(Invalid::new(
                    &format!("{key}.shape.file"),
                    mesh.file.display(),
                    expected,
                ));
            }
        }
        Ok(())
    }

    /// Creates the cache that converts mesh and heightmap files to sets of cells on `site`, so that
    /// each file is read only once.
    pub fn shelf<'a>(&'a self, site: &'a Site) -> ShapeCache<'a> {
        ShapeCache::new(&self.folder, site)
    }

    /// Returns the bodies of the scene in order, with shapes from files converted to cells.
    ///
    /// # Errors
    /// [`SceneError::Mesh`] for the first file that is not a closed mesh; [`SceneError::Terrain`]
    /// for one that is not a heightmap; [`SceneError::Blocks`] for one without such blocks.
    pub(super) fn bodies_on(
        &self,
        shelf: &mut ShapeCache<'_>,
    ) -> Result<Vec<Cow<'_, BodySpec>>, SceneError> {
        self.spec
            .bodies
            .iter()
            .map(|body| self.body_on(body, shelf))
            .collect()
    }

    /// Returns the validated events of the scene. For events at step `from` or later, shapes from
    /// files are converted to cells; earlier events keep their file names.
    ///
    /// # Errors
    /// The errors of `Scene::bodies_on`, and [`SceneError::Invalid`] for a number out of range.
    pub fn events_on(
        &self,
        shelf: &mut ShapeCache<'_>,
        from: u64,
    ) -> Result<Vec<Event>, SceneError> {
        let mut events = self.events().map_err(|invalid| self.invalid(invalid))?;
        for event in events.iter_mut().filter(|event| event.at >= from) {
            if let Command::Put(edit) = &mut event.command {
                *edit = self.body_on(edit, shelf)?.into_owned();
            }
        }
        Ok(events)
    }

    fn body_on<'a>(
        &self,
        body: &'a BodySpec,
        shelf: &mut ShapeCache<'_>,
    ) -> Result<Cow<'a, BodySpec>, SceneError> {
        let mut body = Cow::Borrowed(body);
        match &body.shape {
            Shape::Mesh(mesh) => {
                let mesh = shelf.mesh(mesh).map_err(|cause| self.wrong_mesh(cause))?;
                body.to_mut().shape = Shape::Mesh(mesh.into());
            }
            Shape::Heightmap(relief) => {
                let relief = shelf
                    .relief(relief)
                    .map_err(|cause| self.wrong_terrain(cause))?;
                body.to_mut().shape = Shape::Heightmap(relief.into());
            }
            Shape::Blocks(blocks) => {
                let blocks = shelf
                    .blocks(blocks)
                    .map_err(|cause| self.wrong_blocks(cause))?;
                body.to_mut().shape = Shape::Blocks(blocks.into());
            }
            _ => {}
        }
        if let Matter::Ground(_) = body.matter {
            body = Cow::Owned(self.survey_on(body.into_owned(), shelf.site())?);
        }
        Ok(body)
    }

    /// Reads the survey (heightmap of the ground) that `edit` names and resamples its heights to
    /// the columns of the simulation box of `site`. An edit without survey is returned unchanged.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] with the name of the file and the fault.
    pub fn survey_on(&self, edit: Edit, site: &Site) -> Result<Edit, SceneError> {
        let Matter::Ground(survey) = &edit.matter else {
            return Ok(edit);
        };
        let wrong = |fault: String| {
            let path = self.folder.join(&survey.file);
            let invalid = Invalid::new(
                "matter.file",
                path.display(),
                format!("a raster (.tif, .asc) that {fault}"),
            );
            self.invalid(invalid)
        };
        let survey = read_survey(survey, &self.folder, site).map_err(wrong)?;
        Ok(Edit {
            matter: Matter::Ground(survey.into()),
            ..edit
        })
    }

    fn wrong_blocks(&self, cause: BlocksError) -> SceneError {
        SceneError::Blocks {
            path: self.origin.clone(),
            cause: Box::new(cause),
        }
    }

    fn wrong_mesh(&self, cause: MeshError) -> SceneError {
        SceneError::Mesh {
            path: self.origin.clone(),
            cause: Box::new(cause),
        }
    }
}

impl SceneSpec {
    /// Returns bounding boxes, as corners (low, high) in cells, that a camera should frame in
    /// addition to the ground: those of the matter that bodies put into the box of shape `grid`,
    /// and of the vertical line from the floor up to each vent with a `height`. Shapes from files
    /// are not included.
    pub fn matter_at_start(&self, grid: Grid) -> Vec<[[f32; 3]; 2]> {
        let stays = |matter: &Matter| match matter {
            Matter::Lava { amount, .. }
            | Matter::Material { amount, .. }
            | Matter::Flood { amount, .. } => *amount > 0.0,
            Matter::Solid { .. } => true,
            Matter::Rock | Matter::Raise { .. } | Matter::Ground(_) | Matter::Drain => false,
            Matter::Nothing | Matter::Air(_) | Matter::Replace { .. } => false,
        };
        let bodies = self.bodies.iter().filter(|body| stays(&body.matter));
        let bodies = bodies.filter_map(|body| body.shape.corners(grid));
        let sources = self.sources.iter().chain(&self.vents).filter_map(|source| {
            let height = source.height?.clamp(0.0, grid.ny as f64);
            let (x, z) = match source.place {
                VentPlace::Cells { x, z } => (x, z),
                _ => (0.5 * grid.nx as f64, 0.5 * grid.nz as f64),
            };
            Some([[x, 0.0, z], [x, height, z]])
        });
        bodies
            .chain(sources)
            .map(|corners| corners.map(|corner| corner.map(|v| v as f32)))
            .collect()
    }

    /// Iterates over the edits of all bodies and events, as pairs of the table's name in messages,
    /// such as `body[0]`, and the edit.
    pub(super) fn edits(&self) -> impl Iterator<Item = (String, &BodySpec)> {
        let bodies = self
            .bodies
            .iter()
            .enumerate()
            .map(|(i, body)| (format!("body[{i}]"), body));
        let puts = self
            .events
            .iter()
            .enumerate()
            .filter_map(|(i, event)| Some((i, event.put.as_ref()?)));
        bodies.chain(puts.map(|(i, put)| (format!("event[{i}].put"), put)))
    }
}

impl Scene {
    /// Returns the paths of the scene file and of all files that are needed to build the world.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut spec = self.spec.clone();
        let named = files_of(&mut spec)
            .map(|file| self.folder.join(file))
            .chain([self.origin.clone()]);
        // For a file inside a session file, the path of the session file is listed.
        let named = named.map(|file| {
            lavoxel_files::archive::session_of(&file)
                .map(Path::to_owned)
                .unwrap_or(file)
        });
        named.collect()
    }
}

/// Iterates mutably over the paths of all files that the scene `spec` names: terrain, picture on
/// the ground, bodies, events, barriers and initial lava.
pub(super) fn files_of(spec: &mut SceneSpec) -> impl Iterator<Item = &mut PathBuf> {
    let puts = spec
        .events
        .iter_mut()
        .filter_map(|event| event.put.as_mut());
    let edits = spec.bodies.iter_mut().chain(puts).flat_map(|edit| {
        let shape = match &mut edit.shape {
            Shape::Mesh(mesh) => Some(&mut mesh.file),
            Shape::Heightmap(relief) => Some(&mut relief.file),
            Shape::Blocks(blocks) => Some(&mut blocks.file),
            _ => None,
        };
        let matter = if let Matter::Ground(survey) = &mut edit.matter {
            Some(&mut survey.file)
        } else {
            None
        };
        shape.into_iter().chain(matter)
    });
    let barriers = spec
        .barriers
        .iter_mut()
        .filter_map(|barrier| barrier.file.as_mut());
    let start = spec
        .flow
        .iter_mut()
        .filter_map(|flow| flow.start.as_mut())
        .flat_map(|start| start.files_mut());
    let terrain = &mut spec.terrain;
    terrain
        .file
        .iter_mut()
        .chain(&mut terrain.drape)
        .chain(edits)
        .chain(barriers)
        .chain(start)
}
