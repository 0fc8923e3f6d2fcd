//! Prints the number of skipped tests and the missing requirement of each. Its name, and that of
//! its crate, make it the last of the test programs.

use std::collections::BTreeMap;

#[path = "../../../tests/common/needs.rs"]
mod needs;

fn main() {
    let path = needs::list();
    let list = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::remove_file(&path).ok();
    let mut tests: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (missing, test) in list.lines().filter_map(|line| line.split_once('\t')) {
        tests.entry(missing).or_default().push(test);
    }
    let count: usize = tests.values().map(Vec::len).sum();
    println!(
        "\n{count} tests or parts of tests skipped{}",
        if count == 0 { "" } else { ":" }
    );
    for (missing, tests) in &tests {
        println!(
            "  {} for want of {missing}: {}",
            tests.len(),
            tests.join(", ")
        );
    }
    println!();
}
