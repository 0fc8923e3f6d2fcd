use super::*;
use lavoxel_automaton::world::{Edit, Matter, Shape};
use lavoxel_sim::source::{VentChange, VentSpec};

fn seed(number: u64) -> Command {
    Command::Seed(number)
}

fn run(history: &mut History, steps: u64) {
    for _ in 0..steps {
        while let Some((act, _)) = history
            .next_ahead()
            .filter(|(_, step)| *step <= history.here().step)
        {
            history.has_done(act);
        }
        history.stepped();
    }
}

fn names(history: &History) -> Vec<&str> {
    history
        .branches()
        .iter()
        .map(|branch| &branch.name[..])
        .collect()
}

/// Returns, for each act on the present branch, the act's step and the random seed that the act
/// sets.
fn line(history: &History) -> Vec<(u64, u64)> {
    let seed = |act: &Act| match act.command {
        Command::Seed(seed) => seed,
        _ => 0,
    };
    history
        .line()
        .iter()
        .map(|act| &history.acts[act])
        .map(|act| (act.step, seed(act)))
        .collect()
}

#[test]
fn an_act_where_something_lies_ahead_begins_a_branch_and_keeps_the_old_one() {
    let mut history = History::new();
    run(&mut history, 10);
    assert_eq!(history.give(seed(1), false).expect("room"), None);
    run(&mut history, 10);
    history
        .go(history.at(1, 5).expect("seen"))
        .expect("on the line");
    run(&mut history, 6);
    assert_eq!(
        (history.here(), history.acts_done()),
        (Moment { step: 11, act: 1 }, 1),
        "the act is done again"
    );
    history.go(Moment { step: 7, act: 0 }).expect("on the line");
    assert_eq!(
        history.give(seed(2), false).expect("room").as_deref(),
        Some("branch 2")
    );
    run(&mut history, 1);
    assert_eq!(
        (line(&history), history.here()),
        (vec![(7, 2)], Moment { step: 8, act: 2 })
    );
    let ends: Vec<_> = history
        .branches()
        .iter()
        .map(|branch| (branch.number, branch.last, branch.end))
        .collect();
    assert_eq!(ends, [(1, 1, 20), (2, 2, 8)]);
    assert_eq!(history.parts_at(&history.branches()[0]), 7);
    // Goes to the same step on the first branch, then to its end.
    assert_eq!(history.at(1, 8), Ok(Moment { step: 8, act: 0 }));
    history
        .switch(1, history.at(1, 800).expect("seen"))
        .expect("there");
    assert_eq!(
        (line(&history), history.here()),
        (vec![(10, 1)], Moment { step: 20, act: 1 })
    );
    assert_eq!(
        history.remove(1),
        Err(BranchError::Present("main".to_owned()))
    );
    history.rename(2, "  with another seed ").expect("a name");
    assert_eq!(names(&history), ["main", "with another seed"]);
    assert_eq!(history.remove(2), Ok("with another seed".to_owned()));
    assert!(history.act(2).is_none() && history.act(1).is_some());
    assert_eq!(history.remove(2), Err(BranchError::Unknown(2)));
    // Numbers are never reused.
    history.give(seed(3), false).expect("room");
    assert_eq!(history.here().act, 3);
}

#[test]
fn a_group_is_taken_back_and_comes_back_as_one() {
    let mut history = History::new();
    run(&mut history, 3);
    history.give(seed(1), false).expect("room");
    run(&mut history, 1);
    history.give(seed(2), false).expect("room");
    run(&mut history, 1);
    history.give(seed(3), true).expect("room");
    run(&mut history, 5);
    let deed = history.undo().expect("two were done");
    assert_eq!(
        (deed.before, deed.after),
        (Moment { step: 4, act: 1 }, Moment { step: 5, act: 3 })
    );
    assert_eq!(
        (history.here(), history.next_ahead()),
        (deed.before, None),
        "it does not come by itself"
    );
    assert_eq!(
        history.undo().expect("one is left").before,
        Moment { step: 3, act: 0 }
    );
    assert_eq!(
        (history.undo(), history.redo().map(|deed| deed.after.act)),
        (None, Some(1))
    );
    assert_eq!(
        history.next_ahead(),
        None,
        "the other one is still taken back"
    );
    assert_eq!(history.redo().map(|deed| deed.after), Some(deed.after));
    assert_eq!((history.redo(), history.here()), (None, deed.after));
    assert_eq!(history.branches().len(), 1);
}

