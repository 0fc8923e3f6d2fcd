//! Flag `--shard`: the share of a command's runs that this process makes.

use std::str::FromStr;

/// Share of a command's runs: `3/40` means every fortieth run, beginning with the third.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Shard {
    pub(in crate::cli) number: u64,
    pub(in crate::cli) of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text
            .split_once('/')
            .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let (number, of) = parts
            .filter(|&(number, of): &(u64, u64)| (1..=of).contains(&number))
            .ok_or_else(|| {
                "must be a part and how many there are, such as 3/40: the third of forty".to_owned()
            })?;
        Ok(Self { number, of })
    }
}

impl Shard {
    /// Returns true if this process makes the run with the index `run`, counted from 0.
    pub(in crate::cli) fn has(self, run: u64) -> bool {
        run % self.of == self.number - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_runs_and_each_run_once() {
        let shards = |of: u64| {
            (1..=of).map(move |number| format!("{number}/{of}").parse::<Shard>().expect("right"))
        };
        for run in 0..100 {
            assert_eq!(shards(7).filter(|shard| shard.has(run)).count(), 1, "{run}");
        }
        for wrong in ["", "3", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(
                wrong
                    .parse::<Shard>()
                    .is_err_and(|message| message.contains("3/40")),
                "{wrong}"
            );
        }
    }
}
