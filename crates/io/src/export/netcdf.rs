//! Export of maps as netCDF-4 by the conventions CF-1.11: one variable per map over coordinates of
//! the columns' middles, with the coordinate system as GDAL, QGIS and xarray read it.

use std::path::Path;

use netcdf_writer::{
    DimensionId, Error, NcAttrValue, NcFileBuilder, NcWriteFormat, NcWriteOptions, VariableId,
};

use super::values::Values;
use super::{Caption, ExportError, Provenance};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::{Existing, WholeFile};
use lavoxel_geo::map::{Crs, Placement, Site};

/// Memory per column and map in bytes: the values, their bytes before and after compression, and
/// the file.
pub(super) const BYTES_A_VALUE: f64 = 16.0;

/// Number of rows of a compressed block.
const ROWS: usize = 64;
/// Level of the compression, 0 to 9.
const LEVEL: u8 = 4;

/// Name of the variable with the coordinate system.
const CRS: &str = "crs";

/// Map of a file: labels and values, one per column of the simulation box.
pub type Layer<'a> = (&'a Caption, &'a Values);

/// Estimates the memory of writing `maps` maps of `columns` columns.
pub fn need(columns: usize, maps: usize) -> MemoryEstimate {
    MemoryEstimate::new(
        "the netCDF file",
        columns.saturating_mul(maps),
        BYTES_A_VALUE,
    )
}