#[test]
fn a_run_without_what_was_taken_back_is_a_branch_until_it_comes_back() {
    let mut history = History::new();
    run(&mut history, 3);
    history.give(seed(1), false).expect("room");
    run(&mut history, 7);
    history.undo().expect("it was done");
    run(&mut history, 4);
    assert_eq!(
        (names(&history), history.here()),
        (vec!["main", "branch 2"], Moment { step: 7, act: 0 })
    );
    history.go(Moment { step: 2, act: 0 }).expect("on the line");
    run(&mut history, 3);
    assert_eq!(
        history.here(),
        Moment { step: 5, act: 0 },
        "and it stays away"
    );
    let back = history.redo().expect("it lies on the other branch");
    assert_eq!(
        (names(&history), history.here()),
        (vec!["main"], back.after)
    );
    assert_eq!(history.here(), Moment { step: 3, act: 1 });

    // Going ahead after an undo takes the act back in; going back does not.
    history.undo().expect("it was done");
    history.go(history.at(1, 9).expect("seen")).expect("ahead");
    assert_eq!(
        (history.here(), history.branches().len()),
        (Moment { step: 9, act: 1 }, 1)
    );
    history.undo().expect("it was done");
    history.go(Moment::START).expect("behind");
    run(&mut history, 5);
    assert_eq!(
        (history.here(), names(&history)),
        (Moment { step: 5, act: 0 }, vec!["main", "branch 3"])
    );
    // A branch that another one holds is dropped when the session leaves it.
    assert_eq!(history.undo(), None);
    history
        .switch(1, history.at(1, 4).expect("seen"))
        .expect("there");
    assert_eq!(
        names(&history),
        ["main", "branch 3"],
        "its steps 4 and 5 are no part of the other one"
    );
}

#[test]
fn of_too_many_branches_the_oldest_without_a_name_goes() {
    let mut history = History::new();
    history.rename(1, "first").expect("a name");
    run(&mut history, 4);
    for number in 0..100 {
        history
            .go(Moment { step: 2, act: 0 })
            .expect("on every line");
        history.give(seed(number), false).expect("room");
        assert!(history.branches().len() <= MOST_BRANCHES && history.contains(history.here()));
    }
    assert_eq!(history.branches()[0].name, "first");
    assert_eq!(history.acts.len(), MOST_BRANCHES - 1);
    for branch in history.branches().to_vec() {
        history.rename(branch.number, "kept").expect("a name");
    }
    history
        .go(Moment { step: 1, act: 0 })
        .expect("on every line");
    let before = history.clone();
    assert_eq!(history.give(seed(1), false), Err(BranchError::Full));
    assert_eq!(history, before);
    for name in ["", "  ", "two\nlines", &"x".repeat(41)] {
        assert_eq!(history.rename(1, name), Err(BranchError::Name), "{name:?}");
    }
}

/// Generator of pseudo-random numbers: a linear congruential generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Checks that `history` satisfies the invariants of histories; panics if it does not.
fn check(history: &History) {
    assert_eq!(history.line(), history.path(history.present().last));
    assert!(history.leads_to(history.line(), history.present().tip(), history.here()));
    assert!(history.branches().len() <= MOST_BRANCHES);
    for branch in history.branches() {
        let path = history.path(branch.last);
        assert!(path.is_sorted() && path.iter().all(|act| history.acts.contains_key(act)));
        assert!(path.is_sorted_by_key(|act| history.acts[act].step));
        assert!(branch.last == 0 || history.acts[&branch.last].step <= branch.end);
    }
    let on_a_branch = |act: &u64| {
        history
            .branches()
            .iter()
            .any(|branch| history.path(branch.last).contains(act))
    };
    assert!(history.acts.keys().all(on_a_branch));
    let text = history.to_text(None).expect("TOML");
    let read = History::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let without = |history: &History| {
        (
            history.acts.clone(),
            history.branches.clone(),
            history.present,
            history.here,
        )
    };
    assert_eq!(without(&read), without(history));
}

#[test]
fn random_sessions_stay_whole_and_undo_leads_back() {
    for session in 0..60 {
        let (mut history, mut dice) = (History::new(), Dice(session));
        for round in 0..80 {
            match dice.below(9) {
                0..3 => drop(history.give(seed(round), dice.below(3) == 0).expect("room")),
                3..5 => run(&mut history, dice.below(5)),
                5 => {
                    let (before, offered) = (history.clone(), history.offers()[0]);
                    let deed = history.undo();
                    assert_eq!(deed, offered);
                    if deed.is_some_and(|deed| deed.after == before.here) {
                        let mut again = history.clone();
                        assert_eq!(again.offers()[1], deed);
                        again.redo().expect("it was taken back");
                        assert_eq!(
                            (again.here(), again.present()),
                            (before.here(), before.present())
                        );
                    }
                }
                6 => {
                    let offered = history.offers()[1];
                    assert_eq!(history.redo(), offered);
                }
                7 => {
                    let end = history.present().end;
                    let to = history
                        .at(history.present().number, dice.below(end + 1))
                        .expect("there");
                    history.go(to).expect("on the line");
                }
                _ => {
                    let branches = history.branches();
                    let branch = branches[dice.below(branches.len() as u64) as usize].number;
                    if dice.below(4) == 0 && branch != history.present().number {
                        history.remove(branch).expect("not the present one");
                    } else {
                        let to = history.at(branch, history.here().step).expect("there");
                        history.switch(branch, to).expect("there");
                    }
                }
            }
            check(&history);
        }
    }
}

