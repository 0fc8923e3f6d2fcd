//! Macros that declare tables of a scene: struct or enum, defaults, ranges, units and descriptions
//! in one list.

/// Declares a numeric parameter: field, scale, range, unit, description. The field is an `f64`;
/// with the scale `Whole` a `u32`, with `Switch` a `bool`.
#[doc(hidden)]
#[macro_export]
macro_rules! __param {
    ($first:ident $(. $rest:ident)*: $scale:ident, [$low:expr, $high:expr] $unit:literal, $what:literal) => {
        $crate::param::Param {
            key: concat!(stringify!($first) $(, ".", stringify!($rest))*),
            unit: $unit,
            low: $low,
            high: $high,
            scale: $crate::param::Scale::$scale,
            what: $what,
            get: |of| $crate::param::Value::number(&of.$first $(.$rest)*),
            set: |of, number| $crate::param::Value::set(&mut of.$first $(.$rest)*, number),
            must: false,
            kinds: &[],
            value: |of| &of.$first $(.$rest)*,
            copy: |of, other| of.$first $(.$rest)* = other.$first $(.$rest)*,
            form: || $crate::param::Form::of_scale($crate::param::Scale::$scale),
        }
    };
}

/// Declares a key of any type in a scene: field, type, range and unit (for numbers), description.
#[doc(hidden)]
#[macro_export]
macro_rules! __fact {
    ($first:ident $(. $rest:ident)*: $type:ty $(, [$low:expr, $high:expr] $unit:literal)?, $what:literal) => {
        $crate::param::Param {
            key: concat!(stringify!($first) $(, ".", stringify!($rest))*),
            unit: $crate::param::or!([$($unit)?] ""),
            low: $crate::param::or!([$($low)?] f64::NEG_INFINITY),
            high: $crate::param::or!([$($high)?] f64::INFINITY),
            scale: $crate::param::Scale::Linear,
            what: $what,
            get: |of| $crate::param::Value::number(&of.$first $(.$rest)*),
            set: |of, number| $crate::param::Value::set(&mut of.$first $(.$rest)*, number),
            must: false,
            kinds: &[],
            value: |of| &of.$first $(.$rest)*,
            copy: |of, other| of.$first $(.$rest)*.clone_from(&other.$first $(.$rest)*),
            form: <$type as $crate::param::Value>::form,
        }
    };
}

/// Expands to the optional expression in the brackets if one is given, else to the default after
/// the brackets.
#[doc(hidden)]
#[macro_export]
macro_rules! __or {
    ([] $default:expr) => {
        $default
    };
    ([$given:expr] $default:expr) => {
        $given
    };
}

/// Expands to true for the word `must` (mandatory key), to false for `may` (optional key).
#[doc(hidden)]
#[macro_export]
macro_rules! __when {
    (must) => {
        true
    };
    (may) => {
        false
    };
}

