//! All vents of a simulation (past, present and future), in the order in which they pour, so that
//! the same list in a scene file gives the same bits.

use super::{List, Vent, VentSpec, check_vents};
use lavoxel_automaton::world::World;
use lavoxel_base::grid::Grid;
use lavoxel_base::random::Draw;
use lavoxel_base::validate::Invalid;

/// Change of the vents of a simulation. A vent keeps its permanent number when it is changed;
/// numbers are never reused.
#[derive(Clone, Debug, PartialEq)]
pub enum VentChange {
    /// Adds a vent to the simulation; the vent gets the next free number. A `start` in the past is
    /// replaced by the present step.
    Place(VentSpec),
    /// Changes rate, radius, energy, time or position of the vent with the number in the first
    /// field, from the present step on.
    Change(usize, VentSpec),
    /// Closes the vent with the number in the field, from the present step on.
    Close(usize),
}

impl From<VentSpec> for VentChange {
    /// Converts the vent `vent` to the change that adds this vent.
    fn from(vent: VentSpec) -> Self {
        Self::Place(vent)
    }
}

/// All vents that a simulation has ever had, one entry each. Changing a vent that has poured closes
/// its entry and appends an entry with the same number.
#[derive(Clone, Debug)]
pub struct Vents {
    placed: Vec<Placed>,
    /// Permanent number that the next added vent will get.
    next: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Placed {
    number: usize,
    spec: VentSpec,
    pub(super) vent: Vent,
}

impl Placed {
    fn new(number: usize, spec: VentSpec, grid: Grid) -> Self {
        let vent = Vent::new(&spec, grid);
        Self { number, spec, vent }
    }

    /// Returns true if the vent pours in step `step` or in a later step.
    fn is_open(&self, step: u64) -> bool {
        self.spec
            .end
            .is_none_or(|end| end > step.max(self.spec.start))
    }
}

impl Vents {
    /// Creates the list of the validated vents `specs`, which get the numbers 0, 1, ….
    pub fn new(specs: &[VentSpec], grid: Grid) -> Self {
        let placed = specs
            .iter()
            .enumerate()
            .map(|(i, spec)| Placed::new(i, spec.clone(), grid))
            .collect();
        Self {
            placed,
            next: specs.len(),
        }
    }

    /// Pours the amounts of all vents in one step into `world`. `draw`: seed and number of the
    /// step.
    pub fn pour(&self, world: &mut World, draw: Draw) {
        for Placed { vent, .. } in self.pouring() {
            vent.pour(world, draw);
        }
    }

    /// Returns the step at which the latest pouring ended, at most `step`: `step` itself while a
    /// vent pours. `None` if no vent has begun to pour.
    pub(crate) fn last_pour(&self, step: u64) -> Option<u64> {
        let begun = self
            .placed
            .iter()
            .map(|placed| &placed.spec)
            .filter(|spec| spec.start <= step);
        begun
            .map(|spec| spec.end.map_or(step, |end| end.min(step)))
            .max()
    }

    /// Iterates over the lava vents and fumes that pour in step `step`; both give off heat and ash
    /// to the air.
    pub(crate) fn of_air(&self, step: u64) -> impl Iterator<Item = (&Vent, &VentSpec)> {
        let gives = |placed: &&Placed| placed.spec.list() != List::Sources;
        let pouring = self
            .pouring()
            .filter(gives)
            .filter(move |placed| placed.vent.pours_in(step));
        pouring.map(|placed| (&placed.vent, &placed.spec))
    }

    /// Iterates over the vents that pour in step `step` or later, as pairs (permanent number,
    /// vent), by ascending number.
    pub(crate) fn open(&self, step: u64) -> impl Iterator<Item = (usize, &VentSpec)> {
        let mut open: Vec<_> = self
            .placed
            .iter()
            .filter(|placed| placed.is_open(step))
            .collect();
        open.sort_by_key(|placed| placed.number);
        open.into_iter().map(|placed| (placed.number, &placed.spec))
    }

