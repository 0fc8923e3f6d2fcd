//! Replaces the directories of a TIFF: presents the original bytes with the checked and repaired
//! directories appended.

use std::sync::Arc;

use tiff_reader::source::{SharedSource, TiffSource};

use super::directory::{Entry, Form, Value};

/// TIFF presented to the decoder: new header, the other bytes of the original file, and the
/// appended directories.
struct Presented {
    file: SharedSource,
    header: Vec<u8>,
    tail: Vec<u8>,
}

/// Returns `file` with `directories` in place of its own directories.
///
/// # Errors
/// If the file is too long for the size of its offsets.
pub(super) fn presented(
    file: SharedSource,
    form: Form,
    directories: &[Vec<Entry>],
) -> Result<SharedSource, &'static str> {
    let mut header = file
        .read_exact_at(0, form.header())
        .map_err(|_| "a file without a header")?;
    let start = file.len();
    let mut writer = Writer {
        form,
        start,
        tail: Vec::new(),
    };
    // Place of the offset of the next directory: in the header first, then in the previous
    // directory.
    let mut link = None;
    for entries in directories {
        let at = writer.directory(entries, &mut link);
        if link.is_none() {
            let word = form.header() - form.word();
            header[word..].copy_from_slice(&form.bytes(at, form.word()));
        }
        link = Some(writer.tail.len() - form.word());
    }
    if !form.wide && start + writer.tail.len() as u64 > u64::from(u32::MAX) {
        return Err("more than 4 GB; convert it, for example with gdal_translate -co BIGTIFF=YES");
    }
    Ok(Arc::new(Presented {
        file,
        header,
        tail: writer.tail,
    }))
}

struct Writer {
    form: Form,
    /// Offset in the presented file at which the appended bytes begin.
    start: u64,
    tail: Vec<u8>,
}

impl Writer {
    /// Appends a directory and those values that do not fit in its entries. Returns the directory's
    /// offset, which is also written at `link`, an index into the appended bytes.
    fn directory(&mut self, entries: &[Entry], link: &mut Option<usize>) -> u64 {
        let form = self.form;
        let fields: Vec<Vec<u8>> = entries.iter().map(|entry| self.field(entry)).collect();
        let at = self.start + self.tail.len() as u64;
        if let Some(link) = *link {
            self.tail[link..link + form.word()].copy_from_slice(&form.bytes(at, form.word()));
        }
        self.tail
            .extend(form.bytes(entries.len() as u64, form.count()));
        for (entry, field) in entries.iter().zip(fields) {
            self.tail.extend(form.bytes(entry.tag.into(), 2));
            self.tail.extend(form.bytes(entry.kind.into(), 2));
            self.tail.extend(form.bytes(entry.count, form.word()));
            self.tail.extend(field);
        }
        self.tail.extend(form.bytes(0, form.word()));
        at
    }

    /// Returns the value field of a tag: its values if they fit, otherwise the offset of the
    /// values, which are appended.
    fn field(&mut self, entry: &Entry) -> Vec<u8> {
        let word = self.form.word();
        match &entry.value {
            Value::At(at) => self.form.bytes(*at, word),
            Value::Bytes(bytes) if bytes.len() <= word => {
                let mut field = bytes.clone();
                field.resize(word, 0);
                field
            }
            Value::Bytes(bytes) => {
                let at = self.start + self.tail.len() as u64;
                self.tail.extend(bytes);
                self.form.bytes(at, word)
            }
        }
    }
}

impl TiffSource for Presented {
    fn len(&self) -> u64 {
        self.file.len() + self.tail.len() as u64
    }

    fn read_exact_at(&self, offset: u64, length: usize) -> tiff_reader::error::Result<Vec<u8>> {
        let outside = tiff_reader::error::Error::OffsetOutOfBounds {
            offset,
            length: length as u64,
            data_len: self.len(),
        };
        let end = offset
            .checked_add(length as u64)
            .filter(|end| *end <= self.len())
            .ok_or(outside)?;
        let file_end = self.file.len();
        let in_file = offset.min(file_end)..end.min(file_end);
        let mut bytes = self
            .file
            .read_exact_at(in_file.start, (in_file.end - in_file.start) as usize)?;
        for (byte, new) in bytes.iter_mut().zip(
            self.header
                .get(offset.min(16) as usize..)
                .unwrap_or_default(),
        ) {
            *byte = *new;
        }
        if end > file_end {
            let in_tail = (offset.max(file_end) - file_end) as usize..(end - file_end) as usize;
            bytes.extend_from_slice(&self.tail[in_tail]);
        }
        Ok(bytes)
    }
}
