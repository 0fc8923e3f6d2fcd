//! QGIS 3 projects: all maps of a folder with styles, contours, exposure layers and overlays,
//! referenced by relative paths.

use std::fmt::Write as _;
use std::io::{Seek, Write};
use std::path::{Component, Path, PathBuf};

use super::source;
use super::{Sheet, SheetError, notes};
use lavoxel_files::input::{STYLE, ending};
use lavoxel_files::output::{Existing, OutputError, check_free, whole};
use lavoxel_geo::map::Crs;
use lavoxel_geo::map::features::{Features, read_layer};
use lavoxel_geo::map::geojson::System;
use lavoxel_io::export::escaped;

/// Checks that a QGIS project can be written to `path`; called before any input is read.
///
/// # Errors
/// When the file extension is unknown, or the file cannot be written.
pub fn check(path: &Path, existing: Existing) -> Result<(), SheetError> {
    is_packed(path)?;
    Ok(check_free(path, existing)?)
}

fn is_packed(path: &Path) -> Result<bool, SheetError> {
    match ending(path).as_str() {
        "qgs" => Ok(false),
        "qgz" => Ok(true),
        _ => Err(SheetError::wrong(format!(
            "{}: projects of QGIS end in .qgs or .qgz",
            path.display()
        ))),
    }
}

/// Writes the QGIS project of a sheet to `path`.
pub(super) fn write(sheet: &Sheet<'_>, path: &Path, existing: Existing) -> Result<(), SheetError> {
    let text = document(sheet, path)?;
    if !is_packed(path)? {
        return Ok(whole(path, existing, |out| out.write_all(text.as_bytes()))?);
    }
    let name = path
        .with_extension("qgs")
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(whole(path, existing, |out| {
        pack(out, &name, &text).map_err(std::io::Error::other)
    })?)
}

/// Writes a `.qgz` file: a ZIP archive that contains the project `text` as the file `name`.
fn pack(out: impl Write + Seek, name: &str, text: &str) -> Result<(), zip::result::ZipError> {
    let mut archive = zip::ZipWriter::new(out);
    archive.start_file(name, zip::write::SimpleFileOptions::default())?;
    archive.write_all(text.as_bytes())?;
    archive.finish()?;
    Ok(())
}

/// Layer of a QGIS project: a map, the ground, contours or features.
struct QgisLayer {
    id: String,
    name: String,
    source: String,
    provider: &'static str,
    is_shown: bool,
    crs: Crs,
    /// XML attributes of the `<maplayer>` element that depend on the kind of layer (raster or
    /// vector).
    kind: String,
    style: String,
}

