//! Animated GIF: 256 colours per frame, supported everywhere.

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, RgbaImage};

use super::{Animation, ExportError, Film};
use lavoxel_files::output::WholeFile;

/// Speed of the search for a palette, 1 (best quality) to 30 (fastest). Fast searches omit the
/// colours of small glowing areas.
const SPEED: i32 = 2;

/// Smallest delay between frames in hundredths of a second: browsers replace shorter delays by 10.
const SHORTEST: u64 = 2;

pub(super) struct Gif {
    encoder: Option<GifEncoder<SharedFile>>,
    file: SharedFile,
    path: std::path::PathBuf,
    film: Film,
    /// Number of frames of the animation received so far.
    frames: u64,
    /// Time at which the last frame written to the file ends, in hundredths of a second from the
    /// beginning of the animation.
    end: u64,
    /// Pixels of the frame received last, if its duration is too short for a GIF frame of its own;
    /// otherwise `None`.
    left: Option<Vec<u8>>,
}

/// Output file in shared ownership of the encoder, which writes to it and does not return it, and
/// of the code that commits the complete file.
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
        self.0
            .borrow_mut()
            .as_mut()
            .map_or(Ok(()), std::io::Write::flush)
    }
}

impl Gif {
    pub(super) fn new(file: WholeFile, film: Film) -> Result<Self, ExportError> {
        let path = file.path().to_owned();
        let file = SharedFile(std::rc::Rc::new(std::cell::RefCell::new(Some(file))));
        let mut encoder = GifEncoder::new_with_speed(file.clone(), SPEED);
        encoder
            .set_repeat(Repeat::Infinite)
            .map_err(|e| ExportError::encoder(&path, e))?;
        Ok(Self {
            encoder: Some(encoder),
            file,
            path,
            film,
            frames: 0,
            end: 0,
            left: None,
        })
    }

    /// Writes the RGB image `rgb` as a frame that is shown for `delay` hundredths of a second.
    fn write(&mut self, rgb: &[u8], delay: u64) -> Result<(), ExportError> {
        let rgba = rgb
            .as_chunks::<3>()
            .0
            .iter()
            .flat_map(|&[r, g, b]| [r, g, b, 255])
            .collect();
        let Some(picture) = RgbaImage::from_raw(self.film.width, self.film.height, rgba) else {
            return Err(ExportError::encoder(
                &self.path,
                "a frame has another size than the animation",
            ));
        };
        let Some(encoder) = &mut self.encoder else {
            return Err(ExportError::encoder(
                &self.path,
                "the animation is complete",
            ));
        };
        self.end += delay;
        let delay = Delay::from_numer_denom_ms(10 * delay as u32, 1);
        encoder
            .encode_frame(Frame::from_parts(picture, 0, 0, delay))
            .map_err(|e| ExportError::encoder(&self.path, e))
    }
}

impl Animation for Gif {
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError> {
        self.hold(rgb, 1)
    }

    fn hold(&mut self, rgb: &[u8], frames: u32) -> Result<(), ExportError> {
        // The format stores a delay as 16 bits of hundredths of a second, so long holds are split.
        let most = 600 * self.film.fps;
        if frames > most {
            self.hold(rgb, most)?;
            return self.hold(rgb, frames - most);
        }
        // Delays alternate by one to keep the film's speed. A frame with less than a hundredth of a
        // second left, because earlier frames had to be longer, passes its time to the next frame.
        self.frames += u64::from(frames);
        let fps = u64::from(self.film.fps);
        let rest = (100 * self.frames).saturating_sub(fps * self.end);
        if rest < fps {
            self.left = Some(rgb.to_vec());
            return Ok(());
        }
        self.left = None;
        self.write(rgb, ((rest + fps / 2) / fps).max(SHORTEST))
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        if let Some(rgb) = self.left.take() {
            self.write(&rgb, SHORTEST)?;
        }
        // Dropping the encoder writes the trailer.
        self.encoder = None;
        match self.file.0.borrow_mut().take() {
            Some(file) => Ok(file.commit()?),
            None => Ok(()),
        }
    }
}
