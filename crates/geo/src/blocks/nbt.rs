//! Named binary tags (NBT), in which Minecraft's formats are written: unpacking, and a check of the
//! nesting before the tags are decoded.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;

use super::MEND;
use super::error::Fault;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::input::Loaded;

/// First bytes of a file packed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Upper bound on the nesting of tags, as in Minecraft; decoders call themselves for each level.
const DEEPEST: usize = 512;
/// Memory in bytes per byte of the unpacked file while it is decoded: the text itself, and the
/// arrays and names in that text.
const WEIGHT: f64 = 3.0;
/// Number of bytes that are unpacked at a time.
const STEP: usize = 1 << 20;

/// Decodes the file `bytes` of the format named `format`.
pub(super) fn read<T: DeserializeOwned>(
    bytes: Loaded<Vec<u8>>,
    format: &'static str,
) -> Result<T, Fault> {
    let wrong = |found: &dyn std::fmt::Display| Fault::content(format, found);
    let (packed, _held) = bytes.into_parts();
    let bytes = if packed.starts_with(&GZIP) {
        unpacked(&packed, format)?
    } else {
        packed
    };
    let _held = need(bytes.len())?.held();
    check_nesting(&bytes).map_err(|found| wrong(&found))?;
    fastnbt::from_bytes(&bytes).map_err(|error| wrong(&error))
}

fn need(bytes: usize) -> Result<MemoryEstimate, Fault> {
    let need = MemoryEstimate::new("the unpacked blocks", bytes, WEIGHT);
    need.check(MEND)?;
    Ok(need)
}

fn unpacked(packed: &[u8], format: &'static str) -> Result<Vec<u8>, Fault> {
    let (mut bytes, mut file) = (Vec::new(), MultiGzDecoder::new(packed));
    loop {
        need(bytes.len() + STEP)?;
        let part = file.by_ref().take(STEP as u64).read_to_end(&mut bytes);
        if part.map_err(|error| Fault::content(format, error))? == 0 {
            return Ok(bytes);
        }
    }
}

/// List or compound of which the check has not seen the end.
enum Open {
    Compound,
    List { tag: u8, left: usize },
}

/// Checks that the tags in `bytes` are complete and nested at most `DEEPEST` times.
fn check_nesting(bytes: &[u8]) -> Result<(), &'static str> {
    let mut rest = bytes;
    let mut open: Vec<Open> = Vec::new();
    let (tag, _) = (taken(&mut rest, 1)?[0], name(&mut rest)?);
    if tag != 10 {
        return Err("its first tag is no compound");
    }
    open.push(Open::Compound);
    while let Some(last) = open.last_mut() {
        let tag = match last {
            Open::Compound => {
                let tag = taken(&mut rest, 1)?[0];
                if tag == 0 {
                    open.pop();
                    continue;
                }
                name(&mut rest)?;
                tag
            }
            Open::List { left: 0, .. } => {
                open.pop();
                continue;
            }
            Open::List { tag, left } => {
                *left -= 1;
                *tag
            }
        };
        match tag {
            1..=6 => drop(taken(&mut rest, [1, 2, 4, 8, 4, 8][usize::from(tag) - 1])?),
            7 | 11 | 12 => {
                let each = [1, 4, 8][usize::from(tag.saturating_sub(10))];
                let bytes = length(&mut rest)?.checked_mul(each);
                taken(&mut rest, bytes.ok_or("a length is no number")?)?;
            }
            8 => drop(name(&mut rest)?),
            9 => {
                let tag = taken(&mut rest, 1)?[0];
                let left = length(&mut rest)?;
                // Ends have no bytes: a list of ends would be endless.
                open.push(Open::List {
                    tag,
                    left: if tag == 0 { 0 } else { left },
                });
            }
            10 => open.push(Open::Compound),
            _ => return Err("it has a tag that is not known"),
        }
        if open.len() > DEEPEST {
            return Err("its tags are nested too deep");
        }
    }
    Ok(())
}

fn taken<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], &'static str> {
    let (first, others) = rest.split_at_checked(count).ok_or("it ends too early")?;
    *rest = others;
    Ok(first)
}

fn name<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], &'static str> {
    let length = taken(rest, 2)?;
    taken(
        rest,
        usize::from(u16::from_be_bytes([length[0], length[1]])),
    )
}

fn length(rest: &mut &[u8]) -> Result<usize, &'static str> {
    let bytes = taken(rest, 4)?;
    let length = i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    usize::try_from(length).map_err(|_| "a length is negative")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_lists_and_short_files_are_refused() {
        let deep = |levels: usize| {
            let mut bytes = vec![10, 0, 0, 9, 0, 0];
            bytes.extend([9, 0, 0, 0, 1].repeat(levels));
            bytes.extend([1, 0, 0, 0, 0, 0]);
            bytes
        };
        assert_eq!(check_nesting(&deep(100)), Ok(()));
        assert_eq!(
            check_nesting(&deep(1000)),
            Err("its tags are nested too deep")
        );
        assert_eq!(check_nesting(&deep(100)[..40]), Err("it ends too early"));
        assert_eq!(
            check_nesting(&[10, 0, 0, 12, 0, 0, 127, 255, 255, 255]),
            Err("it ends too early")
        );
    }
}
