//! Sums of offers and free volumes over the cells of a body at one height, and the apportionment to
//! single cells.

use lavoxel_base::units::AMOUNT_ONE;

/// Role of a cell relative to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeightKind {
    /// Body cell below rock or the roof, kept full by pressure.
    Covered,
    /// Free cell next to the body into which pressure drives liquid.
    Pressed,
    /// Exterior of an open box side next to the body; receives everything driven there.
    Outside,
    /// Cell of the free surface of the body.
    Surface,
}

/// Sums over all cells with the same body, height and role; amounts in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    /// Key: body number, y in cells, role of the cells.
    pub(crate) body: u32,
    pub(crate) y: u32,
    pub(crate) kind: HeightKind,
    cells: u64,
    /// Total, minimum and maximum amount of the cells.
    sum: u64,
    least: u16,
    most: u16,
    /// Sums over the cells: amount offered and free volume. For a height that levels out: excess
    /// above and deficit below the mean.
    pub(in crate::rules) offers: u64,
    pub(in crate::rules) room: u64,
    /// Booked flow: amount that leaves and amount that arrives.
    pub(in crate::rules) given: u64,
    pub(in crate::rules) taken: u64,
    /// Mean amount per cell of a height that levels out; `None` otherwise.
    mean: Option<u16>,
    /// Number of openings by kind: lateral free cells and faces at open sides; free cells on top of
    /// the body; cells of the body itself.
    holes: [u64; 3],
    /// Upper bound of the amount that covered, pressed and exterior cells of this y take together.
    pub(in crate::rules) most_taken: u64,
}

/// Offered amount, present amount and free volume of a cell, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) offer: u16,
    pub(crate) amount: u16,
    pub(crate) room: u16,
}

impl Height {
    /// Creates an empty height with the given key.
    pub(crate) fn new((body, y, kind): (u32, u32, HeightKind)) -> Self {
        let [cells, sum, offers, room, given, taken] = [0; 6];
        let (least, most, mean, holes, most_taken) = (u16::MAX, 0, None, [0; 3], u64::MAX);
        Self {
            body,
            y,
            kind,
            cells,
            sum,
            least,
            most,
            offers,
            room,
            given,
            taken,
            mean,
            holes,
            most_taken,
        }
    }

    /// Sort key of heights: body, y, role.
    pub(crate) fn key(&self) -> (u32, u32, HeightKind) {
        (self.body, self.y, self.kind)
    }

    /// Adds a cell to the sums.
    #[inline(always)]
    pub(crate) fn add(&mut self, cell: Surface) {
        self.cells += 1;
        self.sum += u64::from(cell.amount);
        self.least = self.least.min(cell.amount);
        self.most = self.most.max(cell.amount);
        self.offers += u64::from(cell.offer);
        self.room += u64::from(cell.room);
    }

    /// Adds openings through which the body presses, by kind: lateral free cells or faces at open
    /// sides; free cells on top of the body; the body's own cells.
    #[inline(always)]
    pub(crate) fn add_holes(&mut self, holes: [u32; 3]) {
        holes
            .iter()
            .zip(&mut self.holes)
            .for_each(|(&more, holes)| *holes += u64::from(more));
    }

    /// Merges `other`, a partial sum with the same key.
    pub(crate) fn join(&mut self, other: &Self) {
        self.cells += other.cells;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.offers += other.offers;
        self.room += other.room;
        other
            .holes
            .iter()
            .zip(&mut self.holes)
            .for_each(|(&more, holes)| *holes += more);
    }

    /// Opening counts of zero.
    pub(in crate::rules) const NO_HOLES: [u64; 3] = [0; 3];

