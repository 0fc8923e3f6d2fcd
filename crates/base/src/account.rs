//! Accounts that balance the inflow, outflow and content of a conserved quantity in integer units.
//! Each account is one list of sums, from which its check, its report and the numbers in the window
//! are generated.

/// Kind of a sum in an account: inflow, outflow or memo item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Inflow: quantity that entered the model's box (simulation box, or the box of the air), or
    /// was there at the start.
    Came,
    /// Outflow: quantity that left the model's box (simulation box, or the box of the air).
    Gone,
    /// Memo item, ignored by the balance: quantity that never was in the model's box, or that
    /// another sum already contains.
    Aside,
}

/// One named sum of an account, such as the amount of lava that vents poured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Machine-readable name of the sum, such as `sourced`.
    pub key: &'static str,
    /// Name of the sum in messages and reports, such as `left through the sides`.
    pub words: &'static str,
    /// Kind of the sum: inflow, outflow or memo item.
    pub side: Side,
    /// Value of the sum in the integer unit of the account, such as units of amount or of energy.
    pub units: i128,
}

/// Imbalance of the account with these `sums`: present content `now` + outflow − inflow, all in the
/// account's integer unit; 0 for a balanced account.
pub fn excess(sums: &[Sum], now: i128) -> i128 {
    let signed = sums.iter().map(|sum| match sum.side {
        Side::Came => -sum.units,
        Side::Gone => sum.units,
        Side::Aside => 0,
    });
    now + signed.sum::<i128>()
}

/// Checks that the account `name` balances with the present content `now` of the model's box, in
/// the account's integer unit.
///
/// # Errors
/// If the account does not balance: the text gives its name, the imbalance, and every sum that is
/// not 0.
pub fn check(name: &str, sums: &[Sum], now: i128) -> Result<(), String> {
    let excess = excess(sums, now);
    if excess == 0 {
        return Ok(());
    }
    let there = sums.iter().filter(|sum| sum.units != 0);
    let words: Vec<_> = there
        .map(|sum| format!("{} {}", sum.units, sum.words))
        .collect();
    Err(format!(
        "{name}: {excess} units more than came: {now} now, {}",
        words.join(", ")
    ))
}

/// Declares a struct whose fields are the sums of one or more accounts, and for each account a
/// function that lists its sums: `list mass { Came initial: u64 = "at step 0", … }`. Fields that
/// belong to no account follow the word `also`.
#[doc(hidden)]
#[macro_export]
macro_rules! __accounts {
    ($(#[$meta:meta])* $see:vis struct $name:ident {
        $($(#[$list_doc:meta])* list $list:ident {
            $($(#[$doc:meta])* $side:ident $key:ident: $units:ty = $words:literal,)*
        })*
        $(also { $($(#[$also_doc:meta])* $also:ident: $also_type:ty,)* })?
    }) => {
        $(#[$meta])*
        $see struct $name {
            $($($(#[$doc])* pub $key: $units,)*)*
            $($($(#[$also_doc])* pub $also: $also_type,)*)?
        }

        impl $name {
            $($(#[$list_doc])*
            $see fn $list(&self) -> Vec<$crate::account::Sum> {
                vec![$($crate::account::Sum {
                    // With several lists in a struct, keys carry the name of their list as a
                    // prefix, which is cut off here.
                    key: stringify!($key).strip_prefix(concat!(stringify!($list), "_")).unwrap_or(stringify!($key)),
                    words: $words,
                    side: $crate::account::Side::$side,
                    units: i128::from(self.$key),
                }),*]
            })*
        }
    };
}

#[doc(hidden)]
pub use crate::__accounts as accounts;

#[cfg(test)]
mod tests {
    use super::*;

    accounts! {
        #[derive(Default)]
        struct Two {
            /// Returns the sums of the test's account of water.
            list water {
                Came rain: u64 = "rain",
                Gone left: i64 = "left",
                Aside lost: u64 = "lost before",
            }
            /// Returns the sums of the test's account of heat.
            list heat { Came heat_sun: i128 = "from the sun", }
            also { steps: u8, }
        }
    }

    #[test]
    fn an_account_that_does_not_close_says_by_how_much() {
        let two = Two {
            rain: 7,
            left: -2,
            lost: 5,
            heat_sun: 1 << 100,
            steps: 3,
        };
        assert_eq!(check("water", &two.water(), 9), Ok(()));
        assert_eq!(excess(&two.heat(), 0), -(1 << 100));
        assert_eq!((two.heat()[0].key, two.steps), ("sun", 3));
        let wrong = check("water", &two.water(), 10).expect_err("one too many");
        assert_eq!(
            wrong,
            "water: 1 units more than came: 10 now, 7 rain, -2 left, 5 lost before"
        );
    }
}
