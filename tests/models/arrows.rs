//! The house: which module of the library may import which. The program's own code counts as one more module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules, floor by floor from the ground up. A module imports only those of lower floors.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "the ground: numbers, shapes, checks, files",
        &["account", "exact", "grid", "memory", "output", "parallel", "round", "stamp", "units", "validate", "words"],
    ),
    ("files that are read, and those of the program", &["input", "shipped"]),
    ("what a key of a scene may be; files in a session file; tables", &["inside", "param", "table"]),
    ("tools", &["generate", "map", "measure", "plot", "random", "simd"]),
    ("what is seen and stood on", &["terrain", "view"]),
    ("what it is made of", &["matter", "mesh"]),
    ("the models, none of which knows another: cells, lava in true units, air", &["air", "flow", "world"]),
    ("the past of the cells; rules between them; what comes in", &["goals", "records", "rules", "source"]),
    ("how rules are carried over the box", &["engine"]),
    ("where the models meet", &["coupling"]),
    ("all models side by side", &["state"]),
    ("the order of a step; what pictures read", &["lowpass", "simulation"]),
    ("pictures, and the frames of films", &["film", "render"]),
    ("scenes; files of a state", &["export", "scene"]),
    ("files to go on from; footprints beside others; reports", &["checkpoint", "compare", "report"]),
    ("what lava reaches", &["exposure"]),
    ("many runs", &["hazard"]),
    ("many runs beside what was observed", &["calibrate"]),
    ("maps for print", &["sheet"]),
    ("the window; the names of a first program", &["prelude", "viewer"]),
    ("the program", &["cli"]),
];

/// Files that are no module of a floor: they only declare the modules.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// Imports of a module, with the files that do.
type Arrows = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// A text without comments and literals: each becomes a space.
pub(crate) fn code(text: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => end_of_block(rest),
            '"' => end_of_string(rest),
            'r' | 'b' if !code.ends_with(|c: char| c.is_alphanumeric() || c == '_') => end_of_raw(rest).unwrap_or(0),
            '\'' => end_of_char(rest).unwrap_or(0),
            _ => 0,
        };
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.push(' ');
            rest = &rest[length..];
        }
    }
    code
}

/// Length of a block comment, which may hold others.
fn end_of_block(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        match rest {
            "" => return text.len(),
            _ if rest.starts_with("/*") => (depth, at) = (depth + 1, at + 2),
            _ if rest.starts_with("*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
        if depth == 0 {
            return at;
        }
    }
}

/// Length of a string.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Length of a raw string; none where a name begins.
fn end_of_raw(text: &str) -> Option<usize> {
    let hashes = text.trim_start_matches('b').strip_prefix('r')?;
    let string = hashes.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(hashes.len() - string.len()));
    let from = text.len() - string.strip_prefix('"')?.len();
    Some(text[from..].find(&end).map_or(text.len(), |at| from + at + end.len()))
}

/// Length of a character; none for a lifetime.
fn end_of_char(text: &str) -> Option<usize> {
    let mut inside = text.char_indices().skip(1);
    let (_, first) = inside.next()?;
    if first == '\\' {
        return inside.skip(1).find(|&(_, c)| c == '\'').map(|(at, _)| at + 1);
    }
    inside.next().filter(|&(_, c)| c == '\'').map(|(at, _)| at + 1)
}

/// Code without what only tests have, and the names of the modules in other files that only they have.
pub(crate) fn without_tests(mut code: String) -> (String, Vec<String>) {
    let (mut modules, mut from) = (Vec::new(), 0);
    let next = |code: &str, from: usize| {
        let all = ["#[cfg(test)]", "#[cfg(all(test,"].map(|mark| code[from..].find(mark));
        all.into_iter().flatten().min().map(|at| from + at)
    };
    while let Some(at) = next(&code, from) {
        let item = &code[at..];
        let end = item.find([';', '{']).unwrap_or(item.len() - 1);
        if let Some(name) = item[..end].rsplit_once("mod ").filter(|_| item[end..].starts_with(';')) {
            modules.push(name.1.trim().to_owned());
        }
        let end = if item[end..].starts_with('{') { end + end_of_braces(&item[end..]) } else { end + 1 };
        code.replace_range(at..at + end, " ");
        from = at;
    }
    (code, modules)
}

