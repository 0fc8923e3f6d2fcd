//! Tests that each scene key is defined once, in its table or in its rule's file, and that the
//! built-in scene and the documentation agree with that definition. `UPDATE_DOCS=1` regenerates the
//! tables of the documentation.

use std::fs;
use std::path::Path;

use lavoxel::air::AirSpec;
use lavoxel::film::{FilmKey, KeyCamera, NotesSpec};
use lavoxel::flow::Lava;
use lavoxel::goals::GoalSpec;
use lavoxel::input::READERS;
use lavoxel::matter::Material;
use lavoxel::output::WRITERS;
use lavoxel::param::{Entry, Form, Table, Value};
use lavoxel::rules::{Param, RulesSpec, Scale};
use lavoxel::scene::{
    BarrierSpec, FilmSpec, GridSpec, Scene, SceneSpec, Seconds, StartSpec, VOLCANO, VentTable,
    other_keys,
};
use lavoxel::simulation::EventSpec;
use lavoxel::source::VentAir;
use lavoxel::terrain::TerrainSpec;
use lavoxel::view::{AirLook, CameraSpec, LookSpec, Surroundings};
use serde::Serialize;

#[test]
fn the_built_in_scene_says_what_each_parameter_does() {
    for param in RulesSpec::params() {
        let key = param.key.rsplit('.').next().expect("a key is not empty");
        let line = VOLCANO
            .lines()
            .find(|line| line.starts_with(&format!("{key} = ")))
            .expect(key);
        let (value, what) = line.split_once('#').expect(key);
        let value: f64 = value
            .split_once('=')
            .expect(key)
            .1
            .trim()
            .parse()
            .expect(key);
        assert_eq!((value, what.trim()), (param.default(), param.what), "{key}");
    }
}

#[test]
fn the_documentation_has_a_row_for_each_parameter() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let has = |name: &str, row: String| {
        let page = fs::read_to_string(docs.join(name)).expect(name);
        assert!(page.contains(&row), "docs/{name} lacks this row:\n{row}");
    };
    RulesSpec::params().for_each(|param| has("scenes.md", row_of(param)));
    Material::params().for_each(|param| has("materials.md", row_of(param)));
}

/// Returns the tables of the documentation that are generated from lists of keys: page, table name,
/// lines.
fn made() -> Vec<(&'static str, &'static str, Vec<String>)> {
    vec![
        ("air.md", "air", lines::<AirSpec>("[air]")),
        ("air.md", "vent.air", lines::<VentAir>("air")),
        ("air.md", "look.air", lines::<AirLook>("[look.air]")),
        ("flow-lava.md", "flow.lava", lines::<Lava>("lava")),
        (
            "flow-ground.md",
            "flow.start",
            lines::<StartSpec>("[flow.start]"),
        ),
        (
            "flow-ground.md",
            "barrier",
            lines::<BarrierSpec>("[[barrier]]"),
        ),
        (
            "scenes-bodies.md",
            "goal",
            rows::<GoalSpec>("[[goal]]", &toml::Table::new()),
        ),
        ("scenes.md", "rules", sides()),
        (
            "scenes.md",
            "vent",
            rows_of(VentTable::form(), "[[vent]]", &toml::Table::new()),
        ),
        (
            "scenes-bodies.md",
            "event",
            rows::<EventSpec>("[[event]]", &toml::Table::new()),
        ),
        ("scenes.md", "grid", lines::<GridSpec>("[grid]")),
        ("scenes.md", "terrain", lines::<TerrainSpec>("[terrain]")),
        (
            "scenes-pictures.md",
            "camera",
            lines::<CameraSpec>("[camera]"),
        ),
        ("scenes-pictures.md", "look", lines::<LookSpec>("[look]")),
        ("scenes-pictures.md", "film", lines::<FilmSpec>("[film]")),
        ("films.md", "film.notes", lines::<NotesSpec>("[film.notes]")),
        (
            "scenes-pictures.md",
            "film.key",
            lines::<FilmKey>("[[film.key]]"),
        ),
        (
            "scenes-pictures.md",
            "film.key.camera",
            lines::<KeyCamera>("camera"),
        ),
    ]
}

