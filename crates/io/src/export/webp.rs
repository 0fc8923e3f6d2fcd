//! Export of animated WebP: small files that every browser plays.

use std::io::Write;

use webp_animation::{Encoder, EncoderOptions, EncodingConfig};

use super::{Animation, ExportError, Film};
use lavoxel_files::output::{OutputError, WholeFile};

/// Quality of the lossy compression, 0 (smallest file) to 100.
const QUALITY: f32 = 84.0;

pub(super) struct WebP {
    file: WholeFile,
    film: Film,
    frames: u32,
    encoder: Encoder,
}

impl WebP {
    pub(super) fn new(file: WholeFile, film: Film) -> Result<Self, ExportError> {
        // Every frame is a key frame: lossy patches on the previous frame leave blocks where light
        // changes slowly.
        let options = EncoderOptions {
            kmin: 0,
            kmax: 1,
            encoding_config: Some(EncodingConfig::new_lossy(QUALITY)),
            ..EncoderOptions::default()
        };
        let encoder = Encoder::new_with_options((film.width, film.height), options)
            .map_err(|e| ExportError::encoder(file.path(), format!("{e:?}")))?;
        Ok(Self {
            file,
            film,
            frames: 0,
            encoder,
        })
    }
}

impl Animation for WebP {
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError> {
        self.hold(rgb, 1)
    }

    fn hold(&mut self, rgb: &[u8], frames: u32) -> Result<(), ExportError> {
        let rgba: Vec<u8> = rgb
            .as_chunks::<3>()
            .0
            .iter()
            .flat_map(|&[r, g, b]| [r, g, b, 255])
            .collect();
        let start = self.film.start_ms(self.frames) as i32;
        self.frames += frames;
        self.encoder
            .add_frame(&rgba, start)
            .map_err(|e| ExportError::encoder(self.file.path(), format!("{e:?}")))
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        let Self {
            mut file,
            film,
            frames,
            encoder,
        } = *self;
        let data = encoder
            .finalize(film.start_ms(frames) as i32)
            .map_err(|e| ExportError::encoder(file.path(), format!("{e:?}")))?;
        file.write_all(&data)
            .map_err(|e| OutputError::io(file.path(), e))?;
        Ok(file.commit()?)
    }
}
