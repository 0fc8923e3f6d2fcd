//! Parameters: numbers of a table with key, unit, range and words, from which scenes, messages, panels and docs are made.

/// How the values of a parameter are spread over its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Small values matter as much as large ones.
    Logarithmic,
    /// Whole numbers; small ones matter as much as large ones.
    Whole,
    /// 0 for no, 1 for yes.
    Switch,
}

/// One number of a table of parameters, kept in a `T`. Scenes, messages, the panel, the documentation and the tests take it from
/// here.
#[derive(Debug)]
pub struct Param<T> {
    /// Its key in a table of rules, such as `friction.on_solid`.
    pub key: &'static str,
    /// Its unit, or on what it acts.
    pub unit: &'static str,
    /// The smallest value that it may have.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// How to choose between them.
    pub scale: Scale,
    /// Meaning, and effect on the flow.
    pub what: &'static str,
    /// Reads it.
    pub get: fn(&T) -> f64,
    /// Writes it.
    pub set: fn(&mut T, f64),
}

/// A parameter that is a field of the set it is kept in: field, unit, range, scale, words. The field is an `f64`, with the
/// scale `Whole` a `u32`, and with `Switch` a `bool`.
macro_rules! param {
    ($first:ident $(. $rest:ident)*, $unit:literal, $low:expr, $high:expr, Whole, $what:literal) => {
        $crate::param::Param {
            key: concat!(stringify!($first) $(, ".", stringify!($rest))*),
            unit: $unit,
            low: $low,
            high: $high,
            scale: $crate::param::Scale::Whole,
            what: $what,
            get: |of| f64::from(of.$first $(.$rest)*),
            set: |of, value| of.$first $(.$rest)* = value.round() as u32,
        }
    };
    ($first:ident $(. $rest:ident)*, $unit:literal, $low:expr, $high:expr, Switch, $what:literal) => {
        $crate::param::Param {
            key: concat!(stringify!($first) $(, ".", stringify!($rest))*),
            unit: $unit,
            low: $low,
            high: $high,
            scale: $crate::param::Scale::Switch,
            what: $what,
            get: |of| f64::from(u8::from(of.$first $(.$rest)*)),
            set: |of, value| of.$first $(.$rest)* = value >= 0.5,
        }
    };
    ($first:ident $(. $rest:ident)*, $unit:literal, $low:expr, $high:expr, $scale:ident, $what:literal) => {
        $crate::param::Param {
            key: concat!(stringify!($first) $(, ".", stringify!($rest))*),
            unit: $unit,
            low: $low,
            high: $high,
            scale: $crate::param::Scale::$scale,
            what: $what,
            get: |of| of.$first $(.$rest)*,
            set: |of, value| of.$first $(.$rest)* = value,
        }
    };
}
pub(crate) use param;

impl<T: Default> Param<T> {
    /// Its value when a scene does not say.
    pub fn default(&self) -> f64 {
        (self.get)(&T::default())
    }
}