fn lines<T: Table + Default + Serialize>(table: &str) -> Vec<String> {
    rows::<T>(
        table,
        &toml::to_string(&T::default())
            .expect("a table")
            .parse()
            .expect("TOML"),
    )
}

/// Returns the documentation lines of the keys of `[rules]` whose values are words; the other keys
/// are in a table of numbers.
fn sides() -> Vec<String> {
    let Form::Table(keys) = RulesSpec::form() else {
        panic!("a table")
    };
    let words = keys
        .into_iter()
        .filter(|key| matches!(key.form, Form::Words(_)))
        .collect();
    let mut defaults: toml::Table = toml::to_string(&RulesSpec::default())
        .expect("a table")
        .parse()
        .expect("TOML");
    // A closed roof is the default and not serialised.
    defaults.insert("roof".to_owned(), "closed".into());
    rows_of(Form::Table(words), "[rules]", &defaults)
}

/// Returns the documentation lines of the table `T` with the default values `defaults`.
fn rows<T: Table>(table: &str, defaults: &toml::Table) -> Vec<String> {
    rows_of(
        Form::Table(T::PARAMS.iter().map(Param::entry).collect()),
        table,
        defaults,
    )
}

/// Returns the documentation lines of the keys `keys` of a table with the default values
/// `defaults`.
fn rows_of(keys: Form, table: &str, defaults: &toml::Table) -> Vec<String> {
    let Form::Table(keys) = keys else {
        panic!("{table} is a table")
    };
    let head = [
        format!("| key of `{table}` | values | default | what |"),
        "|---|---|---|---|".to_owned(),
    ];
    let row = |key: Entry| {
        let default = defaults
            .get(key.key)
            .filter(|value| !value.is_table())
            .map(|value| format!("`{value}`"));
        let kinds = if key.kinds.is_empty() || key.kinds.len() > 4 {
            String::new()
        } else {
            format!("{}: ", key.kinds.join(", "))
        };
        let what = key.what.trim_end_matches('.');
        format!(
            "| `{}` | {} | {} | {kinds}{what} |",
            key.key,
            values(&key),
            default.unwrap_or_default()
        )
    };
    head.into_iter().chain(keys.into_iter().map(row)).collect()
}