/// Length of what stands in braces, with them.
fn end_of_braces(text: &str) -> usize {
    let mut depth = 0_usize;
    let end = text.char_indices().find(|&(_, c)| {
        depth = depth + usize::from(c == '{') - usize::from(c == '}');
        depth == 0
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The first names of the paths that follow each `root` in code: of `{a::b, c}` both.
fn names_after(code: &str, root: &str) -> BTreeSet<String> {
    let name =
        |text: &str| text.trim_start().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect::<String>();
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let path = code[at + root.len()..].trim_start();
        if !path.starts_with('{') {
            names.insert(name(path));
            continue;
        }
        let (mut depth, mut starts) = (0, true);
        for (i, c) in path[..end_of_braces(path)].char_indices() {
            if depth == 1 && starts && !c.is_whitespace() && c != '{' {
                names.insert(name(&path[i..]));
                starts = false;
            }
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => starts = true,
                _ => {}
            }
        }
    }
    names
}

/// All source files below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let of = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    paths.flat_map(of).filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// Imports of the modules of a source folder, tests aside.
fn arrows(folder: &Path) -> Arrows {
    let mut sources = BTreeMap::new();
    let mut only_tests = BTreeSet::new();
    for path in files_below(folder) {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let (code, modules) = without_tests(code(&text));
        let inside = match path.file_name().and_then(|name| name.to_str()) {
            Some("mod.rs" | "lib.rs" | "main.rs") => path.with_file_name(""),
            _ => path.with_extension(""),
        };
        only_tests.extend(modules.iter().map(|name| inside.join(name)));
        sources.insert(path, code);
    }
    let mut arrows = Arrows::new();
    for (path, code) in &sources {
        let is_of_tests = path.with_extension("").ancestors().any(|above| only_tests.contains(above));
        let inside = path.strip_prefix(folder).expect("below the folder").with_extension("");
        let names: Vec<_> = inside.iter().filter_map(|name| name.to_str()).filter(|name| *name != "mod").collect();
        let root = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_of_tests || names.len() == 1 && ROOTS.contains(&root) {
            continue;
        }
        let above = "super::".repeat(names.len());
        let roots = ["crate::", "lavoxel::", &above];
        let of_module = arrows.entry(names[0].to_owned()).or_default();
        for name in roots.iter().flat_map(|root| names_after(code, root)).filter(|name| name != names[0]) {
            of_module.entry(name).or_default().insert(inside.display().to_string());
        }
    }
    let modules: BTreeSet<String> = arrows.keys().cloned().collect();
    // Macros and types of the root are no modules.
    arrows.values_mut().for_each(|imports| imports.retain(|name, _| modules.contains(name)));
    arrows
}

/// Modules that import each other in a circle, if there are any.
fn circle(arrows: &Arrows) -> Vec<&str> {
    let mut left: BTreeSet<&str> = arrows.keys().map(String::as_str).collect();
    loop {
        let rests = |module: &&str| !arrows[*module].keys().any(|import| left.contains(import.as_str()));
        let Some(module) = left.iter().copied().find(rests) else { break };
        left.remove(module);
    }
    // Those above a circle are left too.
    loop {
        let is_read = |module: &&str| left.iter().any(|other| arrows[*other].contains_key(*module));
        let Some(module) = left.iter().copied().find(|module| !is_read(module)) else { break };
        left.remove(module);
    }
    left.into_iter().collect()
}

/// Arrows that do not go down, in words.
fn against_the_floors(arrows: &Arrows) -> Vec<String> {
    let floor = |module: &str| FLOORS.iter().position(|(_, modules)| modules.contains(&module));
    let mut wrong = Vec::new();
    for (module, imports) in arrows {
        let Some(own) = floor(module) else {
            wrong.push(format!("{module} stands on no floor"));
            continue;
        };
        let up = imports.iter().filter(|(import, _)| floor(import).is_some_and(|other| other >= own));
        wrong.extend(up.map(|(import, files)| format!("{module} imports {import}: {files:?}")));
    }
    wrong
}

#[test]
fn modules_import_only_what_stands_below_them() {
    let arrows = arrows(Path::new("src"));
    assert_eq!(circle(&arrows), [""; 0], "these import each other in a circle");
    assert_eq!(against_the_floors(&arrows), [""; 0]);
    let listed: BTreeSet<&str> = FLOORS.iter().flat_map(|(_, modules)| *modules).copied().collect();
    assert_eq!(listed, arrows.keys().map(String::as_str).collect(), "each module once, and no other");
}

#[test]
fn each_model_stands_alone() {
    let arrows = arrows(Path::new("src"));
    let strangers = ["air", "coupling", "engine", "flow", "rules", "source", "state", "world"];
    for model in ["air", "flow", "world"] {
        let known: Vec<_> = strangers.iter().filter(|module| arrows[model].contains_key(**module)).collect();
        assert!(known.is_empty(), "{model} knows {known:?}");
    }
}

/// Engines carry shapes: only the list in `src/rules/schedule.rs` knows all rules.
#[test]
fn engines_name_no_rule() {
    let list = std::fs::read_to_string("src/rules/schedule.rs").expect("the list");
    let mut modules = names_after(&code(&list), "super::");
    modules.retain(|module| Path::new("src/rules").join(format!("{module}.rs")).exists() && module != "params");
    assert!(["gravity", "drift", "grains", "trace", "react", "set", "calm"].iter().all(|&rule| modules.contains(rule)));
    let mut named = Vec::new();
    for path in files_below(Path::new("src/engine")) {
        let (code, _) = without_tests(code(&std::fs::read_to_string(&path).expect("a source file")));
        let names = names_after(&code, "crate::rules::");
        named.extend(names.into_iter().filter(|name| modules.contains(name)).map(|name| (path.clone(), name)));
        assert!(!code.contains("Rule::"), "{path:?} looks into the list");
    }
    assert!(named.is_empty(), "{named:?}");
}

#[test]
fn imports_are_read_from_code_alone() {
    let text = r##"
        //! [`crate::comment`]
        /* crate::block /* crate::inner */ crate::still */
        use crate::{first::{self, Deep}, second, third::Type as Other};
        fn path<'a>(at: &'a crate::fourth::Type) -> char { let _ = ("crate::text", r#"crate::"raw""#); '"' }
        macro_rules! m { () => { $crate::fifth::f!() } }
        #[cfg(test)]
        mod tests { use crate::only_tests::X; fn f() { {} } }
        #[cfg(all(test, feature = "files"))]
        mod elsewhere;
        use crate::sixth; use my_crate::seventh;
    "##;
    let (code, modules) = without_tests(code(text));
    let names: Vec<_> = names_after(&code, "crate::").into_iter().collect();
    assert_eq!(names, ["fifth", "first", "fourth", "second", "sixth", "third"]);
    assert_eq!(modules, ["elsewhere"]);
}

#[test]
fn circles_and_arrows_that_go_up_are_found() {
    let of = |imports: &[(&str, &[&str])]| -> Arrows {
        let set = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), BTreeSet::new())).collect();
        imports.iter().map(|(module, names)| ((*module).to_owned(), set(names))).collect()
    };
    let ring =
        of(&[("grid", &[]), ("world", &["grid", "rules"]), ("rules", &["grid", "world"]), ("engine", &["rules"])]);
    assert_eq!(circle(&ring), ["rules", "world"]);
    assert_eq!(against_the_floors(&ring), ["world imports rules: {}"]);
    let beside = of(&[("air", &["flow"]), ("flow", &[]), ("attic", &[])]);
    assert_eq!(circle(&beside), [""; 0]);
    assert_eq!(against_the_floors(&beside), ["air imports flow: {}", "attic stands on no floor"]);
}