fn document(sheet: &Sheet<'_>, path: &Path) -> Result<String, SheetError> {
    let source = &sheet.source;
    let folder = absolute(
        path.parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new(".")),
    )?;
    let layers = layers(sheet, &folder)?;
    let crs = system(&source.crs());
    let [west, south, east, north]: [f64; 4] = source.placement().bounds().into();
    let extent = format!(
        "<extent><xmin>{west}</xmin><ymin>{south}</ymin><xmax>{east}</xmax><ymax>{north}</ymax></extent>"
    );
    let unit = if source.crs().is_geographic() {
        "degrees"
    } else {
        "meters"
    };
    let title = escaped(
        &sheet
            .settings
            .title
            .clone()
            .unwrap_or_else(|| notes::title(source)),
    );
    let mut text = format!(
        "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n<qgis version=\"3.22.0\" projectname=\"{title}\">\n \
         <title>{title}</title>\n <projectCrs>{crs}</projectCrs>\n <layer-tree-group>\n  <customproperties/>\n"
    );
    for layer in &layers {
        let QgisLayer {
            id,
            name,
            source,
            provider,
            is_shown,
            ..
        } = layer;
        let checked = if *is_shown {
            "Qt::Checked"
        } else {
            "Qt::Unchecked"
        };
        // Hidden layers are collapsed in the layer tree.
        let expanded = u8::from(*is_shown);
        writeln!(
            text,
            "  <layer-tree-layer id=\"{id}\" name=\"{name}\" source=\"{source}\" providerKey=\"{provider}\" \
             checked=\"{checked}\" expanded=\"{expanded}\"><customproperties/></layer-tree-layer>"
        )
        .expect("a string takes everything");
    }
    write!(
        text,
        " </layer-tree-group>\n <mapcanvas name=\"theMapCanvas\" annotationsVisible=\"1\">\n  <units>{unit}</units>\n  {extent}\n  \
         <rotation>0</rotation>\n  <destinationsrs>{crs}</destinationsrs>\n </mapcanvas>\n <projectlayers>\n"
    )
    .expect("a string takes everything");
    for QgisLayer {
        id,
        name,
        source,
        provider,
        crs,
        kind,
        style,
        ..
    } in &layers
    {
        let crs = system_of_layer(crs);
        write!(
            text,
            "  <maplayer {kind} autoRefreshEnabled=\"0\" refreshOnNotifyEnabled=\"0\">\n   <id>{id}</id>\n   \
             <datasource>{source}</datasource>\n   <layername>{name}</layername>\n   <srs>{crs}</srs>\n   \
             <provider encoding=\"UTF-8\">{provider}</provider>\n{style}  </maplayer>\n"
        )
        .expect("a string takes everything");
    }
    text += " </projectlayers>\n <layerorder>\n";
    for layer in &layers {
        writeln!(text, "  <layer id=\"{}\"/>", layer.id).expect("a string takes everything");
    }
    text += " </layerorder>\n <properties><Paths><Absolute type=\"bool\">false</Absolute></Paths>\
             <SpatialRefSys><ProjectionsEnabled type=\"int\">1</ProjectionsEnabled></SpatialRefSys></properties>\n</qgis>\n";
    Ok(text)
}

/// Returns all layers of the QGIS project, the topmost first; paths of files are relative to
/// `folder`.
fn layers(sheet: &Sheet<'_>, folder: &Path) -> Result<Vec<QgisLayer>, SheetError> {
    let source = &sheet.source;
    let mut layers = Vec::new();
    for overlay in &sheet.overlays {
        let kinds = overlay.kinds();
        for kind in &kinds {
            let several = if kinds.len() > 1 {
                format!("|geometrytype={}", geometry(kind).1)
            } else {
                String::new()
            };
            let name = if kinds.len() > 1 {
                format!("{}: {kind}s", overlay.name)
            } else {
                overlay.name.clone()
            };
            let path = relative(&overlay.path, folder)? + &several;
            let crs = system_of(&overlay.system, &source.crs());
            layers.push(QgisLayer {
                crs,
                ..vector(&name, (path, kind), overlay.rgb, "name")
            });
        }
    }
    if let Some(study) = &source.study {
        let lines = study.folder.join("probability.geojson");
        if lines.is_file() {
            let path = relative(&lines, folder)?;
            let crs = system_of_file(&lines, &source.crs());
            layers.push(QgisLayer {
                crs,
                ..vector(
                    "Contours of probability",
                    (path, "line"),
                    [60, 30, 30],
                    "level",
                )
            });
        }
        let shown = source.quantity();
        let mut names = source::layers(&study.folder);
        // The map that the sheet shows is the uppermost of its folder.
        names.sort_by_key(|name| *name != shown);
        for name in names {
            layers.push(raster(
                &study.folder.join(format!("{name}.tif")),
                (&name, name == shown),
                folder,
            )?);
        }
    } else {
        layers.push(raster(&source.path, (&source.quantity(), true), folder)?);
    }
    if let Some(path) = &sheet.settings.ground {
        layers.push(QgisLayer {
            style: HILL_SHADE.to_owned(),
            name: "Ground".to_owned(),
            ..raster(path, ("ground", true), folder)?
        });
    }
    for (i, layer) in layers.iter_mut().enumerate() {
        if layer.provider == "gdal" {
            layer.crs = source.crs();
        }
        // QGIS rejects shorter layer ids.
        layer.id = format!("lavoxel_layer_{:03}", i + 1);
    }
    Ok(layers)
}