/// Declares a table of a scene as a struct whose fields are the keys. Each key has a description,
/// followed by its type, its default, its range with the unit, and the kinds of table that have the
/// key. If some keys have no default, `must` or `may` before each key marks it as mandatory or
/// optional. Fields after `..` are not keys.
#[doc(hidden)]
#[macro_export]
macro_rules! __table {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $(#[serde($($serde:tt)*)])*
                $field_vis:vis $field:ident $(as $key:literal)?: $type:ty = $default:expr
                    $(, [$low:expr, $high:expr] $unit:literal)?
                    $(, for $($kind:literal)|+)?;
            )*
            $(.. $(#[$other_meta:meta])* $other_vis:vis $other:ident: $other_type:ty = $other_default:expr;)*
        }
    ) => {
        $(#[$meta])*
        #[serde(deny_unknown_fields, default)]
        $vis struct $name {
            $(
                $(#[doc = $doc])*
                $(#[serde($($serde)*)])*
                $(#[serde(rename = $key)])?
                $field_vis $field: $type,
            )*
            $($(#[$other_meta])* #[serde(skip)] $other_vis $other: $other_type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($other: $other_default,)* }
            }
        }

        $crate::param::list!($name {
            $([$($doc)*] may $field [$($key)?] $type, [$($low)?] [$($high)?] [$($unit)?] [$($($kind)*)?];)*
        });
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $(#[serde($($serde:tt)*)])*
                $need:ident $field_vis:vis $field:ident $(as $key:literal)?: $type:ty
                    $(, [$low:expr, $high:expr] $unit:literal)?
                    $(, for $($kind:literal)|+)?;
            )*
            $(.. $(#[$other_meta:meta])* $other_vis:vis $other:ident: $other_type:ty;)*
        }
    ) => {
        $(#[$meta])*
        #[serde(deny_unknown_fields)]
        $vis struct $name {
            $(
                $(#[doc = $doc])*
                $(#[serde($($serde)*)])*
                $(#[serde(rename = $key)])?
                $field_vis $field: $type,
            )*
            $($(#[$other_meta])* #[serde(skip)] $other_vis $other: $other_type,)*
        }

        $crate::param::list!($name {
            $([$($doc)*] $need $field [$($key)?] $type, [$($low)?] [$($high)?] [$($unit)?] [$($($kind)*)?];)*
        });
    };
}

/// Implements the trait `Table`, with the list of keys, for a table of a scene.
#[doc(hidden)]
#[macro_export]
macro_rules! __list {
    ($name:ident {
        $([$($doc:literal)*] $need:ident $field:ident [$($key:literal)?] $type:ty,
            [$($low:expr)?] [$($high:expr)?] [$($unit:literal)?] [$($kind:literal)*];)*
    }) => {
        impl $crate::param::Table for $name {
            const PARAMS: &'static [$crate::param::Param<Self>] = &[$(
                $crate::param::Param {
                    key: $crate::param::or!([$($key)?] stringify!($field)),
                    unit: $crate::param::or!([$($unit)?] ""),
                    low: $crate::param::or!([$($low)?] f64::NEG_INFINITY),
                    high: $crate::param::or!([$($high)?] f64::INFINITY),
                    scale: $crate::param::Scale::Linear,
                    what: $crate::param::tidy(concat!($($doc),*)),
                    get: |of| $crate::param::Value::number(&of.$field),
                    set: |of, number| $crate::param::Value::set(&mut of.$field, number),
                    must: $crate::param::when!($need),
                    kinds: &[$($kind),*],
                    value: |of| &of.$field,
                    copy: |of, other| of.$field.clone_from(&other.$field),
                    form: <$type as $crate::param::Value>::form,
                }
            ),*];
        }

        impl $crate::param::Value for $name {
            fn form() -> $crate::param::Form {
                $crate::param::Form::of_table::<Self>()
            }
        }
    };
}

/// Declares a table of a scene as an enum whose variant a key selects. A variant has a name in
/// scenes, and fields of its own, the fields of another table, or none. A variant without fields
/// needs `with` and a function that rejects fields, because serde would accept any.
#[doc(hidden)]
#[macro_export]
macro_rules! __kinds {
    (@any $type:ty) => {
        _
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident by $tag:literal {
            $(
                $(#[doc = $variant_doc:literal])*
                $variant:ident = $word:literal $(with $alone:literal)? $(($inner:ty))? $({
                    $(
                        $(#[doc = $doc:literal])*
                        $(#[serde($($serde:tt)*)])*
                        $need:ident $field:ident: $type:ty $(, [$low:expr, $high:expr] $unit:literal)?;
                    )*
                })?,
            )*
        }
    ) => {
        $(#[$meta])*
        #[serde(tag = $tag, deny_unknown_fields)]
        $vis enum $name {
            $(
                $(#[doc = $variant_doc])*
                #[serde(rename = $word)]
                $(#[serde(deserialize_with = $alone)])?
                $variant $(($inner))? $({
                    $(
                        $(#[doc = $doc])*
                        $(#[serde($($serde)*)])*
                        $field: $type,
                    )*
                })?,
            )*
        }

        impl $name {
            /// Checks that every number in the fields of the variant is in range; `table` is the
            /// name of the table in messages.
            fn check(&self, table: &str) -> Result<(), $crate::validate::Invalid> {
                match self {
                    $(Self::$variant $(($crate::param::kinds!(@any $inner)))? $({ $($field),* })? => {
                        $($($crate::param::check_value(
                            (table, stringify!($field)),
                            $field,
                            (
                                $crate::param::or!([$($low)?] f64::NEG_INFINITY),
                                $crate::param::or!([$($high)?] f64::INFINITY),
                            ),
                        )?;)*)?
                    })*
                }
                Ok(())
            }
        }

        impl $crate::param::Value for $name {
            fn form() -> $crate::param::Form {
                use $crate::param::{Entry, Form, tidy};
                Form::Either(vec![$({
                    let words = Form::Words(vec![$word]);
                    #[allow(unused_mut, reason = "a kind may have no other keys")]
                    let mut keys = vec![Entry::new($tag, words, tidy(concat!($($variant_doc),*))).needed()];
                    $(keys.extend(<$inner as $crate::param::Value>::form().entries());)?
                    $($(keys.push(Entry {
                        unit: $crate::param::or!([$($unit)?] ""),
                        range: (
                            $crate::param::or!([$($low)?] f64::NEG_INFINITY),
                            $crate::param::or!([$($high)?] f64::INFINITY),
                        ),
                        must: $crate::param::when!($need),
                        ..Entry::new(
                            stringify!($field),
                            <$type as $crate::param::Value>::form(),
                            tidy(concat!($($doc),*)),
                        )
                    });)*)?
                    Form::Table(keys)
                }),*])
            }
        }
    };
}

/// Implements `Value` for enums without fields, which a scene writes as one of their names.
#[doc(hidden)]
#[macro_export]
macro_rules! __words {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::param::Value for $type {
            fn form() -> $crate::param::Form {
                $crate::param::Form::words_of::<Self>()
            }

            fn shown(&self) -> String {
                format!("{self:?}")
            }
        }
    )*};
}
