//! Container format of checkpoints: named sections of compressed blocks with checksums, independent
//! of the content.

use std::io::{self, Read, Write};

use lz4_flex::block::{compress, decompress_into, get_maximum_output_size};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{FORMAT, Fault, MEND};
use lavoxel_base::memory::MemoryEstimate;

/// Magic number at the beginning of a checkpoint. The second byte is not ASCII, and the last two
/// are a line end, so that a transfer in text mode is recognised as damage.
const MAGIC: [u8; 8] = *b"L\xe4VOXC\r\n";

/// Size of an uncompressed block in bytes; the last block of a section may be shorter.
const BLOCK: usize = 1 << 18;

/// Upper bound on the length of a section name and of the program version, in bytes.
const LONGEST_NAME: usize = 32;

/// Returns true if `name` is valid as a section name: 1 to `LONGEST_NAME` printable ASCII
/// characters without spaces.
pub(super) fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(|c| c.is_ascii_graphic())
}

/// Name that error messages use for the end of the file, which contains its checksum.
const END: &str = "end";

/// Writer of a checkpoint's named sections, one after the other, to `W`.
pub(super) struct SectionWriter<W> {
    out: W,
    hash: Xxh3,
    block: Vec<u8>,
}

impl<W: Write> SectionWriter<W> {
    /// Creates a writer and writes the magic number, the format version and the program version.
    pub(super) fn new(out: W) -> io::Result<Self> {
        let mut writer = Self {
            out,
            hash: Xxh3::new(),
            block: Vec::with_capacity(BLOCK),
        };
        writer.write_bytes(&MAGIC)?;
        writer.write_bytes(&FORMAT.to_le_bytes())?;
        writer.put_name(env!("CARGO_PKG_VERSION"))?;
        Ok(writer)
    }

    /// Starts the section `name` (not empty). Each section must be closed by
    /// [`SectionWriter::end_section`].
    pub(super) fn section(&mut self, name: &str) -> io::Result<()> {
        self.put_name(name)
    }

    /// Appends `bytes` to the current section. Blocks are compressed and written as soon as they
    /// are full.
    pub(super) fn add(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK {
                self.end_block()?;
            }
        }
        Ok(())
    }

    /// Ends the current section: writes the last block, which may be shorter than `BLOCK`, and the
    /// end marker of the section.
    pub(super) fn end_section(&mut self) -> io::Result<()> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        self.write_bytes(&0u32.to_le_bytes())
    }

    /// Writes the end marker of the file and the checksum of all bytes before it.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.put_name("")?;
        let sum = self.hash.digest();
        self.write_bytes(&sum.to_le_bytes())?;
        self.out.flush()
    }

    fn end_block(&mut self) -> io::Result<()> {
        let packed = compress(&self.block);
        let length = self.block.len() as u32;
        self.block.clear();
        self.write_bytes(&length.to_le_bytes())?;
        self.write_bytes(&(packed.len() as u32).to_le_bytes())?;
        self.write_bytes(&xxh3_64(&packed).to_le_bytes())?;
        self.write_bytes(&packed)
    }

    fn put_name(&mut self, name: &str) -> io::Result<()> {
        self.write_bytes(&[name.len() as u8])?;
        self.write_bytes(name.as_bytes())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.out.write_all(bytes)
    }
}

/// Reader of a checkpoint's named sections, one after the other. Only one block is in memory at a
/// time, and every number of the file is validated before use.
pub(super) struct SectionReader<R> {
    input: R,
    hash: Xxh3,
    /// Name of the current section for messages; [`END`] after the last section.
    name: String,
    block: Vec<u8>,
    /// Number of bytes of the current block that have been returned to the caller so far.
    taken: usize,
    /// Set when all blocks of the current section have been read.
    ended: bool,
}

