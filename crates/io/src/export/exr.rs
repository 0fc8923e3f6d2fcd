//! Export of the layers of a traced picture as OpenEXR, in one part with channels by the names that
//! compositing programs know.

use std::path::Path;

use ::exr::prelude::{
    AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer, LayerAttributes, SmallVec, Text,
    WritableImage, f16,
};

use super::values::Values;
use super::{ExportError, Label};
use lavoxel_files::output::{Existing, WholeFile};
use lavoxel_render::PrintLayers;

/// Channels of a file.
type Channels = SmallVec<[AnyChannel<FlatSamples>; 4]>;

/// Writes `layers` to `path`, compressed without loss (ZIP): light as `R`, `G`, `B`,
/// `smoothed.R` …, `emission.R` … and `albedo.R` …, and `normal.X`, `normal.Y`, `normal.Z` as
/// 16-bit numbers; `Z`, the depth in metres, and `samples` as 32-bit numbers. `cell_m`: width of a
/// cell in metres; `labels` become comments.
///
/// # Errors
/// When the file cannot be written.
pub fn write_exr(
    path: &Path,
    layers: PrintLayers,
    cell_m: f64,
    labels: &[Label<'_>],
    existing: Existing,
) -> Result<(), ExportError> {
    let file = WholeFile::create(path, existing)?;
    write(file, layers, cell_m, labels)
}

fn write(
    file: WholeFile,
    layers: PrintLayers,
    cell_m: f64,
    labels: &[Label<'_>],
) -> Result<(), ExportError> {
    let size = layers.size;
    encode(file, size, channels(layers, cell_m as f32), labels)
}

/// Memory per value of a mask in bytes: its number, and the block of the encoder.
pub(super) const BYTES_A_VALUE: f64 = 8.0;

/// Writes `values`, axes (row, column), to `path` as 32-bit numbers of one channel `Y`, 0 where
/// there is no data; the picture has the rows and columns of the ground.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write_mask(
    path: &Path,
    values: &Values,
    labels: &[Label<'_>],
    existing: Existing,
) -> Result<(), ExportError> {
    let file = WholeFile::create(path, existing)?;
    let numbers = values.to_reals();
    let (rows, cols) = numbers.dim();
    let known = |number: &f64| if number.is_nan() { 0.0 } else { *number as f32 };
    let samples = FlatSamples::F32(numbers.iter().map(known).collect());
    let mut channels = Channels::new();
    channels.push(AnyChannel::new("Y", samples));
    encode(file, (cols, rows), channels, labels)
}

fn encode(
    mut file: WholeFile,
    size: (usize, usize),
    channels: Channels,
    labels: &[Label<'_>],
) -> Result<(), ExportError> {
    let path = file.path().to_owned();
    // Rows in blocks of 16, packed by ZIP: what every program reads.
    let encoding = Encoding::SMALL_LOSSLESS;
    let layer = Layer::new(
        size,
        attributes(labels),
        encoding,
        AnyChannels::sort(channels),
    );
    let image = Image::from_layer(layer);
    // In one thread, blocks follow each other in order and need no memory of their own.
    let written = image.write().non_parallel().to_buffered(&mut file);
    written.map_err(|e| ExportError::encoder(&path, e))?;
    Ok(file.commit()?)
}

/// Returns the texts of `labels` as attributes of a file. All are in its comments, because the
/// crate writes attributes of other names in random order.
fn attributes(labels: &[Label<'_>]) -> LayerAttributes {
    // The format knows bytes; programs read them as UTF-8.
    let text = |text: &str| Some(Text::from_slice_unchecked(text.as_bytes()));
    let lines: Vec<String> = labels
        .iter()
        .map(|(key, label)| format!("{key}: {label}"))
        .collect();
    let software = labels.iter().find(|(key, _)| *key == "Software");
    LayerAttributes {
        comments: text(&lines.join("\n")),
        software_name: software.and_then(|(_, label)| text(label)),
        ..LayerAttributes::default()
    }
}

/// Returns the channels of `layers`, whose depths are in cell widths of `cell_m` metres.
fn channels(layers: PrintLayers, cell_m: f32) -> Channels {
    let mut channels = Channels::new();
    // Each layer is dropped as soon as its channels are made.
    for (name, axes, numbers) in [
        ("", ["R", "G", "B"], layers.light),
        ("smoothed.", ["R", "G", "B"], layers.smoothed),
        ("emission.", ["R", "G", "B"], layers.emission),
        ("albedo.", ["R", "G", "B"], layers.albedo),
        ("normal.", ["X", "Y", "Z"], layers.normal),
    ] {
        for (k, axis) in axes.iter().enumerate() {
            let samples = numbers.iter().map(|of| f16::from_f32(of[k])).collect();
            let name = format!("{name}{axis}");
            channels.push(AnyChannel::new(&*name, FlatSamples::F16(samples)));
        }
    }
    let metres = layers.depth.iter().map(|depth| depth * cell_m).collect();
    channels.push(AnyChannel::new("Z", FlatSamples::F32(metres)));
    let samples = layers.samples.iter().map(|&count| count as f32).collect();
    channels.push(AnyChannel::new("samples", FlatSamples::F32(samples)));
    channels
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::exr::prelude::read_first_flat_layer_from_file;

    /// Returns layers of three pixels: a surface, glowing matter and the sky.
    fn layers() -> PrintLayers {
        PrintLayers {
            size: (3, 1),
            light: vec![[0.5, 0.25, 0.125], [8.0, 2.0, 0.5], [0.3, 0.4, 0.5]],
            smoothed: vec![[0.25; 3]; 3],
            emission: vec![[0.0; 3], [8.0, 2.0, 0.5], [0.0; 3]],
            albedo: vec![[0.5; 3], [0.0625; 3], [1.0; 3]],
            normal: vec![[0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.0; 3]],
            depth: vec![12.5, 20.0, f32::INFINITY],
            samples: vec![64; 3],
        }
    }

    #[test]
    fn a_file_has_each_layer_under_the_names_of_its_channels() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.exr");
        let labels = [("Title", "Ätna".to_owned()), ("Step", "20".to_owned())];
        write_exr(&path, layers(), 10.0, &labels, Existing::Keep).expect("it is free");
        let read = read_first_flat_layer_from_file(&path).expect("a file that was just written");
        let layer = read.layer_data;
        let names: Vec<String> = (layer.channel_data.list.iter())
            .map(|channel| channel.name.to_string())
            .collect();
        let expected = "B G R Z albedo.B albedo.G albedo.R emission.B emission.G emission.R \
                        normal.X normal.Y normal.Z samples smoothed.B smoothed.G smoothed.R";
        assert_eq!(names.join(" "), expected);
        let values = |name: &str| -> Vec<f32> {
            let channel = (layer.channel_data.list.iter())
                .find(|channel| channel.name == *name)
                .expect("a channel");
            channel.sample_data.values_as_f32().collect()
        };
        assert_eq!(values("R"), [0.5, 8.0, 0.3_f32].map(half));
        assert_eq!(values("emission.G"), [0.0, 2.0, 0.0]);
        assert_eq!(values("normal.Y"), [1.0, 0.5, 0.0]);
        assert_eq!(values("Z"), [125.0, 200.0, f32::INFINITY]);
        assert_eq!(values("samples"), [64.0; 3]);
        let comments = layer.attributes.comments.expect("comments");
        assert_eq!(comments.bytes(), "Title: Ätna\nStep: 20".as_bytes());
    }

    /// Returns `number` rounded to 16 bits.
    fn half(number: f32) -> f32 {
        f16::from_f32(number).to_f32()
    }
}
