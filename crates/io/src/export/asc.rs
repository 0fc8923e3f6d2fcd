//! Export of maps as ESRI ASCII grids.

use std::path::Path;

use super::ExportError;
use super::values::Values;
use lavoxel_files::output::{Existing, whole};
use lavoxel_geo::map::Site;
use lavoxel_geo::terrain::write::{asc_grid, prj};

/// Writes `values` as an ASCII grid to `path`, and the coordinate system of `site`, if known, to a
/// `.prj` file next to the grid. The format cannot store any other metadata.
pub(super) fn write(
    path: &Path,
    values: &Values,
    site: &Site,
    existing: Existing,
) -> Result<(), ExportError> {
    let place = site.placement();
    whole(path, existing, |out| match values {
        Values::Real(values) => asc_grid(
            &place,
            values.iter().map(|v| (!v.is_nan()).then_some(v)),
            out,
        ),
        Values::Whole(values) => asc_grid(
            &place,
            values.iter().map(|v| (*v != Values::NO_WHOLE).then_some(v)),
            out,
        ),
    })?;
    Ok(prj(site.crs(), path, existing)?)
}
