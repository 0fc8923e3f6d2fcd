//! `--max-memory`: limit of the memory that the program may use.

use std::str::FromStr;

use lavoxel::memory;
use sysinfo::System;

/// Default memory limit, as a fraction of the machine's memory.
const USUAL_SHARE: f64 = 0.8;

/// Memory size as typed by the user: a number of bytes, or a fraction of the machine's memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cli) enum Size {
    Bytes(u64),
    /// Fraction of the machine's memory, above 0 and at most 1.
    Share(f64),
}

impl FromStr for Size {
    type Err = String;

    /// Parses `512M`, `4G`, `1.5GiB`, `80%`, or a number of bytes; K, M, G and so on are powers of
    /// 1024.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is not a size such as 512M, 4G or 80%");
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let power = match unit
            .to_ascii_lowercase()
            .trim_end_matches('b')
            .trim_end_matches('i')
        {
            "%" if number > 0.0 && number <= 100.0 => return Ok(Self::Share(number / 100.0)),
            "" => 0,
            "k" => 1,
            "m" => 2,
            "g" => 3,
            "t" => 4,
            _ => return Err(wrong()),
        };
        let bytes = number * 1024_f64.powi(power);
        if bytes >= 1.0 {
            Ok(Self::Bytes(bytes as u64))
        } else {
            Err(wrong())
        }
    }
}

/// Sets the memory limit of this process to `size`; `None`: the default limit, a fraction of the
/// machine's memory.
pub(in crate::cli) fn limit_to(size: Option<Size>) {
    match size.unwrap_or(Size::Share(USUAL_SHARE)) {
        Size::Bytes(bytes) => memory::set_limit(bytes),
        // If the machine's memory is unknown, there is no limit.
        Size::Share(share) => {
            if let Some(bytes) = of_machine() {
                memory::set_limit((bytes as f64 * share) as u64);
            }
        }
    }
}

/// Returns the memory of the machine in bytes, or the limit of this process's control group if that
/// is smaller; `None` if unknown.
fn of_machine() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let group = system.cgroup_limits().map(|limits| limits.total_memory);
    let all = [Some(system.total_memory()), group]
        .into_iter()
        .flatten()
        .filter(|&bytes| bytes > 0);
    all.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("64M", 64 << 20),
            ("1.5GiB", 3 << 29),
            ("512kb", 512 << 10),
            ("2T", 2 << 40),
            ("77", 77),
        ] {
            assert_eq!(text.parse(), Ok(Size::Bytes(bytes)), "{text}");
        }
        assert_eq!("80%".parse(), Ok(Size::Share(0.8)));
        for text in [
            "", "M", "0", "-4G", "0%", "101%", "4X", "1e9", "1.2.3", "four", "4 G", "NaN", "inf",
        ] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_machine_tells_how_much_memory_it_has() {
        assert!(of_machine().is_some_and(|bytes| bytes > 1 << 26));
    }
}
