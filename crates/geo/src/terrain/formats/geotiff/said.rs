//! Metadata of heights in those tags of a TIFF that GDAL defines.

use std::collections::BTreeMap;
use std::path::Path;

use tiff_reader::{Ifd, TagValue};

use super::directory::{GDAL_METADATA, GDAL_NO_DATA};
use crate::terrain::TerrainError;
use crate::terrain::formats::sidecar::Sidecars;

/// Metadata of heights: no-data value, linear conversion and unit.
pub(super) struct Said {
    pub(super) no_data: Option<f64>,
    pub(super) scale: f64,
    pub(super) offset: f64,
    /// Name of the unit of heights; `None` if the file states no unit.
    pub(super) unit: Option<String>,
}

impl Said {
    pub(super) fn read(image: &Ifd, path: &Path) -> Result<Self, TerrainError> {
        let text = |tag: u16| match image.tag(tag).map(|tag| &tag.value) {
            Some(TagValue::Ascii(text)) => Some(text.trim_matches(['\0', ' ', '\n'])),
            _ => None,
        };
        let metadata = text(GDAL_METADATA).unwrap_or_default();
        let number = |text: &str| text.trim().parse::<f64>();
        let finite = |role: &str, otherwise: f64| match item(metadata, role).map(number) {
            None => Ok(otherwise),
            Some(Ok(value)) if value.is_finite() => Ok(value),
            Some(_) => Err(TerrainError::content(
                path,
                format!("a number for the {role} of heights"),
                "none",
            )),
        };
        let no_data = match text(GDAL_NO_DATA)
            .filter(|text| !text.is_empty())
            .map(number)
        {
            Some(Err(_)) => {
                return Err(TerrainError::content(
                    path,
                    "a number for no data (tag 42113)",
                    "none",
                ));
            }
            Some(Ok(value)) => Some(value),
            None => None,
        };
        Ok(Self {
            no_data,
            scale: finite("scale", 1.0)?,
            offset: finite("offset", 0.0)?,
            unit: item(metadata, "unittype")
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty()),
        })
    }

    /// Returns these metadata, in which the values of `sidecars`, the sidecar files, replace those
    /// of the TIFF.
    pub(super) fn with(self, sidecars: &Sidecars) -> Self {
        Self {
            no_data: sidecars.no_data.or(self.no_data),
            scale: sidecars.scale.unwrap_or(self.scale),
            offset: sidecars.offset.unwrap_or(self.offset),
            unit: sidecars.unit.clone().or(self.unit),
        }
    }
}

/// Returns the texts in GDAL's metadata tag by name; in that XML an item is `<Item
/// name="…">text</Item>`.
pub(super) fn items(image: &Ifd) -> BTreeMap<String, String> {
    let Some(TagValue::Ascii(text)) = image.tag(GDAL_METADATA).map(|tag| &tag.value) else {
        return BTreeMap::new();
    };
    let one = |item: &str| {
        let (attributes, rest) = item.split_once('>')?;
        let name = attributes.split("name=\"").nth(1)?.split('"').next()?;
        Some((name.to_owned(), unescaped(rest.split('<').next()?)))
    };
    text.split("<Item").skip(1).filter_map(one).collect()
}

/// Returns `text` with its XML entities replaced by characters, twice: GDAL escapes texts twice.
fn unescaped(text: &str) -> String {
    let once = |text: &str| {
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&amp;", "&")
    };
    once(&once(text)).trim().to_owned()
}

/// Returns the text of the item `<Item … sample="0" role="…">text</Item>` with the role `role` in
/// GDAL's metadata XML; `None` if there is no such item.
fn item<'a>(metadata: &'a str, role: &str) -> Option<&'a str> {
    let role = format!("role=\"{role}\"");
    metadata.split("<Item").skip(1).find_map(|item| {
        let (attributes, rest) = item.split_once('>')?;
        let first = !attributes.contains("sample=") || attributes.contains("sample=\"0\"");
        let text = rest.split('<').next()?;
        (first && attributes.contains(&role)).then_some(text)
    })
}
