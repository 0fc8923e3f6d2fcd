//! Files: pictures, films, volumes, meshes and maps.

use std::path::{Path, PathBuf};

use lavoxel::export::maps::{MapFile, MapQuantity};
use lavoxel::export::mesh::Skin;
use lavoxel::export::{self, Animation, ExportState, SpaceFile, create_animation};
use lavoxel::input::ending;
use lavoxel::output::Existing;
use lavoxel::report::Report;
use numpy::PyReadonlyArray3;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fail;
use crate::simulation::Held;

/// Threshold of a footprint: cells with at most this value are left out.
const ABOVE: f64 = 0.0;

/// Writes a state as a volume or a mesh, or as a map of `subject` if given.
pub(crate) fn export(
    held: &Held,
    path: &Path,
    subject: Option<&str>,
    existing: Existing,
) -> PyResult<()> {
    let simulation = &held.stage.simulation;
    let (world, site) = (simulation.world(), &held.stage.site);
    let about = Report::new(&held.scene, &held.stage, false).about();
    if let Some(name) = subject {
        let subject = MapQuantity::find(name, &world.column_quantities(), ABOVE).map_err(fail)?;
        let file = MapFile::new(subject, path.to_owned());
        file.check(existing).map_err(fail)?;
        file.check_site(site).map_err(fail)?;
        file.need(site.grid)
            .check("make the box smaller")
            .map_err(fail)?;
        return file.write(&held.maps(), &about, existing).map_err(fail);
    }
    if ending(path) == "npz" {
        export::npz::check_size(site.grid).map_err(fail)?;
        export::npz::need(site.grid)
            .check("make the box smaller")
            .map_err(fail)?;
        return export::npz::write(path, &held.maps(), &about, existing).map_err(fail);
    }
    let file = SpaceFile::volume(path).or_else(|of_volumes| {
        let both = |_| {
            format!(
                "{of_volumes}; or a mesh: {}; or a map, with its field",
                export::mesh_formats()
            )
        };
        SpaceFile::mesh(path).map_err(both)
    });
    let file = file.map_err(fail)?;
    file.check(site.grid).map_err(fail)?;
    file.need(site.grid)
        .check("make the box smaller")
        .map_err(fail)?;
    let look = &held.scene.spec.look;
    let drape = held.scene.drape(&held.stage).map_err(fail)?;
    let skin = Skin {
        level: look.iso,
        palette: look.palette.build("look.palette").map_err(fail)?,
        drape,
        blocks: export::parts_of(&held.scene),
    };
    let shot = ExportState {
        world,
        site,
        about: &about,
        state: world.state_hash(),
    };
    file.write(&shot, &skin, existing).map_err(fail)
}

/// A film that is being written; its format is that of the ending.
#[pyclass(module = "lavoxel._lavoxel", unsendable)]
pub(crate) struct Film {
    animation: Option<Box<dyn Animation>>,
    size: (u32, u32),
}

#[pymethods]
impl Film {
    #[new]
    fn new(path: PathBuf, size: (u32, u32), fps: u32, force: bool) -> PyResult<Self> {
        let (width, height) = size;
        let film = export::Film { width, height, fps };
        let animation = create_animation(&path, film, Existing::by_force(force)).map_err(fail)?;
        Ok(Self {
            animation: Some(animation),
            size,
        })
    }

    /// Adds a frame, shape (height, width, 3).
    fn frame(&mut self, pixels: PyReadonlyArray3<'_, u8>) -> PyResult<()> {
        let (width, height) = self.size;
        let animation = self
            .animation
            .as_mut()
            .ok_or_else(|| fail("the film is finished"))?;
        let pixels = pixels.as_array();
        if pixels.dim() != (height as usize, width as usize, 3) {
            return Err(fail(format!(
                "a frame has the shape ({height}, {width}, 3), this one has {:?}",
                pixels.dim()
            )));
        }
        let pixels = pixels.as_standard_layout();
        animation
            .frame(pixels.as_slice().unwrap_or_default())
            .map_err(fail)
    }

    /// Gives the film up: there is no file.
    fn abandon(&mut self) {
        self.animation = None;
    }

    /// Puts the film in its place; without it there is no file.
    fn finish(&mut self) -> PyResult<()> {
        self.animation
            .take()
            .map_or(Ok(()), |animation| animation.finish().map_err(fail))
    }
}

/// The bytes of a picture, shape (height, width, 3), as PNG.
#[pyfunction]
pub(crate) fn png<'py>(
    py: Python<'py>,
    pixels: PyReadonlyArray3<'_, u8>,
) -> PyResult<Bound<'py, PyBytes>> {
    let pixels = pixels.as_array();
    let (height, width, colors) = pixels.dim();
    if colors != 3 {
        return Err(fail(format!(
            "a picture has the shape (height, width, 3), this one has {:?}",
            pixels.dim()
        )));
    }
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(::png::ColorType::Rgb);
    let pixels = pixels.as_standard_layout();
    let mut writer = encoder.write_header().map_err(fail)?;
    writer
        .write_image_data(pixels.as_slice().unwrap_or_default())
        .map_err(fail)?;
    writer.finish().map_err(fail)?;
    Ok(PyBytes::new(py, &bytes))
}
