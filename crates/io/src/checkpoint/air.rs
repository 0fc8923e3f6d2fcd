//! Section of the air in a checkpoint.
//!
//! The section holds the numbers of [`AirState`](lavoxel_air::AirState) in order: the accounts of
//! the fields as u64; the ash on the ground of each column as u64, and the part that became grains;
//! solid cells as bits in words of u32; the units of each field as u32; and the words of the solver
//! as u32.

use std::io::{self, Read, Write};

use super::Fault;
use super::sections::{SectionReader, SectionWriter};
use lavoxel_air::{Air, Numbers};

/// Writes the checkpoint section of `air`, in the format that the module describes, to `writer`.
pub(super) fn write<W: Write>(air: &Air, writer: &mut SectionWriter<W>) -> io::Result<()> {
    air.save().visit_bytes(|bytes| writer.add(bytes))
}

/// Reads the section written by `write` into `air`, which must have been built from the same scene.
/// The caller has checked the memory limit.
pub(super) fn read<R: Read>(air: &mut Air, reader: &mut SectionReader<R>) -> Result<(), Fault> {
    let mut state = air.save();
    let Numbers { longs, words } = state.numbers_mut();
    longs
        .into_iter()
        .try_for_each(|numbers| read_longs(reader, numbers))?;
    words
        .into_iter()
        .try_for_each(|plane| read_words(reader, plane))?;
    air.restore(&state).map_err(|fault| reader.damaged(fault))
}

fn read_longs<R: Read>(reader: &mut SectionReader<R>, to: &mut [u64]) -> Result<(), Fault> {
    to.iter_mut().try_for_each(|number| {
        reader
            .read_array()
            .map(|bytes| *number = u64::from_le_bytes(bytes))
    })
}

fn read_words<R: Read>(reader: &mut SectionReader<R>, to: &mut [u32]) -> Result<(), Fault> {
    to.iter_mut().try_for_each(|word| {
        reader
            .read_array()
            .map(|bytes| *word = u32::from_le_bytes(bytes))
    })
}