    /// Returns this height's opening counts plus `others`, by kind.
    pub(in crate::rules) fn with_holes(&self, others: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|kind| self.holes[kind] + others[kind])
    }

    /// Limits the amount that this height and the others at its y receive together to `most`; the
    /// exterior accepts all of `most`.
    pub(in crate::rules) fn take_at_most(&mut self, most: u64) {
        self.most_taken = most;
        if self.is_outside() {
            self.room = most;
        }
    }

    /// Mean height of the liquid surface above the floor of the box, in units (`AMOUNT_ONE` per
    /// cell).
    pub(in crate::rules) fn level(&self) -> u64 {
        u64::from(self.y) * u64::from(AMOUNT_ONE) + self.sum / self.cells.max(1)
    }

    /// Returns true for a height of the free surface.
    pub(in crate::rules) fn is_surface(&self) -> bool {
        self.kind == HeightKind::Surface
    }

    /// Returns true for the exterior of an open side.
    pub(in crate::rules) fn is_outside(&self) -> bool {
        self.kind == HeightKind::Outside
    }

    /// Amount that leaves the box through this height, in units.
    pub(crate) fn leaves(&self) -> u64 {
        if self.is_outside() { self.taken } else { 0 }
    }

    /// Sets the target mean of a height whose cells differ by more than `min_flow` units, with
    /// booked flows included; no effect if every donor gives its whole offer or every receiver is
    /// filled. [`Height::add_around_mean`] then computes the sums relative to the mean.
    pub(in crate::rules) fn come_level(&mut self, min_flow: u16) {
        let has_choice = !self.moves() || self.given < self.offers && self.taken < self.room;
        if !has_choice || self.most.saturating_sub(self.least) <= min_flow {
            return;
        }
        // With these means, the offers above the mean of a giving height add up to `given` at
        // least, and the rooms below the mean of a taking height to `taken`, whatever the
        // distribution over the cells.
        let mean = if self.given > 0 {
            (self.offers - self.given) / self.cells
        } else if self.taken > 0 {
            u64::from(AMOUNT_ONE) - (self.room - self.taken) / self.cells
        } else {
            self.sum / self.cells
        };
        self.mean = Some(mean as u16);
        (self.offers, self.room) = (0, 0);
    }

    /// Returns true if the height needs a second summation pass relative to its mean, because its
    /// cells level out.
    pub(crate) fn comes_level(&self) -> bool {
        self.mean.is_some()
    }

    /// Adds a cell in the second pass: excess above or deficit below the mean.
    #[inline(always)]
    pub(crate) fn add_around_mean(&mut self, cell: Surface) {
        self.offers += u64::from(self.gives(cell));
        self.room += u64::from(self.takes(cell));
    }

    /// Merges `other`, a partial second-pass sum around the same mean.
    pub(crate) fn join_around_mean(&mut self, other: &Self) {
        self.offers += other.offers;
        self.room += other.room;
    }

    /// Returns a copy with all sums and flows reset to 0, as accumulator of the second pass.
    pub(crate) fn without_sums(&self) -> Self {
        Self {
            offers: 0,
            room: 0,
            given: 0,
            taken: 0,
            ..*self
        }
    }

    /// Adds the levelling flow between cells of this height to the booked flow to and from other
    /// heights.
    pub(crate) fn book_level(&mut self) {
        let most = (self.offers - self.given).min(self.room - self.taken);
        let inside = if self.moves() { most } else { most / 2 };
        self.given += inside;
        self.taken += inside;
    }

    /// Returns true if any flow is booked.
    pub(crate) fn moves(&self) -> bool {
        self.given | self.taken != 0
    }

    /// Returns the prefix sums that start the shares of the next strip: offers and free volume, in
    /// units.
    pub(crate) fn sums(&self) -> [u64; 2] {
        [self.offers, self.room]
    }

    /// Returns the weight of a cell in the apportionment of outgoing flow.
    #[inline(always)]
    fn gives(&self, cell: Surface) -> u16 {
        cell.offer.saturating_sub(self.mean.unwrap_or(0))
    }

    /// Returns the weight of a cell in the apportionment of incoming flow.
    #[inline(always)]
    fn takes(&self, cell: Surface) -> u16 {
        self.mean.map_or(cell.room, |mean| {
            cell.room.min(mean.saturating_sub(cell.amount))
        })
    }

    /// Returns an iterator-like accumulator of cell shares; `offers` and `room` are the sums over
    /// all cells before the first one.
    pub(crate) fn shares(&self, [offers, room]: [u64; 2]) -> Shares {
        Shares {
            height: *self,
            gives: Running::from(self.given, self.offers, offers),
            takes: Running::from(self.taken, self.room, room),
        }
    }
}

