//! Subjects of the benchmark (the kinds of work that are timed separately), and their names.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use lavoxel::render::Style;
use lavoxel::simulation::Stage;

/// Subject of the benchmark: a kind of work that is timed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timed {
    /// One stage of a simulation step (a rule or a model), given by its name.
    Rule(&'static str),
    /// Update of the low-pass filter after a step, which computes the volume for pictures.
    Lowpass,
    /// Drawing of one picture in the cinematic style.
    Cinematic,
    /// Drawing of one picture in the scientific style.
    Scientific,
    /// Computation of the hash of the whole state of a simulation.
    Hash,
    /// Conversion of a heightmap to the ground of a box, which is needed when a scene is opened.
    Open,
}

/// All subjects in display order.
static ALL: LazyLock<Vec<Timed>> = LazyLock::new(|| {
    let rules = Stage::names()
        .filter(|name| *name != "sources")
        .map(Timed::Rule);
    rules
        .chain([
            Timed::Lowpass,
            Timed::Cinematic,
            Timed::Scientific,
            Timed::Hash,
            Timed::Open,
        ])
        .collect()
});

impl Timed {
    /// Iterates over all subjects in display order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    /// Returns true if the subject is timed in every world; false for the conversion of a
    /// heightmap, which has rows of its own.
    pub(super) fn is_of_worlds(self) -> bool {
        self != Self::Open
    }

    /// Returns the name of the subject on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Rule(name) => name,
            Self::Lowpass => "lowpass",
            Self::Cinematic => "cinematic",
            Self::Scientific => "scientific",
            Self::Hash => "hash",
            Self::Open => "open",
        }
    }

    /// Returns the key of the subject in a row of the JSON file.
    pub(super) fn key(self) -> String {
        format!("{}_ms", self.name())
    }

    /// Returns the heading of the subject in the text table, which is also the subject's help text.
    pub(super) fn title(self) -> String {
        match self {
            Self::Rule(name) => format!("{name} step"),
            Self::Lowpass => "low-pass after a step".to_owned(),
            Self::Cinematic => "picture, cinematic".to_owned(),
            Self::Scientific => "picture, scientific".to_owned(),
            Self::Hash => "state hash".to_owned(),
            Self::Open => "opening a heightmap".to_owned(),
        }
    }

    /// Returns the style of the timed picture; `None` for subjects other than pictures.
    pub(super) fn style(self) -> Option<Style> {
        match self {
            Self::Cinematic => Some(Style::Cinematic),
            Self::Scientific => Some(Style::Scientific),
            _ => None,
        }
    }
}

impl ValueEnum for Timed {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.title()))
    }
}
