//! Stands in for the crate ravif: the window's library takes `image` with all of its formats, and the encoder of AVIF alone brings rav1e and
//! 25 more crates. Nothing here writes AVIF; who asks for it gets an error.

pub use imgref::Img;
pub use rgb::{RGB8, RGBA8};

/// Depth of a channel.
pub enum BitDepth {
    Eight,
}

/// Model of colours inside of a file.
pub enum ColorModel {
    YCbCr,
    RGB,
}

/// A file, of which there is none.
pub struct EncodedImage {
    pub avif_file: Vec<u8>,
}

/// AVIF is not written.
#[derive(Debug)]
pub struct Error;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AVIF is not written by this program")
    }
}

impl std::error::Error for Error {}

/// An encoder that refuses.
pub struct Encoder<'exif>(std::marker::PhantomData<&'exif ()>);

impl Encoder<'_> {
    #[expect(clippy::new_without_default, reason = "as the crate that it stands in for")]
    pub fn new() -> Self {
        Self(std::marker::PhantomData)
    }

    pub fn with_quality(self, _: f32) -> Self {
        self
    }

    pub fn with_alpha_quality(self, _: f32) -> Self {
        self
    }

    pub fn with_speed(self, _: u8) -> Self {
        self
    }

    pub fn with_bit_depth(self, _: BitDepth) -> Self {
        self
    }

    pub fn with_internal_color_model(self, _: ColorModel) -> Self {
        self
    }

    pub fn with_num_threads(self, _: Option<usize>) -> Self {
        self
    }

    pub fn with_exif(self, _: Vec<u8>) -> Self {
        self
    }

    pub fn encode_rgb(&self, _: Img<&[RGB8]>) -> Result<EncodedImage, Error> {
        Err(Error)
    }

    pub fn encode_rgba(&self, _: Img<&[RGBA8]>) -> Result<EncodedImage, Error> {
        Err(Error)
    }
}
