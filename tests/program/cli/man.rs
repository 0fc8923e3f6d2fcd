//! Tests of `lavoxel completions` and `lavoxel man`.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use predicates::prelude::*;
use predicates::str::contains;

use super::place::lavoxel;

/// Text that the program prints.
fn printed(args: &[&str]) -> String {
    let output = lavoxel().args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Subcommands that `--help` lists, except `help`.
fn subcommands() -> Vec<String> {
    let help = printed(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let names = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let names: Vec<_> = names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(names.len() >= 13, "{names:?}");
    names
}

/// Flags that a text names.
fn flags(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .collect()
}

#[test]
fn each_shell_gets_a_script_with_each_subcommand_and_flag() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        for name in subcommands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        for flag in ["max-memory", "vent-area", "force", "report"] {
            assert!(script.contains(flag), "{shell}: {flag}");
        }
        // A control character of a script would be printed as a question mark.
        assert!(!script.contains("??"), "{shell}");
    }
    let refused = lavoxel().args(["completions", "tcsh"]).assert().code(2);
    refused.stderr(contains(
        "possible values: bash, elvish, fish, powershell, zsh",
    ));
}

#[test]
fn bash_completes_a_subcommand_and_its_flags() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("lavoxel.bash");
    fs::write(&script, printed(&["completions", "bash"])).unwrap();
    let completed = |words: &str| {
        let ask = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _lavoxel lavoxel \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let said = Command::new("bash").args(["-c", &ask]).output();
        said.ok()
            .map(|said| String::from_utf8(said.stdout).unwrap())
    };
    let Some(found) = completed("lavoxel haz") else {
        eprintln!("skipped: there is no bash");
        return;
    };
    assert_eq!(found.trim(), "hazard");
    assert_eq!(
        completed("lavoxel hazard --vent-a").unwrap().trim(),
        "--vent-area"
    );
}

#[test]
fn each_page_of_the_manual_has_each_flag_of_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let man = folder.path().join("new/man1");
    lavoxel().arg("man").arg(&man).assert().success().stdout("");
    let page = |name: &str| {
        let roff = fs::read_to_string(man.join(name)).unwrap();
        let fonts = ["\\fB", "\\fI", "\\fR"];
        let plain = roff.replace("\\-", "-");
        fonts
            .iter()
            .fold(plain, |text, font| text.replace(font, " "))
    };
    let names = subcommands();
    assert_eq!(fs::read_dir(&man).unwrap().count(), names.len() + 1);
    let main = page("lavoxel.1");
    for name in &names {
        assert!(main.contains(&format!("lavoxel-{name}(1)")), "{name}");
        let page = page(&format!("lavoxel-{name}.1"));
        // The crate of the pages leaves out second names of flags.
        let help = printed(&[name, "--help"]).replace("[alias: --grid]", "");
        let missing: Vec<_> = flags(&help).difference(&flags(&page)).copied().collect();
        assert!(missing.is_empty(), "lavoxel-{name}.1 lacks {missing:?}");
        assert!(page.starts_with(".ie"), "{name}: no preamble of roff");
    }
    // Examples keep their lines.
    assert!(page("lavoxel-sheet.1").contains(".SH EXAMPLES\n.nf\n"));
}

#[test]
fn pages_of_the_manual_appear_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let man = || {
        let mut command = lavoxel();
        command.arg("man").arg(path);
        command
    };
    // The last page is there already.
    fs::write(path.join("lavoxel-man.1"), "mine").unwrap();
    let refused = man().assert().code(2);
    refused.stderr(contains("lavoxel-man.1 exists already").and(contains("--force")));
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
    assert_eq!(
        fs::read_to_string(path.join("lavoxel-man.1")).unwrap(),
        "mine"
    );
    man().arg("--force").assert().success();
    let pages = fs::read_dir(path).unwrap().count();
    assert!(pages > 10, "{pages}");
    // A file in place of the folder.
    let file = path.join("lavoxel.1");
    lavoxel()
        .arg("man")
        .arg(file)
        .assert()
        .code(1)
        .stderr(contains("is no folder"));
}
