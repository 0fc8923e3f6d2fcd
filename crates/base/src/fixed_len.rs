//! Deserializers of lists with a fixed length. Without such a check, serde takes the first values
//! of an overlong list and silently drops all further values. Fields of a fixed-length type name
//! one of these functions in `#[serde(deserialize_with = …)]`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};

/// Deserializes a list of fixed length; returns an error unless the list has exactly `N` values.
pub fn list<'de, D, T, const N: usize>(from: D) -> Result<[T; N], D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    List::deserialize(from).map(|List(values)| values)
}

/// Deserializes an optional list; returns an error unless a present list has exactly `N` values.
pub fn option<'de, D, T, const N: usize>(from: D) -> Result<Option<[T; N]>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(from).map(|list| list.map(|List(values)| values))
}

/// Deserializes `M` lists; returns an error unless there are exactly `M` lists of exactly `N`
/// values each.
pub fn lists<'de, D, T, const N: usize, const M: usize>(from: D) -> Result<[[T; N]; M], D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    list(from).map(|lists: [List<T, N>; M]| lists.map(|List(values)| values))
}

/// Deserializes any number of lists; returns an error unless each list has exactly `N` values.
pub fn many<'de, D, T, const N: usize>(from: D) -> Result<Vec<[T; N]>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Vec::deserialize(from)
        .map(|lists: Vec<List<T, N>>| lists.into_iter().map(|List(values)| values).collect())
}

/// Deserializes an optional list of lists; returns an error unless each inner list has exactly `N`
/// values.
pub fn some<'de, D, T, const N: usize>(from: D) -> Result<Option<Vec<[T; N]>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let lists: Option<Vec<List<T, N>>> = Option::deserialize(from)?;
    Ok(lists.map(|lists| lists.into_iter().map(|List(values)| values).collect()))
}

struct List<T, const N: usize>([T; N]);

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for List<T, N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Values(PhantomData)).map(Self)
    }
}

struct Values<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for Values<T, N> {
    type Value = [T; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of length {N}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<[T; N], A::Error> {
        let mut values = Vec::with_capacity(N);
        while values.len() < N
            && let Some(value) = from.next_element()?
        {
            values.push(value);
        }
        let mut count = values.len();
        while count >= N && from.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        values
            .try_into()
            .ok()
            .filter(|_| count == N)
            .ok_or_else(|| Error::invalid_length(count, &self))
    }
}