#[test]
fn every_kind_of_act_goes_through_a_text() {
    let mut history = History::new();
    let shape = || Shape::Sphere {
        center: [1.5, 2.5, 3.5],
        radius: 2.0,
    };
    let matters = [
        Matter::Lava {
            amount: 0.5,
            energy: 1.0,
            temperature_k: None,
        },
        Matter::Material {
            name: "water".to_owned(),
            amount: 1.0,
        },
        Matter::Rock,
        Matter::Nothing,
        Matter::Drain,
    ];
    let edits = matters.into_iter().map(|matter| {
        Edit {
            shape: shape(),
            matter,
        }
        .into()
    });
    let vent = VentSpec {
        x: 3.0,
        z: 4.0,
        ..VentSpec::default()
    };
    let vents = [
        VentChange::Place(vent.clone()),
        VentChange::Change(0, vent),
        VentChange::Close(0),
    ];
    let wind = lavoxel_air::Wind(vec![[0.0, 3.0, 90.0]]);
    for command in edits
        .chain(vents.into_iter().map(Command::from))
        .chain([seed(7), wind.into()])
    {
        history.give(command, false).expect("room");
        check(&history);
    }
}

#[test]
fn wrong_texts_are_refused_in_words() {
    let mut history = History::new();
    run(&mut history, 4);
    history.give(seed(1), false).expect("room");
    run(&mut history, 4);
    history.give(seed(2), false).expect("room");
    let text = history.to_text(Some(0xab)).expect("TOML");
    assert_eq!(History::from_text(&text).expect("right").state, Some(0xab));
    let cases = [
        ("format = 1", "format = 2", "format = 2: must be 1"),
        (
            "state = \"00",
            "state = \"0g",
            "must be 16 hexadecimal digits",
        ),
        (
            "present = 1",
            "present = 9",
            "present = 9: must be the number of a branch",
        ),
        (
            "step = 8\nafter = 2",
            "step = 9\nafter = 2",
            "step 9 after act 2 is not on the present branch",
        ),
        ("after = 1", "after = 2", "act 2 after act 2"),
        ("after = 0", "after = 2", "act 1 after act 2"),
        ("number = 2", "number = 1", "numbers begin with 1 and grow"),
        ("step = 4", "step = 400", "the act before it is at step 400"),
        (
            "last = 2",
            "last = 1",
            "step 8 after act 2 is not on the present branch",
        ),
        ("last = 2", "last = 7", "last = 7 of branch 1"),
        ("end = 8", "end = 3", "its last act is at step 8"),
        (
            "end = 8",
            "end = 80000000000",
            "end of a branch = 80000000000: must be at most 1000000000",
        ),
        ("name = \"main\"", "name = \"\"", "1 to 40 letters"),
        (
            "seed = 2",
            "seed = 2\nclose = 0",
            "act 2 must have exactly one of",
        ),
        ("seed = 2", "", "act 2 must have exactly one of"),
        ("seed = 2", "sown = 2", "unknown field `sown`"),
    ];
    for (right, other, words) in cases {
        assert!(text.contains(right), "{right}: {text}");
        let error = History::from_text(&text.replacen(right, other, 1))
            .expect_err(other)
            .to_string();
        assert!(error.contains(words), "{other}: {error}");
    }
    assert!(History::from_text(&"[".repeat(100_000)).is_err());
    let many = "[[branch]]\nnumber = 1\nname = \"a\"\nlast = 0\nend = 0\n";
    let head = "format = 1\npresent = 1\nstep = 0\nafter = 0\n";
    assert!(History::from_text(&format!("{head}{many}")).is_ok());
    let error = History::from_text(&format!("{head}{many}{many}"))
        .expect_err("twice")
        .to_string();
    assert!(error.contains("branch 1 is there twice"), "{error}");
    assert!(History::from_text(&format!("{head}{}", many.repeat(40))).is_err());
}
