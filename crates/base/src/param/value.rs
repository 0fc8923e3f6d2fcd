//! Values of scene keys: access to their numbers, and their form (schema type).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

use super::Form;

/// Type of the values of a key in a scene.
pub trait Value {
    /// Form (schema type) of values of this type.
    fn form() -> Form
    where
        Self: Sized;

    /// Returns the numbers in the value that the range of the key limits.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Numbers in the value, each with the name of its key if the value is a table, else with an
    /// empty name.
    fn named_numbers(&self) -> Vec<(&str, f64)> {
        self.numbers()
            .into_iter()
            .map(|number| ("", number))
            .collect()
    }

    /// Replaces the value by `_number`; no effect for types whose values are not numbers.
    fn set(&mut self, _number: f64) {}

    /// Formats the value as text for a message; empty for types without such a text.
    fn shown(&self) -> String {
        String::new()
    }

    /// Formats the value of an optional key for a message; `None` if the key is absent.
    fn given(&self) -> Option<String> {
        None
    }

    /// Value as a number: the first of its numbers, or NaN if the value contains none.
    fn number(&self) -> f64 {
        self.numbers().first().copied().unwrap_or(f64::NAN)
    }
}

macro_rules! numbers {
    ($($type:ty: $form:ident, $from:expr, $to:expr;)*) => {$(
        impl Value for $type {
            fn form() -> Form {
                Form::$form
            }

            fn numbers(&self) -> Vec<f64> {
                vec![self.number()]
            }

            fn number(&self) -> f64 {
                $from(*self)
            }

            fn set(&mut self, number: f64) {
                *self = $to(number);
            }

            fn shown(&self) -> String {
                format!("{self:?}")
            }
        }
    )*};
}

/// Converts an `f32` to the `f64` with the same shortest decimal form: 0.35, not
/// 0.3499999940395355.
fn as_written(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::NAN)
}

numbers! {
    f64: Number, f64::from, f64::from;
    f32: Number, as_written, |number: f64| number as f32;
    u32: Whole, f64::from, |number: f64| number.round() as u32;
    u64: Whole, |value: u64| value as f64, |number: f64| number.round() as u64;
    usize: Whole, |value: usize| value as f64, |number: f64| number.round() as usize;
    bool: Switch, |value: bool| f64::from(u8::from(value)), |number: f64| number >= 0.5;
}

impl Value for String {
    fn form() -> Form {
        Form::Text
    }

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl Value for PathBuf {
    fn form() -> Form {
        Form::Text
    }

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl<V: Value> Value for Option<V> {
    fn form() -> Form {
        V::form()
    }

    fn numbers(&self) -> Vec<f64> {
        self.as_ref().map(V::numbers).unwrap_or_default()
    }

    fn named_numbers(&self) -> Vec<(&str, f64)> {
        self.as_ref().map(V::named_numbers).unwrap_or_default()
    }

    fn given(&self) -> Option<String> {
        self.as_ref().map(V::shown)
    }
}

impl<V: Value> Value for Box<V> {
    fn form() -> Form {
        V::form()
    }
}

impl<V: Value + Debug, const N: usize> Value for [V; N] {
    fn form() -> Form {
        Form::List(Box::new(V::form()), Some(N))
    }

    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(V::numbers).collect()
    }

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl<V: Value + Debug> Value for Vec<V> {
    fn form() -> Form {
        Form::List(Box::new(V::form()), None)
    }

    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(V::numbers).collect()
    }

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl<V: Value> Value for BTreeMap<String, V> {
    fn form() -> Form {
        Form::Map(Box::new(V::form()))
    }

    fn named_numbers(&self) -> Vec<(&str, f64)> {
        self.iter()
            .map(|(name, value)| (name.as_str(), value.number()))
            .collect()
    }
}

super::words!(crate::grid::Walls);