impl<R: Read> SectionReader<R> {
    /// Creates a reader and checks magic number and format version of `input`.
    pub(super) fn new(input: R) -> Result<Self, Fault> {
        let (hash, name) = (Xxh3::new(), "first bytes".to_owned());
        let mut reader = Self {
            input,
            hash,
            name,
            block: Vec::new(),
            taken: 0,
            ended: true,
        };
        let mut magic = [0; MAGIC.len()];
        match reader.get(&mut magic) {
            Ok(()) if magic == MAGIC => {}
            Err(Fault::Read(cause)) => return Err(Fault::Read(cause)),
            _ => return Err(Fault::Alien),
        }
        let format = u16::from_le_bytes(reader.array()?);
        let program = reader.get_name()?;
        if format != FORMAT {
            return Err(Fault::Version { format, program });
        }
        Ok(reader)
    }

    /// Starts the next section and returns its name; `None` at the end of a complete file. Fails if
    /// the previous section was not read completely.
    pub(super) fn next_section(&mut self) -> Result<Option<String>, Fault> {
        if !self.is_at_end()? {
            return Err(self.damaged("longer than it can be"));
        }
        END.clone_into(&mut self.name);
        let name = self.get_name()?;
        if name.is_empty() {
            self.check_end()?;
            return Ok(None);
        }
        self.name.clone_from(&name);
        (self.ended, self.taken) = (false, 0);
        self.block.clear();
        Ok(Some(name))
    }

    /// Fills `bytes` with the next bytes of the current section. Fails if fewer bytes are left in
    /// the section.
    pub(super) fn read(&mut self, mut bytes: &mut [u8]) -> Result<(), Fault> {
        while !bytes.is_empty() {
            if self.is_at_end()? {
                return Err(self.damaged("shorter than it must be"));
            }
            let there = &self.block[self.taken..];
            let (now, later) = bytes.split_at_mut(bytes.len().min(there.len()));
            now.copy_from_slice(&there[..now.len()]);
            self.taken += now.len();
            bytes = later;
        }
        Ok(())
    }

