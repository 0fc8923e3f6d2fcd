//! Animated PNG: lossless, supported by all browsers.
//!
//! The header states the number of frames. Frames are therefore written to an unnamed temporary
//! file until the last frame is known, so that an animation that is stopped early is still valid.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};

use png::{BitDepth, ColorType, Compression, Encoder};

use super::{Animation, ExportError, Film};
use lavoxel_files::output::{OutputError, WholeFile};

pub(super) struct Apng {
    file: WholeFile,
    film: Film,
    frames: u32,
    spool: BufWriter<File>,
}

impl Apng {
    pub(super) fn new(file: WholeFile, film: Film) -> Result<Self, ExportError> {
        let folder = file
            .temporary_path()
            .parent()
            .map(std::path::Path::to_owned)
            .unwrap_or_default();
        let spool = tempfile::tempfile_in(folder).map_err(|e| OutputError::io(file.path(), e))?;
        Ok(Self {
            file,
            film,
            frames: 0,
            spool: BufWriter::new(spool),
        })
    }

    fn encode(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        self.spool.flush()?;
        self.spool.rewind()?;
        let mut spool = BufReader::new(self.spool.get_ref());
        let mut encoder = Encoder::new(&mut self.file, self.film.width, self.film.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Balanced);
        encoder.set_animated(self.frames, 0)?;
        encoder.set_frame_delay(1, self.film.fps as u16)?;
        let mut writer = encoder.write_header()?;
        let mut rgb = vec![0; 3 * self.film.width as usize * self.film.height as usize];
        for _ in 0..self.frames {
            spool.read_exact(&mut rgb)?;
            writer.write_image_data(&rgb)?;
        }
        Ok(writer.finish()?)
    }
}

impl Animation for Apng {
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError> {
        self.frames += 1;
        self.spool
            .write_all(rgb)
            .map_err(|e| OutputError::io(self.file.path(), e).into())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        if self.frames == 0 {
            return Err(ExportError::encoder(
                self.file.path(),
                "the animation has no frame",
            ));
        }
        if let Err(reason) = self.encode() {
            return Err(ExportError::encoder(self.file.path(), reason));
        }
        Ok(self.file.commit()?)
    }
}
