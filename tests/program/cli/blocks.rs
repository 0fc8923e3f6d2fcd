//! Tests of worlds of blocks: MagicaVoxel and Minecraft, read and written.

use std::io::Write;

use super::place::Place;
use lavoxel::blocks::schem::Sponge;
use lavoxel::blocks::{Build, read};

/// Returns the bytes of a packed `.schem` file with `size` blocks along x, y and z, of which `name`
/// says the names.
fn schem(size: [usize; 3], name: impl Fn([usize; 3]) -> &'static str) -> Vec<u8> {
    let [wide, tall, deep] = size;
    let mut palette = vec!["minecraft:air".to_owned()];
    let mut kinds = Vec::new();
    for k in 0..wide * tall * deep {
        let name = name([k % wide, k / (wide * deep), k / wide % deep]);
        let name = format!("minecraft:{name}");
        let at = palette.iter().position(|known| *known == name);
        kinds.push(at.unwrap_or_else(|| {
            palette.push(name);
            palette.len() - 1
        }) as u16);
    }
    let file = Sponge::new(size, &palette, &kinds).unwrap();
    let named = fastnbt::SerOpts::new().root_name("Schematic");
    let bytes = fastnbt::to_bytes_with_opts(&file, named).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&bytes).unwrap();
    packed.finish().unwrap()
}

/// House of stone with stairs, planks, a torch and a pond, 9 × 6 × 7 blocks.
fn house() -> Vec<u8> {
    schem([9, 6, 7], |[x, y, z]| match (x, y, z) {
        (_, 0, _) if (3..6).contains(&x) && (2..5).contains(&z) => "water[level=0]",
        (_, 0, _) => "stone",
        (0, 1, _) => "oak_stairs[facing=east,half=bottom]",
        (8, _, _) => "oak_planks",
        (4, 1, 0) => "torch",
        (_, 5, 6) => "spruce_leaves[persistent=true]",
        _ => "air",
    })
}

/// Returns the names of the blocks of a box of `size` blocks whose first corner is `first`.
fn part(build: &Build, first: [usize; 3], [wide, tall, deep]: [usize; 3]) -> Vec<&str> {
    let places = (0..wide * tall * deep).map(|k| [k % wide, k / (wide * deep), k / wide % deep]);
    places
        .map(|place| build.name([0, 1, 2].map(|k| first[k] + place[k])))
        .collect()
}

#[test]
fn a_build_of_minecraft_comes_back_with_its_names_and_states() {
    let place = Place::new();
    place.write_file("house.schem", house());
    let before = read(&place.path("house.schem")).unwrap();
    for ending in ["schem", "litematic"] {
        place.done(&format!(
            "run house.schem --steps 0 --quiet --volume back.{ending} --force"
        ));
        let after = read(&place.path(&format!("back.{ending}"))).unwrap();
        let size = before.size;
        let house = part(&after, [6, 3, 6], size);
        assert_eq!(house, part(&before, [0; 3], size), "{ending}");
        // The level ground below the house.
        assert_eq!(
            part(&after, [0; 3], [21, 1, 19]),
            ["minecraft:stone"; 21 * 19]
        );
    }
}

#[test]
fn lava_pours_through_a_build_and_burns_it() {
    let place = Place::new();
    place.write_file("house.schem", house());
    let text = place.done("scene house.schem --print");
    assert!(
        text.contains("kind = \"blocks\"") && text.contains("oak_stairs"),
        "{text}"
    );
    place.write_file("house.toml", &text);
    place.done("run house.toml --steps 0 --quiet --volume scene.schem");
    place.done("run house.schem --steps 0 --quiet --volume bare.schem");
    assert_eq!(place.read("scene.schem"), place.read("bare.schem"));
    place.done("run house.schem --steps 400 --vent 10,9@4 --quiet --volume after.schem");
    let after = read(&place.path("after.schem")).unwrap();
    let count = |wanted: &str| {
        let names = after.names();
        let found = names.iter().find(|(name, _)| *name == wanted);
        found.map_or(0, |(_, count)| *count)
    };
    let lava = count("lava") + count("magma_block") + count("basalt");
    let planks = 5 * 7;
    assert!(
        lava > 30 && count("oak_planks") < planks,
        "{lava} {:?}",
        after.names()
    );
    // A table of one's own: all is rock.
    place.write_file(
        "rock.toml",
        "[[block]]\nnames = [\"*\"]\nmatter = { kind = \"rock\" }",
    );
    let text = place.done("run house.schem --blocks rock.toml --steps 0 --json");
    assert!(!text.contains("wood"), "{text}");
    place.done("render house.schem --finer 2 --steps 20 --size 96x64 --quiet --picture house.png");
}

#[test]
fn blocks_of_magicavoxel_have_colours_and_come_back() {
    let place = Place::new();
    place.write_file("house.schem", house());
    place.done("run house.schem --steps 0 --quiet --volume house.vox");
    let colours = read(&place.path("house.vox")).unwrap();
    let size = read(&place.path("house.schem")).unwrap().size;
    let names = colours.names();
    let of = |wanted: &str| {
        names
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, n)| *n)
    };
    assert_eq!(of("#3f76e4"), Some(9), "{names:?}");
    assert_eq!(of("#a2834f"), Some(35), "{names:?}");
    assert!(colours.size[1] == size[1] + 3, "{:?}", colours.size);
    // Colours alone say what is water.
    let text = place.done("run house.vox --steps 0 --json");
    assert!(text.contains("\"water\""), "{text}");
    place.done("run house.vox --steps 0 --quiet --volume again.vox");
    let again = read(&place.path("again.vox")).unwrap();
    assert_eq!(
        of("#3f76e4"),
        again
            .names()
            .iter()
            .find(|(name, _)| *name == "#3f76e4")
            .map(|(_, n)| *n)
    );
    // A box wider than a model of the format.
    place.done("run house.schem --grid 300x20x40 --steps 0 --quiet --volume wide.vox");
    let wide = read(&place.path("wide.vox")).unwrap();
    assert_eq!(wide.size[0], 300);
}

#[test]
fn wrong_files_of_blocks_are_named_in_one_line() {
    let place = Place::new();
    place.write_file("house.schem", house());
    place.write_file("text.schem", "no blocks");
    place.write_file("text.vox", "no blocks");
    place.write_file("text.litematic", "no blocks");
    for file in ["text.schem", "text.vox", "text.litematic", "none.schem"] {
        let line = place.refused(&format!("run {file} --steps 1"));
        assert!(line.contains(file), "{line}");
    }
    let short = house();
    place.write_file("short.schem", &short[..short.len() / 2]);
    assert!(
        place
            .refused("run short.schem --steps 1")
            .contains("short.schem")
    );
    place.write_file(
        "few.toml",
        "[[block]]\nnames = [\"stone\"]\nmatter = { kind = \"rock\" }",
    );
    let line = place.refused("run house.schem --steps 1 --blocks few.toml");
    assert!(line.contains("[[block]]"), "{line}");
    let line = place.refused("run small.toml --steps 1 --blocks few.toml");
    assert!(line.contains("few.toml"), "{line}");
    let line = place.refused_scene(
        "[[body]]\nshape = { kind = \"blocks\", file = \"house.schem\", of = [\"gold_*\"], from = [0, 0, 0] }\nmatter = { kind = \"rock\" }",
    );
    assert!(
        line.contains("gold_*") && line.contains("oak_stairs"),
        "{line}"
    );
}