/// Apportions the flow of a height to its cells in sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    height: Height,
    gives: Running,
    takes: Running,
}

impl Shares {
    /// Returns true if every share is zero.
    #[inline(always)]
    pub(crate) fn move_nothing(&self) -> bool {
        !self.height.moves()
    }

    /// Returns the outgoing and incoming amount of the next cell, in units.
    #[inline(always)]
    pub(crate) fn next(&mut self, cell: Surface) -> [u16; 2] {
        [
            self.gives.next(self.height.gives(cell)),
            self.takes.next(self.height.takes(cell)),
        ]
    }
}

/// Exact apportionment of `whole` by running sums rounded down: the parts always add up to `whole`.
#[derive(Clone, Copy, Debug)]
struct Running {
    whole: u64,
    /// Sum of all weights.
    of: u64,
    passed: u64,
    paid: u64,
}

impl Running {
    /// Creates the state after weights with the sum `passed`.
    fn from(whole: u64, of: u64, passed: u64) -> Self {
        let mut running = Self {
            whole,
            of,
            passed,
            paid: 0,
        };
        running.paid = running.due();
        running
    }

    /// Cumulative share of all weights up to now.
    #[inline(always)]
    fn due(&self) -> u64 {
        if self.whole == 0 {
            0
        } else if self.whole == self.of {
            self.passed
        } else if self.of <= u64::from(u32::MAX) {
            self.whole * self.passed / self.of
        } else {
            // The product of a very wide sea exceeds 64 bits.
            (u128::from(self.whole) * u128::from(self.passed) / u128::from(self.of)) as u64
        }
    }

    /// Returns the part for the next weight `value`; never exceeds `value`.
    #[inline(always)]
    fn next(&mut self, value: u16) -> u16 {
        if self.whole == 0 || value == 0 {
            return 0;
        }
        self.passed += u64::from(value);
        let due = self.due();
        (due - std::mem::replace(&mut self.paid, due)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_whole_from_any_cell_on() {
        for (whole, values) in [
            (7, vec![3, 0, 9, 1, 1]),
            (14, vec![14]),
            (1, vec![5, 5]),
            (0, vec![4]),
        ] {
            let of: u64 = values.iter().map(|&v| u64::from(v)).sum();
            let mut all = Running::from(whole, of, 0);
            let parts: Vec<u16> = values.iter().map(|&v| all.next(v)).collect();
            assert_eq!(parts.iter().map(|&v| u64::from(v)).sum::<u64>(), whole);
            assert!(parts.iter().zip(&values).all(|(part, value)| part <= value));
            for start in 0..values.len() {
                let passed = values[..start].iter().map(|&v| u64::from(v)).sum();
                let mut rest = Running::from(whole, of, passed);
                assert!(
                    values[start..]
                        .iter()
                        .zip(&parts[start..])
                        .all(|(&v, &part)| rest.next(v) == part)
                );
            }
        }
    }

    #[test]
    fn shares_of_a_very_wide_sea_do_not_overflow() {
        let most = u64::from(u16::MAX);
        let of = most << 26;
        for whole in [of, of - 1, of / 3] {
            let mut last = Running::from(whole, of, of - 2 * most);
            let parts = [0; 2].map(|_| u64::from(last.next(u16::MAX)));
            let before = (u128::from(whole) * u128::from(of - 2 * most) / u128::from(of)) as u64;
            assert_eq!(parts.iter().sum::<u64>(), whole - before);
            assert!(
                parts
                    .iter()
                    .all(|part| part.abs_diff(most * whole / of) <= 1 || whole == of)
            );
        }
    }
}
