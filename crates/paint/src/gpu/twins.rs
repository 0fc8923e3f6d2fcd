//! Test that a formula written twice, in a shader and in Rust, uses the same numbers in both. A
//! shader function names its Rust counterparts in a comment, as in `// Twin: sky::haze.`. A shader
//! function without a counterpart may contain only the literals of `PLAIN` and `FREE`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Numbers that are too common to identify a formula; ignored in the comparison.
const PLAIN: [&str; 9] = [
    "0",
    "0.5",
    "1",
    "2",
    "255",
    "0.001",
    "0.0001",
    "0.000001",
    "0.000000001",
];
/// Number literals that a shader function without a Rust counterpart may contain in addition to
/// `PLAIN`: counts, and numbers of faces and corners.
const FREE: [&str; 7] = ["0.25", "3", "4", "5", "6", "7", "8"];

/// Returns the source `text` without its `//` comments.
fn bare(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the text from the first `open` in `text` to the brace that closes the block opened
/// there, without the closing brace.
fn block<'a>(text: &'a str, open: &str) -> &'a str {
    let block = &text[text.find(open).expect("a block")..];
    let mut depth = 0;
    let end = block.find(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    &block[..end.expect("its end")]
}

/// Returns the number literals in `text`, each in a spelling that WGSL and Rust have in common.
fn numbers(text: &str) -> BTreeSet<String> {
    let (mut found, mut rest, mut before) = (BTreeSet::new(), text, [' '; 2]);
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        // Fields of a tuple are no numbers, the ends of a range are.
        let begins =
            c.is_ascii_digit() && !word(before[1]) && (before[1] != '.' || before[0] == '.');
        let length = if begins { number(rest) } else { c.len_utf8() };
        if begins {
            found.insert(value(&rest[..length]).to_string());
        }
        before = [before[1], if begins { '0' } else { c }];
        rest = &rest[length..];
    }
    found
}

/// Returns the length in bytes of the number literal at the beginning of `text`.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let goes_on = |i: &usize| match bytes[*i] {
        b'.' => bytes.get(i + 1).is_some_and(u8::is_ascii_digit),
        b'-' => matches!(bytes[i - 1], b'e' | b'E') && !text.starts_with("0x"),
        byte => byte.is_ascii_alphanumeric() || byte == b'_',
    };
    (1..bytes.len())
        .find(|i| !goes_on(i))
        .unwrap_or(bytes.len())
}

fn value(number: &str) -> f64 {
    let number = number.replace('_', "");
    let digits = ["f32", "u32", "i32", "usize", "u"]
        .iter()
        .find_map(|kind| number.strip_suffix(kind))
        .unwrap_or(&number);
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok().map(f64::from),
        None => digits.parse().ok(),
    };
    value.unwrap_or_else(|| panic!("{number} is no number"))
}

/// Adds all Rust files in and below `folder` to `found`, with the module name as the key.
fn modules(folder: &Path, found: &mut BTreeMap<String, Vec<PathBuf>>) {
    for entry in fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            modules(&path, found);
            continue;
        }
        let named = if path.ends_with("mod.rs") {
            folder
        } else {
            &path
        };
        let name = named
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        found.entry(name).or_default().push(path);
    }
}

/// Returns the number literals in the Rust function `twin`, given as `module::function`. `modules`:
/// source files by module name.
fn of_rust(modules: &BTreeMap<String, Vec<PathBuf>>, twin: &str) -> BTreeSet<String> {
    let (module, name) = twin.split_once("::").expect("module::function");
    let Some([file]) = modules.get(module).map(Vec::as_slice) else {
        panic!("{twin}: not one module of that name")
    };
    let text = bare(&fs::read_to_string(file).expect("text"));
    let at = text
        .find(&format!("fn {name}("))
        .or_else(|| text.find(&format!("fn {name}<")));
    numbers(block(
        &text[at.unwrap_or_else(|| panic!("{twin}: no such function"))..],
        "{\n",
    ))
}

/// Returns for each function in the shader source `text` its name, the names of its Rust
/// counterparts, and its number literals.
fn of_shader(text: &str) -> Vec<(String, Vec<String>, BTreeSet<String>)> {
    let (mut functions, mut about, mut at) = (Vec::new(), String::new(), 0);
    for line in text.split_inclusive('\n') {
        let head = line
            .find("fn ")
            .filter(|&head| head == 0 || line.starts_with('@'));
        if let Some(head) = head.filter(|_| !line.starts_with("//")) {
            let name = line[head + 3..]
                .split('(')
                .next()
                .expect("a name")
                .to_owned();
            let twins = about
                .split_once("Twin: ")
                .and_then(|(_, twins)| Some(twins.split_once('.')?.0));
            let twins = twins
                .into_iter()
                .flat_map(|twins| twins.split(", "))
                .map(|twin| twin.split_whitespace().next());
            let twins = twins
                .flatten()
                .filter(|twin| twin.contains("::"))
                .map(str::to_owned)
                .collect();
            functions.push((name, twins, numbers(block(&bare(&text[at..]), "{"))));
        }
        match line.strip_prefix("//") {
            Some(comment) => about.push_str(comment),
            None => about.clear(),
        }
        at += line.len();
    }
    functions
}

#[test]
fn numbers_of_a_shader_are_those_of_its_twin_in_rust() {
    let mut rust = BTreeMap::new();
    modules(&Path::new(ROOT).join("../render/src"), &mut rust);
    rust.insert(
        "palette".to_owned(),
        vec![Path::new(ROOT).join("../automaton/src/view/palette.rs")],
    );
    rust.insert(
        "simd".to_owned(),
        vec![Path::new(ROOT).join("../base/src/simd/mod.rs")],
    );
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut wrong, plain) = (Vec::new(), BTreeSet::from(PLAIN.map(str::to_owned)));
    for entry in
        fs::read_dir(Path::new(ROOT).join("src/gpu/shaders")).expect("the shaders are there")
    {
        let path = entry.expect("a file").path();
        for (name, twins, numbers) in of_shader(&fs::read_to_string(&path).expect("text")) {
            let mut known = plain.clone();
            if twins.is_empty() {
                known.extend(FREE.map(str::to_owned));
            }
            for twin in &twins {
                known.extend(of_rust(&rust, twin));
                seen.entry(twin.clone())
                    .or_default()
                    .extend(numbers.clone());
            }
            let strange: Vec<_> = numbers.difference(&known).collect();
            if !strange.is_empty() {
                wrong.push(format!(
                    "{}: {name} has {strange:?}, which {twins:?} has not",
                    path.display()
                ));
            }
        }
    }
    for (twin, numbers) in &seen {
        let missing: Vec<_> = of_rust(&rust, twin)
            .into_iter()
            .filter(|n| !numbers.contains(n) && !plain.contains(n))
            .collect();
        if !missing.is_empty() {
            wrong.push(format!(
                "{twin} has {missing:?}, which its shaders have not"
            ));
        }
    }
    assert!(seen.len() > 40, "only {} twins were found", seen.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_number_has_one_spelling() {
    let found = numbers(
        "let a = pair.0 + x2 * 0.30 + 1e-3 * 0x9e37_79b1u; (0..16) vec3(5.0, 7u) 2.5e4_f32",
    );
    let expected = ["0.3", "0.001", "2654435761", "0", "16", "5", "7", "25000"];
    assert_eq!(found, BTreeSet::from(expected.map(str::to_owned)));
}