    /// Sets the permanent numbers of the vents and the next free number to saved values, as
    /// [`Vents::numbers`] returned them.
    pub(crate) fn numbered(mut self, numbers: &[usize], next: usize) -> Result<Self, Invalid> {
        let all_below = numbers.iter().all(|&number| number < next);
        if numbers.len() != self.placed.len() || !all_below || next > isize::MAX as usize {
            let found = format!("{} below {next}", numbers.len());
            return Err(Invalid::new(
                "vent numbers",
                found,
                format!("{} below the next one", self.placed.len()),
            ));
        }
        self.placed
            .iter_mut()
            .zip(numbers)
            .for_each(|(placed, &number)| placed.number = number);
        Ok(Self { next, ..self })
    }

    /// Returns the permanent numbers of the vents in the order of [`Vents::specs`], and the next
    /// free number.
    pub(crate) fn numbers(&self) -> (Vec<usize>, usize) {
        (
            self.pouring().map(|placed| placed.number).collect(),
            self.next,
        )
    }

    /// Iterates over all vents that pour in at least one step, in the order in which they pour.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &VentSpec> + Clone {
        self.pouring().map(|placed| &placed.spec)
    }

    /// Iterates over the entries that pour in at least one step, in the order of the lists in scene
    /// files: lava vents, sources of other materials, fumes.
    pub(super) fn pouring(&self) -> impl Iterator<Item = &Placed> + Clone {
        let pours = |placed: &&Placed| placed.spec.end.is_none_or(|end| end > placed.spec.start);
        let of_list = |list: List| {
            self.placed
                .iter()
                .filter(move |placed| placed.spec.list() == list)
        };
        [List::Vents, List::Sources, List::Fumes]
            .into_iter()
            .flat_map(of_list)
            .filter(pours)
    }

    /// Returns the memory of the list in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self
            .placed
            .iter()
            .map(|placed| placed.vent.columns().len())
            .sum();
        self.placed.len() * size_of::<Placed>() + columns * size_of::<(usize, usize)>()
    }

    /// Carries out `change` from step `step` on.
    ///
    /// # Errors
    /// If a number is out of range, or the vent is closed or unknown; the list is unchanged then.
    pub(crate) fn apply(
        &mut self,
        change: VentChange,
        step: u64,
        grid: Grid,
    ) -> Result<(), Invalid> {
        match change {
            VentChange::Place(spec) => self.place(spec, step, grid).map(drop),
            VentChange::Change(number, spec) => self.change(number, spec, step, grid),
            VentChange::Close(number) => self.close(number, step, grid),
        }
    }

    /// Adds the vent `spec` from step `step` on and returns the vent's permanent number. A start in
    /// the past is replaced by `step`.
    fn place(&mut self, spec: VentSpec, step: u64, grid: Grid) -> Result<usize, Invalid> {
        let number = self.next;
        self.push(number, from_now(spec, step), grid)?;
        self.next += 1;
        Ok(number)
    }

    /// Replaces the specification of the open vent `number` by `spec` from step `step` on.
    fn change(
        &mut self,
        number: usize,
        spec: VentSpec,
        step: u64,
        grid: Grid,
    ) -> Result<(), Invalid> {
        let i = self.find(number, step)?;
        let spec = from_now(spec, step);
        let old = &self.placed[i].spec;
        if spec == from_now(old.clone(), step) {
            return Ok(());
        }
        if old.start < step {
            self.push(number, spec, grid)?;
            self.end(i, step, grid);
        } else {
            // The vent has not poured yet: its entry is replaced without a trace.
            spec.validate(&key(number), grid)?;
            check_vents(
                self.specs().filter(|&other| other != old).chain([&spec]),
                grid,
            )?;
            let placed = Placed::new(number, spec, grid);
            if placed.spec.list() == old.list() {
                self.placed[i] = placed;
            } else {
                // Appended to its new list, because scenes and checkpoints do not store the order
                // across lists.
                self.placed.remove(i);
                self.placed.push(placed);
            }
        }
        Ok(())
    }

    /// Closes the vent `number` from step `step` on.
    fn close(&mut self, number: usize, step: u64, grid: Grid) -> Result<(), Invalid> {
        let i = self.find(number, step)?;
        if self.placed[i].spec.start < step {
            self.end(i, step, grid);
        } else {
            self.placed.remove(i);
        }
        Ok(())
    }

    fn push(&mut self, number: usize, spec: VentSpec, grid: Grid) -> Result<(), Invalid> {
        spec.validate(&key(number), grid)?;
        check_vents(self.specs().chain([&spec]), grid)?;
        self.placed.push(Placed::new(number, spec, grid));
        Ok(())
    }

    fn end(&mut self, i: usize, step: u64, grid: Grid) {
        let Placed { number, spec, .. } = &self.placed[i];
        self.placed[i] = Placed::new(
            *number,
            VentSpec {
                end: Some(step),
                ..spec.clone()
            },
            grid,
        );
    }

    /// Returns the index of the present entry of the vent with the permanent number `number`; an
    /// error if the vent is closed or unknown.
    fn find(&self, number: usize, step: u64) -> Result<usize, Invalid> {
        let found = self
            .placed
            .iter()
            .rposition(|placed| placed.number == number && placed.is_open(step));
        found.ok_or_else(|| {
            Invalid::new(
                "vent",
                number,
                "the number of a vent that pours or will pour",
            )
        })
    }
}