    /// Reads the next `N` bytes of the current section. Fails if fewer bytes are left in the
    /// section.
    pub(super) fn read_array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.read(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads all bytes of the current section that are left. Fails if there are more than `limit`
    /// bytes.
    pub(super) fn read_to_end(&mut self, limit: u64) -> Result<Vec<u8>, Fault> {
        let mut all = Vec::new();
        while !self.is_at_end()? {
            let length = all.len() + self.block.len() - self.taken;
            if length as u64 > limit {
                return Err(self.damaged(format!("longer than {limit} bytes")));
            }
            // A growing `Vec` is in memory twice while its contents are copied.
            MemoryEstimate::new("a section of the checkpoint", length, 3.0).check(MEND)?;
            all.extend_from_slice(&self.block[self.taken..]);
            self.taken = self.block.len();
        }
        Ok(all)
    }

    /// Returns true if all bytes of the current section have been read. Reads the next block of the
    /// file if necessary.
    pub(super) fn is_at_end(&mut self) -> Result<bool, Fault> {
        if self.taken == self.block.len() && !self.ended {
            self.next_block()?;
        }
        Ok(self.ended)
    }

    /// Creates the fault that the current section is invalid; `reason`: description for the
    /// message.
    pub(super) fn damaged(&self, reason: impl std::fmt::Display) -> Fault {
        Fault::damaged(&self.name, reason)
    }

    fn next_block(&mut self) -> Result<(), Fault> {
        self.taken = 0;
        self.block.clear();
        let length = u32::from_le_bytes(self.array()?) as usize;
        if length == 0 {
            self.ended = true;
            return Ok(());
        }
        let packed_length = u32::from_le_bytes(self.array()?) as usize;
        if length > BLOCK || packed_length > get_maximum_output_size(length) {
            return Err(self.damaged("a block of an impossible size"));
        }
        let sum = u64::from_le_bytes(self.array()?);
        let mut packed = vec![0; packed_length];
        self.get(&mut packed)?;
        if xxh3_64(&packed) != sum {
            return Err(self.damaged("a wrong checksum"));
        }
        self.block.resize(length, 0);
        match decompress_into(&packed, &mut self.block) {
            Ok(found) if found == length => Ok(()),
            _ => Err(self.damaged("a block that cannot be unpacked")),
        }
    }

    /// Checks that the checksum of the whole file is right and that no bytes follow it.
    fn check_end(&mut self) -> Result<(), Fault> {
        let expected = self.hash.digest();
        if u64::from_le_bytes(self.array()?) != expected {
            return Err(self.damaged("a wrong checksum of the whole file"));
        }
        match self.input.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damaged("more after it")),
            Err(cause) => Err(Fault::Read(cause)),
        }
    }

    fn get_name(&mut self) -> Result<String, Fault> {
        let [length] = self.array()?;
        if usize::from(length) > LONGEST_NAME {
            return Err(self.damaged("a name that is too long"));
        }
        let mut name = vec![0; length.into()];
        self.get(&mut name)?;
        match String::from_utf8(name) {
            Ok(name) if name.is_empty() || is_name(&name) => Ok(name),
            _ => Err(self.damaged("a name that is no word")),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.get(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads bytes of the file, not decompressed, into `bytes` and adds them to the checksum of the
    /// whole file.
    fn get(&mut self, bytes: &mut [u8]) -> Result<(), Fault> {
        self.input
            .read_exact(bytes)
            .map_err(|cause| match cause.kind() {
                io::ErrorKind::UnexpectedEof => Fault::CutShort(self.name.clone()),
                _ => Fault::Read(cause),
            })?;
        self.hash.update(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sections: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = SectionWriter::new(&mut bytes).expect("memory");
        for (name, body) in sections {
            writer.section(name).expect("memory");
            body.chunks(1000)
                .for_each(|part| writer.add(part).expect("memory"));
            writer.end_section().expect("memory");
        }
        writer.finish().expect("memory");
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Fault> {
        let mut reader = SectionReader::new(bytes)?;
        let mut sections = Vec::new();
        while let Some(name) = reader.next_section()? {
            sections.push((name, reader.read_to_end(1 << 30)?));
        }
        Ok(sections)
    }

    #[test]
    fn comes_back_as_it_was_whatever_its_length() {
        for length in [0, 1, 12, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let body: Vec<u8> = (0..length).map(|i| (i * i / 7) as u8).collect();
            let bytes = file(&[("first", &body), ("second", b"x")]);
            let sections = read(&bytes).unwrap_or_else(|fault| panic!("{length}: {fault}"));
            assert_eq!(
                sections,
                [
                    ("first".to_owned(), body),
                    ("second".to_owned(), b"x".to_vec())
                ]
            );
        }
    }

    #[test]
    fn every_bit_and_every_byte_counts() {
        let bytes = file(&[("first", &[7; 300]), ("second", b"some words")]);
        for place in 0..bytes.len() {
            assert!(read(&bytes[..place]).is_err(), "cut at {place}");
            for bit in 0..8 {
                let mut wrong = bytes.clone();
                wrong[place] ^= 1 << bit;
                assert!(read(&wrong).is_err(), "bit {bit} of byte {place}");
            }
        }
        assert!(
            read(&[&bytes[..], b"\n"].concat()).is_err(),
            "more after its end"
        );
    }

    #[test]
    fn a_section_is_read_in_parts_and_never_beyond_its_end() {
        let bytes = file(&[("body", &[1, 2, 3, 4, 5])]);
        let mut reader = SectionReader::new(&bytes[..]).expect("whole");
        assert_eq!(
            reader.next_section().expect("whole").as_deref(),
            Some("body")
        );
        assert_eq!(reader.read_array().expect("there"), [1, 2]);
        assert!(
            matches!(reader.next_section(), Err(Fault::Damaged { .. })),
            "three bytes are left"
        );
        assert!(matches!(reader.read_to_end(2), Err(Fault::Damaged { .. })));
        assert_eq!(reader.read_array().expect("there"), [3, 4, 5]);
        assert!(matches!(
            reader.read_array::<1>(),
            Err(Fault::Damaged { .. })
        ));
        assert!(reader.next_section().expect("whole").is_none());
    }
}