/// Writes the maps `layers` of the box of `site` to `path`. Values without data are NaN, or −9999
/// for whole numbers; rows go from north to south.
///
/// # Errors
/// [`ExportError`] if the file cannot be written.
pub fn write(
    path: &Path,
    layers: &[Layer<'_>],
    (site, about): (&Site, &Provenance),
    existing: Existing,
) -> Result<(), ExportError> {
    let mut file = WholeFile::create(path, existing)?;
    let encoder = |error: Error| ExportError::encoder(path, error);
    let builder = builder(layers, site, about).map_err(encoder)?;
    let options = NcWriteOptions {
        format: NcWriteFormat::Nc4,
    };
    match builder.write(&mut file, options) {
        Ok(_) => Ok(file.commit()?),
        Err(Error::Io(cause)) => Err(lavoxel_files::output::OutputError::io(path, cause).into()),
        Err(other) => Err(encoder(other)),
    }
}

fn builder(layers: &[Layer<'_>], site: &Site, about: &Provenance) -> Result<NcFileBuilder, Error> {
    let mut file = NcFileBuilder::new();
    for (name, text) in globals(layers, about) {
        file.add_attribute(name, chars(&text))?;
    }
    let (place, crs) = (site.placement(), site.crs());
    let axes = axes(&mut file, &place, crs)?;
    let mapped = crs
        .and_then(Crs::to_wkt)
        .map(|wkt| put_crs(&mut file, crs, &wkt, &place))
        .transpose()?
        .is_some();
    for (caption, values) in layers {
        let name = variable_name(&caption.name);
        let variable = match values {
            Values::Real(_) => file.add_variable::<f32>(name, &axes)?,
            Values::Whole(_) => file.add_variable::<i32>(name, &axes)?,
        };
        let rows = place.rows.min(ROWS) as u64;
        file.set_variable_chunking(variable, vec![rows, place.cols as u64])?;
        file.set_variable_deflate(variable, Some(LEVEL), true)?;
        match values {
            Values::Real(_) => file.set_variable_fill_value(variable, f32::NAN)?,
            Values::Whole(_) => file.set_variable_fill_value(variable, Values::NO_WHOLE)?,
        }
        let mut texts = vec![
            ("long_name", caption.description.clone()),
            ("units", unit(caption.unit).to_owned()),
        ];
        texts.extend(mapped.then(|| ("grid_mapping", CRS.to_owned())));
        texts.extend(caption.note.map(|note| ("comment", note.to_owned())));
        put_texts(&mut file, variable, &texts)?;
        match values {
            Values::Real(values) => {
                let values: Vec<f32> = values.iter().copied().collect();
                file.write_variable(variable, &values)?;
            }
            Values::Whole(values) => {
                let values: Vec<i32> = values.iter().copied().collect();
                file.write_variable(variable, &values)?;
            }
        }
    }
    Ok(file)
}

/// Returns the attributes of the file as pairs (name, text).
fn globals(layers: &[Layer<'_>], about: &Provenance) -> Vec<(String, String)> {
    let when = layers
        .first()
        .map_or_else(|| about.moment(), |(caption, _)| caption.when(about));
    let text = |name: &str, text: String| (name.to_owned(), text);
    let mut all = vec![
        text("Conventions", "CF-1.11".to_owned()),
        text("title", format!("{}, {when}", about.scene)),
        text("institution", "made by the user of the program".to_owned()),
        text("source", format!("model, {}", Provenance::SOFTWARE)),
        text("history", format!("{}: {when}", Provenance::SOFTWARE)),
        text("references", "docs of the program".to_owned()),
        text("scene", about.scene.clone()),
        text("seed", about.seed.to_string()),
    ];
    all.extend(about.facts());
    all
}

/// Adds dimensions and coordinates, rows before columns.
fn axes(
    file: &mut NcFileBuilder,
    place: &Placement,
    crs: Option<&Crs>,
) -> Result<[DimensionId; 2], Error> {
    let is_degrees = crs.is_some_and(Crs::is_geographic);
    let middle = |at: usize| at as f64 + 0.5;
    let ys: Vec<f64> = (0..place.rows)
        .map(|row| place.north - middle(row) * place.cell.1)
        .collect();
    let xs: Vec<f64> = (0..place.cols)
        .map(|col| place.west + middle(col) * place.cell.0)
        .collect();
    // Name, axis, standard name and unit in degrees and in metres.
    let kinds = [
        (
            ys,
            "Y",
            ("lat", "latitude", "degrees_north"),
            ("y", "projection_y_coordinate", "m"),
        ),
        (
            xs,
            "X",
            ("lon", "longitude", "degrees_east"),
            ("x", "projection_x_coordinate", "m"),
        ),
    ];
    let mut axes = Vec::new();
    for (values, axis, degrees, metres) in kinds {
        let (name, standard, unit) = if is_degrees { degrees } else { metres };
        let dimension = file.add_dimension(name, values.len() as u64)?;
        let variable = file.add_variable::<f64>(name, &[dimension])?;
        let mut texts = vec![
            ("long_name", format!("{name} of the middle of a column")),
            ("units", unit.to_owned()),
            ("axis", axis.to_owned()),
        ];
        // Without a system, x and y are metres in the box.
        texts.extend(
            crs.is_some()
                .then(|| ("standard_name", standard.to_owned())),
        );
        put_texts(file, variable, &texts)?;
        file.write_variable(variable, &values)?;
        axes.push(dimension);
    }
    Ok([axes[0], axes[1]])
}

/// Adds the variable with the coordinate system `crs`, of the text `wkt`.
fn put_crs(
    file: &mut NcFileBuilder,
    crs: Option<&Crs>,
    wkt: &str,
    place: &Placement,
) -> Result<(), Error> {
    let variable = file.add_variable::<i32>(CRS, &[])?;
    let transform = [
        place.west,
        place.cell.0,
        0.0,
        place.north,
        0.0,
        -place.cell.1,
    ];
    let transform = transform.map(|number| number.to_string()).join(" ");
    let texts = [
        ("long_name", "coordinate system".to_owned()),
        ("crs_wkt", wkt.to_owned()),
        // What GDAL reads.
        ("spatial_ref", wkt.to_owned()),
        ("GeoTransform", transform),
    ];
    put_texts(file, variable, &texts)?;
    let utm = crs.and_then(Crs::epsg).and_then(utm);
    let name = match (crs.is_some_and(Crs::is_geographic), utm) {
        (true, _) => Some("latitude_longitude"),
        (false, Some(_)) => Some("transverse_mercator"),
        // Other projections have their numbers in the text alone.
        (false, None) => None,
    };
    if let Some(name) = name {
        put_texts(file, variable, &[("grid_mapping_name", name.to_owned())])?;
    }
    for (name, number) in utm.into_iter().flatten() {
        file.add_variable_attribute(variable, name, NcAttrValue::Doubles(vec![number]))?;
    }
    file.write_variable(variable, &[0_i32])
}

/// Returns the numbers of a zone of UTM on WGS 84, by the names of CF; `None` for other systems.
fn utm(epsg: u16) -> Option<[(&'static str, f64); 7]> {
    let zone = match epsg {
        32601..=32660 => epsg - 32600,
        32701..=32760 => epsg - 32700,
        _ => return None,
    };
    let north = if epsg < 32700 { 0.0 } else { 1e7 };
    Some([
        (
            "longitude_of_central_meridian",
            f64::from(zone) * 6.0 - 183.0,
        ),
        ("latitude_of_projection_origin", 0.0),
        ("scale_factor_at_central_meridian", 0.9996),
        ("false_easting", 5e5),
        ("false_northing", north),
        ("semi_major_axis", 6_378_137.0),
        ("inverse_flattening", 298.257_223_563),
    ])
}

fn put_texts(
    file: &mut NcFileBuilder,
    variable: VariableId,
    texts: &[(&str, String)],
) -> Result<(), Error> {
    texts
        .iter()
        .try_for_each(|(name, text)| file.add_variable_attribute(variable, *name, chars(text)))
}

fn chars(text: &str) -> NcAttrValue {
    NcAttrValue::Chars(text.to_owned())
}

/// Returns the name of a variable of the map `name`: letters, digits and underscores.
fn variable_name(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// Returns the text of `unit` that UDUNITS knows; 1 for what is none of its units.
fn unit(unit: &str) -> &str {
    match unit {
        "m" | "h" | "K" | "Pa s" | "s" => unit,
        "m/s" => "m s-1",
        "kg/m²" => "kg m-2",
        _ => "1",
    }
}