/// Returns the vent `spec` with its start set to `step` if the start was earlier.
fn from_now(mut spec: VentSpec, step: u64) -> VentSpec {
    spec.start = spec.start.max(step);
    spec
}

fn key(number: usize) -> String {
    format!("vent[{number}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid {
        nx: 9,
        ny: 9,
        nz: 9,
    };

    fn spec(rate: f64, start: u64) -> VentSpec {
        VentSpec {
            x: 4.5,
            z: 4.5,
            radius: 1.0,
            rate,
            start,
            end: None,
            energy: 1.0,
            ..VentSpec::default()
        }
    }

    fn all(vents: &Vents) -> Vec<(f64, u64, Option<u64>)> {
        vents
            .specs()
            .map(|spec| (spec.rate, spec.start, spec.end))
            .collect()
    }

    #[test]
    fn a_change_ends_what_poured_and_goes_on_under_its_number() {
        let mut vents = Vents::new(&[spec(1.0, 0), spec(2.0, 0)], GRID);
        vents.change(0, spec(3.0, 0), 10, GRID).expect("it pours");
        vents
            .change(0, spec(4.0, 0), 10, GRID)
            .expect("it was changed in this step");
        vents
            .change(0, spec(4.0, 0), 15, GRID)
            .expect("nothing new");
        assert_eq!(
            all(&vents),
            [(1.0, 0, Some(10)), (2.0, 0, None), (4.0, 10, None)]
        );
        assert_eq!(
            vents.open(15).map(|(number, _)| number).collect::<Vec<_>>(),
            [0, 1]
        );
        vents.close(0, 20, GRID).expect("it pours");
        assert_eq!(
            all(&vents),
            [(1.0, 0, Some(10)), (2.0, 0, None), (4.0, 10, Some(20))]
        );
        assert!(
            vents.close(0, 20, GRID).is_err() && vents.change(0, spec(1.0, 0), 21, GRID).is_err()
        );
    }

    #[test]
    fn what_never_poured_leaves_no_trace() {
        let mut vents = Vents::new(&[], GRID);
        let now = vents.place(spec(1.0, 3), 7, GRID).expect("fits");
        let later = vents.place(spec(2.0, 50), 7, GRID).expect("fits");
        assert_eq!(all(&vents), [(1.0, 7, None), (2.0, 50, None)]);
        vents.close(now, 7, GRID).expect("open");
        vents.change(later, spec(2.5, 60), 40, GRID).expect("open");
        assert_eq!(all(&vents), [(2.5, 60, None)]);
        vents.close(later, 41, GRID).expect("open");
        assert_eq!(all(&vents), []);
        assert_eq!(
            vents.place(spec(1.0, 0), 42, GRID).expect("fits"),
            2,
            "numbers are not used again"
        );
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut vents = Vents::new(&[spec(1.0, 0)], GRID);
        let over = VentSpec {
            end: Some(5),
            ..spec(1.0, 0)
        };
        let refused = vents
            .place(over, 9, GRID)
            .expect_err("it ends before it starts");
        assert_eq!(
            refused.to_string(),
            "vent[1].end = 5: must be at least start = 9"
        );
        assert!(vents.change(0, spec(-1.0, 0), 9, GRID).is_err());
        assert_eq!(all(&vents), [(1.0, 0, None)]);
    }
}
