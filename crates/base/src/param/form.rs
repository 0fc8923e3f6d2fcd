//! Forms of values: the types that may follow a key of a scene.

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
    /// A list of values of one form, with its length if fixed.
    List(Box<Form>, Option<usize>),
    /// A table with values of one form under any names.
    Map(Box<Form>),
    /// A table with these keys and no others.
    Table(Vec<Entry>),
    /// Any of these forms.
    Either(Vec<Form>),
}

/// Key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name of the key.
    pub key: &'static str,
    /// Unit, or the thing on which the key acts.
    pub unit: &'static str,
    /// Smallest and largest allowed number; infinite: unbounded.
    pub range: (f64, f64),
    /// Meaning of the key.
    pub what: &'static str,
    /// Mandatory flag: a table must have the key.
    pub must: bool,
    /// Kinds of table that have the key; empty: all.
    pub kinds: &'static [&'static str],
    /// Form of the value.
    pub form: Form,
}

impl Entry {
    /// Creates an optional key without a range.
    pub fn new(key: &'static str, form: Form, what: &'static str) -> Self {
        let range = (f64::NEG_INFINITY, f64::INFINITY);
        Self { key, unit: "", range, what, must: false, kinds: &[], form }
    }

    /// Makes the key mandatory.
    pub fn needed(self) -> Self {
        Self { must: true, ..self }
    }
}

impl Form {
    /// Form of a number with a given scale.
    pub fn of_scale(scale: Scale) -> Self {
        match scale {
            Scale::Linear | Scale::Logarithmic => Self::Number,
            Scale::Whole => Self::Whole,
            Scale::Switch => Self::Switch,
        }
    }

    /// Names of an enum without fields.
    pub fn words_of<T: serde::de::DeserializeOwned>() -> Self {
        Self::Words(names_of::<T>().to_vec())
    }

    /// Form of a table declared in one list.
    pub fn of_table<T: Table>() -> Self {
        Self::Table(T::PARAMS.iter().map(Param::entry).collect())
    }

    /// Form of a table of parameters, in which a dot in a key leads into an inner table.
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

    /// Keys of a table; empty for other forms.
    pub fn entries(self) -> Vec<Entry> {
        if let Self::Table(entries) = self { entries } else { Vec::new() }
    }

    /// Form of a table that changes another: no key is mandatory.
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
