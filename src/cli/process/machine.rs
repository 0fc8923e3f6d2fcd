//! Name of the machine, for tables of timings.

/// Returns the names of the machine's processor and operating system in one line.
pub(in crate::cli) fn name() -> String {
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    format!(
        "{}, {system}",
        processor().unwrap_or_else(|| "unknown processor".to_owned())
    )
}

/// Returns the name of the processor; `None` unless the system lists the name in `/proc/cpuinfo`.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