/// Returns the tables of SECURITY.md: all formats that are read and written.
fn made_for_security() -> [(&'static str, &'static str, Vec<String>); 2] {
    const PAGE: &str = "../SECURITY.md";
    let endings = |endings: &[&str]| {
        endings
            .iter()
            .map(|ending| format!("`.{ending}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let size = |bytes: u64| match bytes {
        bytes if bytes >> 40 > 0 => "any".to_owned(),
        bytes if bytes >> 30 > 0 => format!("{} GiB", bytes >> 30),
        bytes if bytes >> 20 > 0 => format!("{} MiB", bytes >> 20),
        bytes => format!("{} KiB", bytes >> 10),
    };
    let read = READERS.iter().map(|reader| {
        let (what, endings, by, most) = (
            reader.what,
            endings(reader.endings),
            reader.named_by,
            size(reader.most_bytes),
        );
        let weight = if reader.weight > 0.0 {
            reader.weight.to_string()
        } else {
            "in pieces".to_owned()
        };
        format!(
            "| {what} | {endings} | {by} | {most} | {weight} | `{}` | `{}` |",
            reader.weighed_in, reader.fuzz
        )
    });
    let written = WRITERS.iter().map(|writer| {
        format!(
            "| {} | {} | {} | `{}` |",
            writer.what,
            endings(writer.endings),
            writer.named_by,
            writer.written_in
        )
    });
    let table = |head: &str, columns: usize, rows: &mut dyn Iterator<Item = String>| {
        [head.to_owned(), format!("|{}", "---|".repeat(columns))]
            .into_iter()
            .chain(rows)
            .collect::<Vec<_>>()
    };
    let head = "| file | endings | named by | longest | memory a byte | weighed in | fuzz target |";
    let head_of_written = "| file | endings | named by | written in |";
    [
        (PAGE, "files that are read", table(head, 7, &mut { read })),
        (
            PAGE,
            "files that are written",
            table(head_of_written, 4, &mut { written }),
        ),
    ]
}

/// Returns a short description of the values that a key accepts.
fn values(key: &Entry) -> String {
    let (low, high) = key.range;
    let unit = if key.unit.starts_with('1') {
        format!("in {}", key.unit)
    } else {
        key.unit.to_owned()
    };
    let range = if low.is_finite() {
        format!("{} to {} {unit}", short(low), short(high))
    } else {
        unit
    };
    let range = range.trim();
    let listed = |count: String| {
        if range.is_empty() {
            count
        } else {
            format!("{count}, {range}")
        }
    };
    match &key.form {
        Form::Number | Form::Whole if range.is_empty() => "a number".to_owned(),
        Form::Number | Form::Whole | Form::Map(_) => range.to_owned(),
        Form::Switch => "`true`, `false`".to_owned(),
        Form::Words(words) => words
            .iter()
            .map(|word| format!("`{word}`"))
            .collect::<Vec<_>>()
            .join(", "),
        Form::Text => "a text".to_owned(),
        Form::List(of, Some(length)) if matches!(**of, Form::List(..)) => {
            listed(format!("{length} pairs"))
        }
        Form::List(_, Some(length)) => listed(format!("{length} numbers")),
        Form::List(..) => listed("a list".to_owned()),
        Form::Table(_) => "a table".to_owned(),
        Form::Either(forms) => {
            let mut each: Vec<_> = forms
                .iter()
                .map(|form| {
                    values(&Entry {
                        form: form.clone(),
                        ..key.clone()
                    })
                })
                .collect();
            each.dedup();
            each.join(" or ")
        }
    }
}

/// Returns the text of a limit, as people write numbers.
fn short(limit: f64) -> String {
    let plain = limit == 0.0 || (1e-3..1e4).contains(&limit.abs());
    if plain {
        limit.to_string()
    } else {
        format!("{limit:e}")
    }
}

#[test]
fn the_tables_of_the_documentation_are_made_from_the_lists() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for (page, name, lines) in made().into_iter().chain(made_for_security()) {
        let path = docs.join(page);
        let text = fs::read_to_string(&path).expect(page);
        let (first, last) = (format!("<!-- keys: {name} -->\n"), "\n<!-- end of keys -->");
        let from = text
            .find(&first)
            .unwrap_or_else(|| panic!("docs/{page} lacks {first}"))
            + first.len();
        let to = from
            + text[from..]
                .find(last)
                .unwrap_or_else(|| panic!("docs/{page}: {name} has no end"));
        let made = lines.join("\n");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, format!("{}{made}{}", &text[..from], &text[to..])).expect("written");
            continue;
        }
        assert_eq!(
            &text[from..to],
            made,
            "docs/{page}, {name}: UPDATE_DOCS=1 makes it again"
        );
    }
}

/// Checks that the built-in scene has every key of its tables, with keys without a default in
/// comments.
#[test]
fn the_built_in_scene_has_every_key() {
    let keys_of: [(&str, Vec<&str>); 5] = [
        ("grid", GridSpec::PARAMS.iter().map(|key| key.key).collect()),
        (
            "terrain",
            TerrainSpec::PARAMS.iter().map(|key| key.key).collect(),
        ),
        (
            "camera",
            CameraSpec::PARAMS.iter().map(|key| key.key).collect(),
        ),
        ("look", LookSpec::PARAMS.iter().map(|key| key.key).collect()),
        ("film", FilmSpec::PARAMS.iter().map(|key| key.key).collect()),
    ];
    // Keys of other models and materials have their own pages.
    let elsewhere = ["cell_height_m", "capacity"];
    for (table, keys) in keys_of {
        let head = format!("[{table}]");
        let section = VOLCANO
            .lines()
            .skip_while(|line| !line.starts_with(&head))
            .skip(1);
        let section: Vec<_> = section
            .take_while(|line| !line.starts_with('[') || line.starts_with("[look.air]"))
            .collect();
        for key in keys.into_iter().filter(|key| !elsewhere.contains(key)) {
            let named = |line: &&str| {
                line.trim_start_matches("# ")
                    .starts_with(&format!("{key} = "))
            };
            let is_table = section
                .iter()
                .any(|line| line.starts_with(&format!("[{table}.{key}]")));
            assert!(
                is_table || section.iter().any(named),
                "[{table}] lacks {key}"
            );
        }
    }
    let given: SceneSpec = toml::from_str(VOLCANO).expect("TOML");
    let mut usual = SceneSpec::default();
    // A heightmap's box floats by default, because nothing is known of the land around; the volcano
    // has land around its box.
    usual.look.surroundings = Surroundings::Land;
    // A gentle cone is seen from lower down, and from nearer than all of its box needs.
    usual.camera.elevation_deg = 11.0;
    (usual.camera.distance, usual.camera.target) = (Some(0.85), Some([0.5, 0.18, 0.5]));
    assert_eq!(
        (&given.grid, &given.terrain, &given.rules),
        (&usual.grid, &usual.terrain, &usual.rules)
    );
    assert_eq!(
        (&given.camera, &given.look, &given.film),
        (&usual.camera, &usual.look, &usual.film)
    );
}

