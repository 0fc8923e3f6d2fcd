//! Tests that the quick cases of the physical model's benchmark suite pass.

use lavoxel::flow::verify::CASES;

#[test]
fn the_quick_cases_hold() {
    for case in CASES.iter().filter(|case| case.is_quick) {
        let found = case.run();
        assert!(found.is_exact, "{}: the ledgers do not close", case.name);
        for row in &found.rows {
            assert!(row.is_within_tolerance(), "{}: {row:?}", case.name);
        }
    }
}

#[test]
fn names_are_unique_and_words() {
    for (i, case) in CASES.iter().enumerate() {
        assert!(
            case.name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        );
        assert!(CASES[..i].iter().all(|other| other.name != case.name));
        assert!(!case.about.is_empty());
    }
}