/// XML of the style of the ground, for which QGIS computes the hill shade.
const HILL_SHADE: &str = "   <pipe><rasterrenderer type=\"hillshade\" band=\"1\" azimuth=\"315\" angle=\"45\" zfactor=\"1\" \
                          multidirection=\"1\" opacity=\"0.7\" alphaBand=\"-1\"/>\
                          <rasterresampler zoomedInResampler=\"cubic\" zoomedOutResampler=\"bilinear\" maxOversampling=\"2\"/></pipe>\n   <blendMode>0</blendMode>\n";

fn raster(
    path: &Path,
    (name, is_shown): (&str, bool),
    folder: &Path,
) -> Result<QgisLayer, SheetError> {
    Ok(QgisLayer {
        id: String::new(),
        name: escaped(&notes::layer_words(name)),
        source: escaped(&relative(path, folder)?),
        provider: "gdal",
        is_shown,
        crs: Crs::default(),
        kind: "type=\"raster\"".to_owned(),
        style: style_beside(path),
    })
}

/// Returns the `<pipe>` element and everything after it from the `.qml` style file of the map at
/// `path`; empty if there is no such file, so that QGIS uses its default style.
fn style_beside(path: &Path) -> String {
    let style = path.with_extension("qml");
    let text = STYLE
        .text(&style, |text| text.into_parts().0)
        .unwrap_or_default();
    let inside = text
        .split_once("<pipe")
        .and_then(|(_, rest)| rest.rsplit_once("</qgis>"));
    inside
        .map(|(pipe, _)| format!("   <pipe{}\n", pipe.trim_end()))
        .unwrap_or_default()
}

/// Returns the names that QGIS and OGR give to the geometry kind `kind` (`point`, `line` or
/// `area`).
fn geometry(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "point" => ("Point", "Point"),
        "line" => ("Line", "LineString"),
        _ => ("Polygon", "Polygon"),
    }
}

fn vector(
    name: &str,
    (source, kind): (String, &str),
    [r, g, b]: [u8; 3],
    label: &str,
) -> QgisLayer {
    let color = |opacity: u8| format!("{r},{g},{b},{opacity}");
    let (class, symbol, options) = match kind {
        "point" => (
            "SimpleMarker",
            "marker",
            vec![
                ("name", "square".into()),
                ("color", color(255)),
                ("outline_color", "255,255,255,255".into()),
                ("size", "2.6".into()),
            ],
        ),
        "line" => (
            "SimpleLine",
            "line",
            vec![("line_color", color(255)), ("line_width", "0.5".into())],
        ),
        _ => (
            "SimpleFill",
            "fill",
            vec![
                ("color", color(45)),
                ("outline_color", color(255)),
                ("outline_width", "0.4".to_owned()),
            ],
        ),
    };
    let option = |(name, value): &(&str, String)| {
        format!("<Option type=\"QString\" name=\"{name}\" value=\"{value}\"/>")
    };
    let options: String = options.iter().map(option).collect();
    // Label placements of QGIS: 2 along a line, 6 at ordered positions around a point.
    let placement = if kind == "line" { 2 } else { 6 };
    let style = format!(
        "   <renderer-v2 type=\"singleSymbol\" symbollevels=\"0\" enableorderby=\"0\" forceraster=\"0\"><symbols>\
         <symbol name=\"0\" type=\"{symbol}\" alpha=\"1\" clip_to_extent=\"1\" force_rhr=\"0\">\
         <layer class=\"{class}\" enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">{options}</Option></layer>\
         </symbol></symbols><rotation/><sizescale/></renderer-v2>\n   \
         <labeling type=\"simple\"><settings calloutType=\"simple\"><text-style fieldName=\"{label}\" fontSize=\"8\" \
         textColor=\"28,28,32,255\" fontFamily=\"Sans\"><text-buffer bufferDraw=\"1\" bufferSize=\"0.8\" \
         bufferColor=\"255,255,255,255\"/></text-style><placement placement=\"{placement}\" dist=\"1\"/></settings></labeling>\n   \
         <blendMode>0</blendMode>\n   <previewExpression>\"{label}\"</previewExpression>\n"
    );
    let (geometry, _) = geometry(kind);
    QgisLayer {
        id: String::new(),
        name: escaped(name),
        source: escaped(&source),
        provider: "ogr",
        is_shown: true,
        crs: Crs::default(),
        kind: format!("type=\"vector\" geometry=\"{geometry}\" labelsEnabled=\"1\""),
        style,
    }
}