/// Returns the paths of the keys in a scene text, including keys in comments.
fn paths(text: &str) -> Vec<String> {
    let (mut table, mut paths) = (String::new(), Vec::new());
    for line in text.lines().map(|line| line.trim_start_matches("# ")) {
        if line.starts_with('[') {
            table = line
                .trim_start_matches('[')
                .split(']')
                .next()
                .expect("a head")
                .to_owned()
                + ".";
            paths.push(table.trim_end_matches('.').to_owned());
        } else if let Some((key, _)) = line.split_once(" = ") {
            paths.push(format!("{table}{key}").trim_start_matches('.').to_owned());
        }
    }
    paths
}

/// Collects the paths of the keys of tables and lists of tables, except tables whose keys depend on
/// their kind.
fn paths_of(form: &Form, path: &str, found: &mut Vec<String>) {
    match form {
        Form::Table(keys)
            if keys.iter().all(|key| key.kinds.is_empty()) && path.matches('.').count() < 2 =>
        {
            for key in keys {
                let path = format!("{path}.{}", key.key)
                    .trim_start_matches('.')
                    .to_owned();
                paths_of(&key.form, &path, found);
                found.push(path);
            }
        }
        Form::List(of, None) => paths_of(of, path, found),
        Form::Either(forms) => forms.iter().for_each(|form| paths_of(form, path, found)),
        _ => {}
    }
}

