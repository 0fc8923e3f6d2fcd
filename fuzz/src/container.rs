//! Forged checkpoints: any sections in a container with right checksums, as documented in
//! `lavoxel::checkpoint`. The fuzz targets and `tests/program/memory_limit.rs` share this module.

use lavoxel::checkpoint::FORMAT;
use lz4_flex::block::compress;
use xxhash_rust::xxh3::xxh3_64;

/// Size of a block in bytes before compression, except the last block of a section.
pub const BLOCK: usize = 1 << 18;

/// Returns the bytes of a checkpoint with these sections (name, content).
pub fn container<'a>(sections: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Vec<u8> {
    let mut file = [b"L\xe4VOXC\r\n".as_slice(), &FORMAT.to_le_bytes(), b"\x010"].concat();
    for (name, body) in sections {
        file.push(name.len() as u8);
        file.extend(name);
        body.chunks(BLOCK).for_each(|part| file.extend(block(part)));
        file.extend([0; 4]);
    }
    file.push(0);
    file.extend(xxh3_64(&file).to_le_bytes());
    file
}

/// Returns the bytes of a compressed block of a section.
pub fn block(part: &[u8]) -> Vec<u8> {
    let packed = compress(part);
    let lengths = [part.len(), packed.len()].map(|length| (length as u32).to_le_bytes());
    [
        &lengths[0][..],
        &lengths[1],
        &xxh3_64(&packed).to_le_bytes(),
        &packed,
    ]
    .concat()
}
