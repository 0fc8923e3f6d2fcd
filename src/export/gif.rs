//! Animated GIF: 256 colours a frame, opens everywhere.

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, RgbaImage};

use super::{Animation, ExportError, Film};
use crate::output::WholeFile;

/// Quality against speed of the colour choice, 1 (best) to 30 (fastest): a coarse choice misses what little glows.
const SPEED: i32 = 2;

pub(super) struct Gif {
    encoder: Option<GifEncoder<SharedFile>>,
    file: SharedFile,
    path: std::path::PathBuf,
    film: Film,
}

/// A writer shared by the encoder, which owns its writer for good, and the commit of the file.
#[derive(Clone)]
struct SharedFile(std::rc::Rc<std::cell::RefCell<Option<WholeFile>>>);

impl std::io::Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.borrow_mut().as_mut() {
            Some(file) => file.write(bytes),
            None => Err(std::io::Error::other("the file is complete")),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.borrow_mut().as_mut().map_or(Ok(()), std::io::Write::flush)
    }
}

impl Gif {
    pub(super) fn new(file: WholeFile, film: Film) -> Result<Self, ExportError> {
        let path = file.path().to_owned();
        let file = SharedFile(std::rc::Rc::new(std::cell::RefCell::new(Some(file))));
        let mut encoder = GifEncoder::new_with_speed(file.clone(), SPEED);
        encoder.set_repeat(Repeat::Infinite).map_err(|e| ExportError::encoder(&path, e))?;
        Ok(Self { encoder: Some(encoder), file, path, film })
    }
}

impl Animation for Gif {
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError> {
        self.hold(rgb, 1)
    }

    fn hold(&mut self, rgb: &[u8], frames: u32) -> Result<(), ExportError> {
        // The format counts a delay in 16 bits of hundredths of a second.
        let most = 600 * self.film.fps;
        if frames > most {
            self.hold(rgb, most)?;
            return self.hold(rgb, frames - most);
        }
        let rgba = rgb.as_chunks::<3>().0.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
        let Some(picture) = RgbaImage::from_raw(self.film.width, self.film.height, rgba) else {
            return Err(ExportError::encoder(&self.path, "a frame has another size than the animation"));
        };
        let Some(encoder) = &mut self.encoder else {
            return Err(ExportError::encoder(&self.path, "the animation is complete"));
        };
        let delay = Delay::from_numer_denom_ms(1000 * frames, self.film.fps);
        encoder.encode_frame(Frame::from_parts(picture, 0, 0, delay)).map_err(|e| ExportError::encoder(&self.path, e))
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        // Dropping the encoder writes the trailer.
        self.encoder = None;
        match self.file.0.borrow_mut().take() {
            Some(file) => Ok(file.commit()?),
            None => Ok(()),
        }
    }
}
