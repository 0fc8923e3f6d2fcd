//! Forms of values: what may stand behind a key of a scene.

use super::{Param, Scale, Table, names_of};

/// Form of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A number.
    Number,
    /// A whole number, 0 or more.
    Whole,
    /// `true` or `false`.
    Switch,
    /// A text in quotes.
    Text,
    /// One of these texts.
    Words(Vec<&'static str>),
    /// A list of such values, of a fixed length where there is one.
    List(Box<Form>, Option<usize>),
    /// A table with such values under any names.
    Map(Box<Form>),
    /// A table with these keys and no others.
    Table(Vec<Entry>),
    /// Any of these.
    Either(Vec<Form>),
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub key: &'static str,
    /// Its unit, or on what it acts.
    pub unit: &'static str,
    /// Smallest and largest number in it; infinite: none.
    pub range: (f64, f64),
    /// Its meaning.
    pub what: &'static str,
    /// Whether a table must have it.
    pub must: bool,
    /// The kinds of table that have it; none named: all.
    pub kinds: &'static [&'static str],
    /// Form of the value behind it.
    pub form: Form,
}

impl Entry {
    /// A key without a range.
    pub fn new(key: &'static str, form: Form, what: &'static str) -> Self {
        let range = (f64::NEG_INFINITY, f64::INFINITY);
        Self { key, unit: "", range, what, must: false, kinds: &[], form }
    }

    /// The key as one that must be there.
    pub fn needed(self) -> Self {
        Self { must: true, ..self }
    }
}

impl Form {
    /// A number with such a scale.
    pub fn of_scale(scale: Scale) -> Self {
        match scale {
            Scale::Linear | Scale::Logarithmic => Self::Number,
            Scale::Whole => Self::Whole,
            Scale::Switch => Self::Switch,
        }
    }

    /// The names of an enum without fields.
    pub fn words_of<T: serde::de::DeserializeOwned>() -> Self {
        Self::Words(names_of::<T>().to_vec())
    }

    /// A table declared in one list.
    pub fn of_table<T: Table>() -> Self {
        Self::Table(T::PARAMS.iter().map(Param::entry).collect())
    }

    /// A table of parameters, in which a dot in a key leads into a table of its own.
    pub fn of_params(params: impl IntoIterator<Item = Entry>) -> Self {
        let mut keys: Vec<Entry> = Vec::new();
        for entry in params {
            let Some((outer, key)) = entry.key.split_once('.') else {
                keys.push(entry);
                continue;
            };
            let inner = Entry { key, ..entry };
            match keys.iter_mut().find(|known| known.key == outer) {
                Some(Entry { form: Self::Table(inside), .. }) => inside.push(inner),
                _ => keys.push(Entry::new(outer, Self::Table(vec![inner]), "")),
            }
        }
        Self::Table(keys)
    }

    /// The keys of a table.
    pub fn entries(self) -> Vec<Entry> {
        if let Self::Table(entries) = self { entries } else { Vec::new() }
    }

    /// The form of a table that changes another: no key must be there.
    pub fn relaxed(self) -> Self {
        match self {
            Self::Table(keys) => {
                let relaxed = |entry: Entry| Entry { must: false, form: entry.form.relaxed(), ..entry };
                Self::Table(keys.into_iter().map(relaxed).collect())
            }
            Self::Either(forms) => Self::Either(forms.into_iter().map(Self::relaxed).collect()),
            other => other,
        }
    }
}