/// Doc lines that begin with a question or a comparison hide the thing behind it.
#[test]
fn doc_lines_begin_with_the_thing() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut hidden = Vec::new();
    for path in files_below(&source) {
        let text = std::fs::read_to_string(&path).expect("a source file");
        for line in text.lines().map(str::trim_start).filter(|line| line.starts_with("///") || line.starts_with("//!"))
        {
            if ["What ", "What.", "The same "].iter().any(|beginning| line[3..].trim_start().starts_with(beginning)) {
                hidden.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert!(hidden.is_empty(), "name the thing, or begin with a verb: {hidden:#?}");
}

#[test]
fn source_files_that_documents_name_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages =
        vec!["README.md", "BENCHMARKS.md", "SECURITY.md"].into_iter().map(PathBuf::from).collect::<Vec<_>>();
    let docs = std::fs::read_dir(root.join("docs")).expect("docs").map(|entry| entry.expect("an entry").path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    let mut named = 0;
    for page in pages {
        let text = std::fs::read_to_string(root.join(&page)).expect("a page");
        // In code spans, such as `src/rules/gravity.rs`.
        for span in text.split('`').filter(|span| span.starts_with("src/") && !span.contains(char::is_whitespace)) {
            named += 1;
            assert!(root.join(span).exists(), "{}: there is no {span}", page.display());
        }
    }
    assert!(named > 50, "{named} files and folders are named");
}
