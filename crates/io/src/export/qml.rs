//! QGIS styles of maps: `lava.qml` next to `lava.tif` colours the map in QGIS like the program's
//! own pictures.
//!
//! QGIS 3 reads the file when the map is added to a project, and lists every round value of the
//! scale in its layer panel.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::ExportError;
use super::style::MapStyle;
use lavoxel_files::output::{Existing, whole};

/// Returns the path of the QGIS style file that belongs to the map file `map`.
pub(super) fn path_of(map: &Path) -> PathBuf {
    map.with_extension("qml")
}

/// Writes the QGIS style of the colour mapping `style` to `path`.
pub(super) fn write(path: &Path, style: &MapStyle, existing: Existing) -> Result<(), ExportError> {
    let text = document(style);
    Ok(whole(path, existing, |out| out.write_all(text.as_bytes()))?)
}

fn document(style: &MapStyle) -> String {
    let (low, high) = style.range;
    let kind = match style.classes {
        [] if !style.single => "INTERPOLATED",
        [] => "DISCRETE",
        _ => "EXACT",
    };
    let items: String = items(style).iter().map(Item::xml).collect();
    // A logarithmic scale hides values below its lower end.
    let none = if style.log { low } else { 0.0 };
    let nothing = if style.none_at_zero {
        format!(
            "<singleValuePixelList><pixelListEntry min=\"0\" max=\"{none}\" percentTransparent=\"100\"/></singleValuePixelList>"
        )
    } else {
        String::new()
    };
    format!(
        "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n\
         <qgis version=\"3.22\" styleCategories=\"Symbology\">\n \
          <pipe>\n  \
           <rasterrenderer type=\"singlebandpseudocolor\" band=\"1\" alphaBand=\"-1\" opacity=\"1\" nodataColor=\"\" \
           classificationMin=\"{low}\" classificationMax=\"{high}\">\n   \
            <rasterTransparency>{nothing}</rasterTransparency>\n   \
            <minMaxOrigin><limits>None</limits><extent>WholeRaster</extent><statAccuracy>Exact</statAccuracy></minMaxOrigin>\n   \
            <rastershader>\n    \
             <colorrampshader colorRampType=\"{kind}\" classificationMode=\"1\" clip=\"0\" labelPrecision=\"4\" \
             minimumValue=\"{low}\" maximumValue=\"{high}\">\n{}{items}     \
              <rampLegendSettings useContinuousLegend=\"0\" direction=\"0\" orientation=\"2\" minimumLabel=\"\" \
              maximumLabel=\"\" prefix=\"\" suffix=\"{}\"/>\n    \
             </colorrampshader>\n   \
            </rastershader>\n  \
           </rasterrenderer>\n  \
           <brightnesscontrast brightness=\"0\" contrast=\"0\" gamma=\"1\"/>\n  \
           <huesaturation saturation=\"0\" grayscaleMode=\"0\" colorizeOn=\"0\"/>\n  \
           <rasterresampler maxOversampling=\"2\"/>\n \
          </pipe>\n \
          <blendMode>0</blendMode>\n\
         </qgis>\n",
        gradient(style),
        escaped(style.unit),
    )
}

/// Entry of the colour table in a QGIS style file: a value with its colour and label.
struct Item {
    /// Upper end of the range of values that get the entry's colour; `None` for the last entry,
    /// whose range has no upper end.
    value: Option<f64>,
    color: [u8; 3],
    opacity: u8,
    label: String,
}

impl Item {
    fn xml(&self) -> String {
        let value = self
            .value
            .map_or("inf".to_owned(), |value| value.to_string());
        let [r, g, b] = self.color;
        let label = escaped(&self.label);
        format!(
            "     <item value=\"{value}\" color=\"#{r:02x}{g:02x}{b:02x}\" alpha=\"{}\" label=\"{label}\"/>\n",
            self.opacity
        )
    }
}

/// Returns the entries of the colour table: both ends of the colour scale and the round values in
/// between, ascending.
fn items(style: &MapStyle) -> Vec<Item> {
    let item = |value: f64, label: String| Item {
        value: Some(value),
        color: style.color(value),
        opacity: 255,
        label,
    };
    if style.single {
        // Values up to a half count as outside of the footprint.
        let none = Item {
            opacity: 0,
            ..item(0.5, String::new())
        };
        return vec![
            none,
            Item {
                value: None,
                ..item(1.0, style.title.clone())
            },
        ];
    }
    if !style.classes.is_empty() {
        return style
            .classes
            .iter()
            .map(|class| item(f64::from(class.number), class.name.to_owned()))
            .collect();
    }
    let (low, high) = style.range;
    let near = |a: f64, b: f64| (style.place(a) - style.place(b)).abs() < 0.01;
    let mut values: Vec<f64> = style.ticks().into_iter().map(|(value, _)| value).collect();
    values.retain(|value| !near(*value, low) && !near(*value, high));
    values.insert(0, low);
    values.push(high);
    values
        .into_iter()
        .map(|value| item(value, style.label(value)))
        .collect()
}

/// Returns the palette of `style` as a QGIS colour ramp, from which QGIS makes new classes if the
/// user asks for it.
fn gradient(style: &MapStyle) -> String {
    let rgba = |share: f32| {
        let [r, g, b] = style.palette.srgb(share);
        format!("{r},{g},{b},255")
    };
    let stops: Vec<String> = (1..8)
        .map(|i| i as f32 / 8.0)
        .map(|share| format!("{share};{}", rgba(share)))
        .collect();
    let options = [
        ("color1", rgba(0.0)),
        ("color2", rgba(1.0)),
        ("discrete", "0".to_owned()),
        ("stops", stops.join(":")),
    ];
    let option = |(name, value): &(&str, String)| {
        format!("<Option type=\"QString\" name=\"{name}\" value=\"{value}\"/>")
    };
    let options: String = options.iter().map(option).collect();
    format!(
        "     <colorramp type=\"gradient\" name=\"[source]\"><Option type=\"Map\">{options}</Option></colorramp>\n"
    )
}

/// Escapes `text` for use in XML attributes and elements.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_cannot_end_an_attribute() {
        assert_eq!(
            escaped("a\"/><b> & \u{7}c"),
            "a&quot;/&gt;&lt;b&gt; &amp; c"
        );
    }
}
