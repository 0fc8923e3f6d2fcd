//! Definitions of coordinate systems by their EPSG codes.

/// Returns the well-known text of the system with the EPSG code `code`; `None` if it is unknown.
pub(super) fn text_of(code: u16) -> Option<&'static str> {
    Some(crs_definitions::from_code(code)?.wkt)
}

/// Returns the PROJ definition of the system with the EPSG code `code`; `None` if it is unknown.
pub(super) fn projection_of(code: u16) -> Option<&'static str> {
    Some(crs_definitions::from_code(code)?.proj4)
}