/// Returns the XML of the coordinate system of a `<maplayer>`: the EPSG code if known, otherwise
/// the well-known text.
fn system_of_layer(crs: &Crs) -> String {
    let number = crs
        .epsg()
        .map(|code| format!("<spatialrefsys><authid>EPSG:{code}</authid></spatialrefsys>"));
    number.unwrap_or_else(|| system(crs))
}

/// Returns the XML of the project's coordinate system. The XML contains the well-known text,
/// because QGIS ignores an EPSG code without such a text in a project.
fn system(crs: &Crs) -> String {
    let wkt = crs
        .to_wkt()
        .map(|wkt| format!("<wkt>{}</wkt>", escaped(&wkt)))
        .unwrap_or_default();
    let number = crs
        .epsg()
        .map(|code| format!("<authid>EPSG:{code}</authid>"))
        .unwrap_or_default();
    format!("<spatialrefsys>{wkt}{number}</spatialrefsys>")
}

/// Returns the coordinate system in which QGIS reads an overlay file: longitude and latitude if
/// `system`, stated by the file, says so; otherwise the system of the map, `map`, because files in
/// other systems are rejected.
fn system_of(system: &System, map: &Crs) -> Crs {
    match system {
        System::Degrees => Crs::from_epsg(4326).unwrap_or_default(),
        // Any other system equals that of the map; a file in another system was refused.
        System::Epsg(_) | System::Named(_) | System::Unknown => map.clone(),
    }
}

/// Returns the coordinate system of the contour file `path`: longitude and latitude if the file
/// says so; otherwise, or if it cannot be read, the system of the map, `map`.
fn system_of_file(path: &Path, map: &Crs) -> Crs {
    let features = read_layer(path)
        .ok()
        .and_then(|root| Features::from_geojson(&root).ok());
    features.map_or_else(|| map.clone(), |features| system_of(&features.system, map))
}

/// Returns the absolute path of `path` with symbolic links resolved; the file need not exist.
fn absolute(path: &Path) -> Result<PathBuf, SheetError> {
    let path = &std::path::absolute(path).map_err(|cause| OutputError::io(path, cause))?;
    let existing = path
        .ancestors()
        .find(|above| above.exists())
        .unwrap_or(Path::new("."));
    let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
    let base = std::fs::canonicalize(existing).map_err(|cause| OutputError::io(path, cause))?;
    Ok(base.join(rest))
}

/// Returns `path` relative to `folder`, with `/` as separator on every platform.
fn relative(path: &Path, folder: &Path) -> Result<String, SheetError> {
    let path = absolute(path)?;
    let common = path
        .components()
        .zip(folder.components())
        .take_while(|(a, b)| a == b)
        .count();
    if common == 0 {
        return Ok(path.to_string_lossy().into_owned());
    }
    let ups = folder.components().skip(common).map(|_| "..".to_owned());
    let downs = path
        .components()
        .skip(common)
        .map(|part: Component<'_>| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = ups.chain(downs).collect();
    let begin = if parts.first().is_some_and(|part| part == "..") {
        ""
    } else {
        "./"
    };
    Ok(format!("{begin}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_project() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = std::fs::canonicalize(folder.path()).expect("it is there");
        let from =
            |path: &str, at: &str| relative(&base.join(path), &base.join(at)).expect("a path");
        assert_eq!(from("maps/a.tif", "maps"), "./a.tif");
        assert_eq!(from("maps/a.tif", ""), "./maps/a.tif");
        assert_eq!(from("maps/a.tif", "out/new"), "../../maps/a.tif");
    }
}
