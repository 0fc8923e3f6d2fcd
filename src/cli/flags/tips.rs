//! Suggestions for invalid command lines that replace those of the parser, which compares a flag
//! only with the flags of one command.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// Units of time, each with the spellings that users may type.
const TIMES: [(&str, &[&str]); 4] = [
    ("s", &["s", "sec", "second", "seconds"]),
    ("min", &["min", "mins", "minute", "minutes"]),
    ("h", &["h", "hour", "hours"]),
    ("d", &["d", "day", "days"]),
];

/// Returns the parser's error `error` with a better suggestion, or unchanged if there is none.
/// `program`: parser with all commands; `typed`: words of the command line.
pub(in crate::cli) fn better(mut error: Error, program: &Command, typed: &[String]) -> Error {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    if let Some(tip) = of_a_time(wrong, typed).or_else(|| of_another_command(wrong, program, typed))
    {
        error.remove(ContextKind::SuggestedArg);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

/// Returns the suggestion for a time that was typed with a space, such as `--duration 3h` for
/// `--duration 3 hours`; `None` if `wrong` is not the unit of such a time. `wrong`: word that the
/// parser rejected; `typed`: words of the command line.
fn of_a_time(wrong: &str, typed: &[String]) -> Option<String> {
    let at = typed.iter().position(|word| word == wrong)?;
    let [flag, number] = typed.get(at.checked_sub(2)?..at)? else {
        return None;
    };
    let (unit, _) = TIMES
        .iter()
        .find(|(_, words)| words.contains(&wrong.to_lowercase().as_str()))?;
    let is_time = flag.starts_with("--") && number.parse::<f64>().is_ok();
    is_time.then(|| format!("a number and its unit are one word: {flag} {number}{unit}"))
}

/// Returns the suggestion that `wrong` is a flag of other commands; `None` if no other command has
/// this flag. `program`: parser with all commands; `typed`: words of the command line.
fn of_another_command(wrong: &str, program: &Command, typed: &[String]) -> Option<String> {
    let name = wrong.strip_prefix("--")?.split('=').next()?;
    let has = |command: &&Command| {
        command.get_arguments().any(|arg| {
            arg.get_long() == Some(name)
                || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
        })
    };
    let others: Vec<String> = program
        .get_subcommands()
        .filter(|command| !typed.iter().any(|word| word == command.get_name()))
        .filter(has)
        .map(|command| format!("{} {}", program.get_name(), command.get_name()))
        .collect();
    (!others.is_empty()).then(|| format!("--{name} is a flag of {}", others.join(", ")))
}