#[test]
fn the_printed_defaults_have_every_key_of_every_table() {
    let (shown, mut wanted) = ([paths(VOLCANO), paths(&other_keys())].concat(), Vec::new());
    paths_of(&SceneSpec::form(), "", &mut wanted);
    for path in [
        "air.wind",
        "source.material",
        "barrier.width_m",
        "grid.capacity",
        "flow.lava.yield_pa",
        "model",
    ] {
        assert!(wanted.iter().any(|wanted| wanted == path), "{path}");
    }
    // Inline tables stand in the line of their key.
    let inline = [
        "event.",
        "body.",
        "goal.",
        "film.notes.",
        "film.key.",
        "look.air.",
        "look.palette.",
        "heater.shape.",
    ];
    let missing = |path: &&String| {
        !shown.contains(path) && !inline.iter().any(|table| path.starts_with(table))
    };
    let missing: Vec<_> = wanted.iter().filter(missing).collect();
    assert!(missing.is_empty(), "not printed: {missing:?}");
    let long: Vec<_> = other_keys()
        .lines()
        .filter(|line| line.chars().count() > 120)
        .map(str::to_owned)
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn a_key_of_the_built_in_scene_that_is_left_out_is_what_it_shows() {
    let read =
        |text: &str| toml::from_str::<SceneSpec>(text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
    let whole = read(VOLCANO);
    let lines: Vec<_> = VOLCANO.lines().collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for (number, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.starts_with(['#', '[', ' ']) && !line.is_empty())
    {
        // `at` is the only place key of the vent.
        if line.starts_with("at = ") {
            continue;
        }
        let rest: Vec<_> = lines
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number)
            .map(|(_, line)| *line)
            .collect();
        let is_same = read(&rest.join("\n")) == whole;
        let comment = lines[number + 1..]
            .iter()
            .take_while(|line| line.starts_with("  "));
        let says =
            line.contains("left out") || comment.into_iter().any(|line| line.contains("left out"));
        if is_same == says {
            wrong.push(*line);
        }
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "left out, these are not what they show, or say so without need: {wrong:#?}"
    );
    assert!(count > 50, "{count}");
}

#[test]
fn keys_in_the_comments_of_the_printed_defaults_have_the_values_of_keys_left_out() {
    let begin = |table: &str| match table {
        "flow" => "model = \"flow\"\n[flow]\n",
        "flow.lava" => "model = \"flow\"\n[flow.lava]\n",
        "flow.start" => "model = \"flow\"\n[flow.start]\nthickness = \"a.tif\"\n",
        "source" => "[[source]]\nmaterial = \"water\"\nx = 1.0\nz = 1.0\n",
        "fume" => "[[fume]]\nx = 1.0\nz = 1.0\n",
        "vent" => "[[vent]]\nx = 1.0\nz = 1.0\n",
        "material" => "[[material]]\nname = \"stuff\"\n",
        "barrier" => "[[barrier]]\nline_m = [[0.0, 0.0], [50.0, 50.0]]\n",
        "" => "\n",
        "air" => "[air]\n",
        "grid" => "[grid]\n",
        _ => "",
    };
    let (mut table, mut count, mut wrong) = (String::new(), 0, Vec::new());
    for line in other_keys()
        .lines()
        .map(|line| line.trim_start_matches("# ").to_owned())
    {
        if line.starts_with('[') {
            table = line
                .trim_start_matches('[')
                .split(']')
                .next()
                .expect("a head")
                .to_owned();
            continue;
        }
        let Some((key, value)) = line.split_once(" = ") else {
            continue;
        };
        let (begin, value) = (
            begin(&table),
            value.split(" #").next().expect("a value").trim(),
        );
        let is_key = key
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if begin.is_empty()
            || !is_key
            || key == "at"
            || value.contains('…')
            || begin.contains(&format!("\n{key} = "))
        {
            continue;
        }
        let (with, without) = (
            toml::from_str(&format!("{begin}{key} = {value}\n")),
            toml::from_str(begin),
        );
        let without: SceneSpec = without.unwrap_or_else(|e| panic!("{e} in\n{begin}"));
        if with.as_ref() != Ok(&without) {
            wrong.push(format!(
                "[{table}] {key} = {value}: {}",
                with.map_or_else(|e| e.to_string(), |_| String::new())
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "{count}");
}

fn row_of<T: Default>(param: &Param<T>) -> String {
    if param.scale == Scale::Switch {
        return format!(
            "| `{}` | `false`, `true` | `{}` | {} |",
            param.key,
            param.default() >= 0.5,
            param.what
        );
    }
    let low = if param.low > 0.0 && param.low < 1e-3 {
        "above 0".to_owned()
    } else {
        param.low.to_string()
    };
    let high = (param.high * 1e3).floor() / 1e3;
    format!(
        "| `{}` | {low} to {high} | {} | {} |",
        param.key,
        param.default(),
        param.what
    )
}

#[test]
fn a_number_out_of_its_range_is_refused_by_the_name_of_its_table() {
    for param in RulesSpec::params() {
        for value in [param.low, param.high, param.default()] {
            let mut spec = RulesSpec::default();
            (param.set)(&mut spec, value);
            assert_eq!(
                (param.get)(&spec),
                value,
                "{} is read as it was written",
                param.key
            );
            spec.validate("rules").expect(param.key);
        }
        let mut spec = RulesSpec::default();
        (param.set)(&mut spec, 2.0 * param.high + 1.0);
        let refused = spec
            .validate("material[1].rules")
            .expect_err(param.key)
            .to_string();
        assert!(
            refused.contains(&format!("material[1].rules.{}", param.key)),
            "{refused}"
        );
    }
}

#[test]
fn messages_name_the_key_and_the_mend() {
    let words = |text: &str| {
        Scene::parse(text, Path::new("a.toml"))
            .map(drop)
            .expect_err(text)
            .to_string()
    };
    for (text, expected) in [
        (
            "seed = 1\n[vent]\nx = 1.0\n",
            "a.toml:2: [vent]: a scene may have many of them, so write [[vent]]",
        ),
        (
            "[[grid]]\nsize = [8, 8, 8]\n",
            "a.toml:1: [[grid]]: a scene has one at most, so write [grid]",
        ),
        (
            "[look]\nglow = 1.0\n[[look.air]]\nglow = 1.0\n",
            "a.toml:3: [[look.air]]: a scene has one at most, so write [look.air]",
        ),
        (
            "seed = 1\n[film.key]\nstep = 3\n",
            "a.toml:2: [film.key]: a scene may have many of them, so write [[film.key]]",
        ),
        ("grid = [8, 8, 8]\n", "a.toml:1: grid"),
        (
            "[terrain]\nkind = \"plane\nseed = 1\n",
            "a.toml:2: kind: the text has no quote at its end; write kind = \"plane\"",
        ),
        (
            "[flow]\nlava = { preset = 'etna-basalt } # thin\n",
            "a.toml:2: preset: the text has no quote at its end; write preset = 'etna-basalt'",
        ),
        (
            "[rules]\nwalls = true\n",
            "a.toml:2: rules.walls = true: must be \"closed\" or \"open\"",
        ),
        (
            "walls = \"open\"\n",
            "a.toml:1: unknown key `walls` in the head of the scene: it is a key of [rules]",
        ),
        (
            "[grid]\nwalls = \"open\"\n",
            "a.toml:2: unknown key `walls` in [grid]: it is a key of [rules]",
        ),
        (
            "model = \"physical\"\n",
            "a.toml:1: model: unknown value `physical`: did you mean `flow`? (known here: classic, flow)",
        ),
        (
            "[terrain]\nkind = \"plain\"\n",
            "a.toml:2: terrain.kind: unknown value `plain`: did you mean `plane`? (known here: volcano, hills, plane, slope, bowl, \
             heightmap)",
        ),
        (
            "[rules]\nthresold = 1.0\n",
            "a.toml:2: unknown key `thresold`: did you mean `threshold`? (known here: ",
        ),
    ] {
        assert!(
            words(text).starts_with(expected),
            "{} for {expected}",
            words(text)
        );
    }
}

#[test]
fn times_are_read_in_parts_and_by_all_names_of_their_units() {
    let read = |text: &str| text.parse::<Seconds>().map(|Seconds(seconds)| seconds);
    for (text, seconds) in [
        ("13 d", 1_123_200.0),
        (" 30 min", 1800.0),
        ("40", 40.0),
        ("1e3 s", 1000.0),
        ("1h30min", 5400.0),
        ("1 hour", 3600.0),
        ("2 d 3 h", 183_600.0),
        ("1.5 hours", 5400.0),
        ("1d12h30min5s", 131_405.0),
        ("-1h", -3600.0),
    ] {
        assert_eq!(read(text), Ok(seconds), "{text}");
    }
    for wrong in [
        "", "d", "13 weeks", "1 m", "inf", "1 2 s", "1h30", "30min1h", "1h1h", "-1h30min",
        "1h-30min", "1 h e",
    ] {
        assert!(
            read(wrong).is_err_and(|message| message.starts_with("must be a number of seconds")),
            "{wrong}"
        );
    }
}

#[test]
fn a_vent_colder_than_its_solidus_is_named_by_its_own_key() {
    let text = "model = \"flow\"\n[flow]\nlava = { preset = \"etna-basalt\", vent_k = 1080.0 }\n";
    let refused = Scene::parse(text, Path::new("a.toml"))
        .map(drop)
        .expect_err("too cold")
        .to_string();
    assert!(
        refused.contains("flow.lava.vent_k = 1080: must be at least flow.lava.solidus_k"),
        "{refused}"
    );
}
