//! Names of the variants of a fieldless enum, as serde deserializes them.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, Visitor};

/// Names of all variants of a fieldless enum `T`, in the order of declaration.
pub(crate) fn names_of<T: DeserializeOwned>() -> &'static [&'static str] {
    match T::deserialize(Names) {
        Err(Found(names)) => names,
        Ok(_) => &[],
    }
}

/// Deserializer that yields no value and returns the list of variant names as its error.
struct Names;

#[derive(Debug)]
struct Found(&'static [&'static str]);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Found {}

impl de::Error for Found {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> Deserializer<'de> for Names {
    type Error = Found;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Found> {
        Err(Found(&[]))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Found> {
        Err(Found(names))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enum_has_its_names_in_scenes() {
        assert_eq!(names_of::<crate::grid::Walls>(), ["closed", "open"]);
        assert_eq!(names_of::<f64>(), [""; 0]);
    }
}
