//! Wavefront OBJ: its faces, without materials.

use super::error::Fault;
use super::read::Collector;

const FORMAT: &str = "OBJ";

pub(super) fn read(bytes: &[u8], collector: &mut Collector<'_>) -> Result<(), Fault> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    // Materials are in other files, which a shape does not need.
    let none = |_: &std::path::Path| Ok(Default::default());
    let (models, _) =
        tobj::load_obj_buf(&mut &*bytes, &options, none).map_err(|cause| Fault::content(FORMAT, cause))?;
    for tobj::Model { mesh, name } in models {
        if !collector.wants(&name) {
            continue;
        }
        let corner = |i: u32| -> Option<[f64; 3]> {
            let place = mesh.positions.get(3 * i as usize..)?.first_chunk::<3>()?;
            Some(place.map(f64::from))
        };
        for triangle in mesh.indices.chunks_exact(3) {
            let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k| corner(triangle[k])) else {
                return Err(Fault::content(FORMAT, "a face names a corner that is not there"));
            };
            collector.add([a, b, c])?;
        }
    }
    Ok(())
}
