//! Forms (schema types) of the values of keys in a scene.

use super::{Param, Scale, Table, names_of};

/// Schema type of the value of a key in a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A number, with or without decimals.
    Number,
    /// A whole number, 0 or more.
    Whole,
    /// `true` or `false`.
    Switch,
    /// A string.
    Text,
    /// A string that is one of the strings in this list.
    Words(Vec<&'static str>),
    /// A list whose values all have the form in the first field; the second field is the length of
    /// the list, or `None` if any length is allowed.
    List(Box<Form>, Option<usize>),
    /// A table with arbitrary keys, whose values all have the given form.
    Map(Box<Form>),
    /// A table that may have the keys in this list and no others.
    Table(Vec<Entry>),
    /// A value that has one of the forms in this list.
    Either(Vec<Form>),
}

/// Schema of one key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name of the key in the table.
    pub key: &'static str,
    /// Unit of the key's number, or, for a number without a unit, the object to which the number
    /// refers, such as `on rock`.
    pub unit: &'static str,
    /// Smallest and largest allowed number; an infinite end is unbounded.
    pub range: (f64, f64),
    /// Description of the key for users of the program.
    pub what: &'static str,
    /// Mandatory flag: true if a table without the key is an error.
    pub must: bool,
    /// Kinds of the table (values of its tag key) in which the key is allowed; empty: allowed in
    /// every kind.
    pub kinds: &'static [&'static str],
    /// Form of the key's value.
    pub form: Form,
}

impl Entry {
    /// Creates the schema of an optional key without a unit; the range of its number is unbounded.
    pub fn new(key: &'static str, form: Form, what: &'static str) -> Self {
        let range = (f64::NEG_INFINITY, f64::INFINITY);
        Self {
            key,
            unit: "",
            range,
            what,
            must: false,
            kinds: &[],
            form,
        }
    }

    /// Returns the entry with its flag `must` set, as a mandatory key.
    pub fn needed(self) -> Self {
        Self { must: true, ..self }
    }
}

impl Form {
    /// Form of a numeric parameter whose values have the distribution `scale`.
    pub fn of_scale(scale: Scale) -> Self {
        match scale {
            Scale::Linear | Scale::Logarithmic => Self::Number,
            Scale::Whole => Self::Whole,
            Scale::Switch => Self::Switch,
        }
    }

    /// Form of a fieldless enum `T`: the list of its variant names, as they appear in a scene.
    pub fn words_of<T: serde::de::DeserializeOwned>() -> Self {
        Self::Words(names_of::<T>().to_vec())
    }

    /// Form of the table type `T`, from the list of its keys.
    pub fn of_table<T: Table>() -> Self {
        Self::Table(T::PARAMS.iter().map(Param::entry).collect())
    }

    /// Form of a table from its parameters; a key with a dot, such as `a.b`, becomes key `b` of the
    /// nested table `a`.
    pub fn of_params(params: impl IntoIterator<Item = Entry>) -> Self {
        let mut keys: Vec<Entry> = Vec::new();
        for entry in params {
            let Some((outer, key)) = entry.key.split_once('.') else {
                keys.push(entry);
                continue;
            };
            let inner = Entry { key, ..entry };
            match keys.iter_mut().find(|known| known.key == outer) {
                Some(Entry {
                    form: Self::Table(inside),
                    ..
                }) => inside.push(inner),
                _ => keys.push(Entry::new(outer, Self::Table(vec![inner]), "")),
            }
        }
        Self::Table(keys)
    }

    /// Returns the keys of a table form; an empty list for any other form.
    pub fn entries(self) -> Vec<Entry> {
        if let Self::Table(entries) = self {
            entries
        } else {
            Vec::new()
        }
    }

    /// Returns the form with all keys optional, for a table that overrides some values of another
    /// table.
    pub fn relaxed(self) -> Self {
        match self {
            Self::Table(keys) => {
                let relaxed = |entry: Entry| Entry {
                    must: false,
                    form: entry.form.relaxed(),
                    ..entry
                };
                Self::Table(keys.into_iter().map(relaxed).collect())
            }
            Self::Either(forms) => Self::Either(forms.into_iter().map(Self::relaxed).collect()),
            other => other,
        }
    }
}
