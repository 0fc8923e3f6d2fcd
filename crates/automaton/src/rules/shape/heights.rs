//! Sums over the cells of a body at one height, and the share of each cell.

use lavoxel_base::units::AMOUNT_ONE;

/// Relation of a cell to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeightKind {
    /// Cell of the body with rock or the roof over it: pressure keeps it full.
    Covered,
    /// Free cell into which the body's pressure drives liquid.
    Pressed,
    /// No cell of the box: the outside of an open side next to the body, which takes all that is
    /// driven there.
    Outside,
    /// Cell of the body's surface.
    Surface,
}

/// Sums of offers and room over the cells of one kind of a body at one height.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    /// Key: number of the body, y in cells, relation of the cells to the body.
    pub(crate) body: u32,
    pub(crate) y: u32,
    pub(crate) kind: HeightKind,
    cells: u64,
    /// Amount of all cells, the least, and the largest.
    sum: u64,
    least: u16,
    most: u16,
    /// Sums over the cells; for a height that comes level, the excess above the mean and the
    /// deficit below it.
    pub(in crate::rules) offers: u64,
    pub(in crate::rules) room: u64,
    /// Amounts that move out and in.
    pub(in crate::rules) given: u64,
    pub(in crate::rules) taken: u64,
    /// Mean of a height that comes level.
    mean: Option<u16>,
    /// Number of holes: free cells that touch the body at a side and the body's faces at open
    /// sides; free cells that only lie on the body; cells of the body itself.
    holes: [u64; 3],
    /// Upper bound for the amount that covered and pressed cells of this y, and the outside, take
    /// together.
    pub(in crate::rules) most_taken: u64,
}

/// Offer, amount and room of a cell, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) offer: u16,
    pub(crate) amount: u16,
    pub(crate) room: u16,
}

impl Height {
    /// Makes a height without cells.
    pub(crate) fn new((body, y, kind): (u32, u32, HeightKind)) -> Self {
        let [cells, sum, offers, room, given, taken] = [0; 6];
        let (least, most, mean, holes, most_taken) = (u16::MAX, 0, None, [0; 3], u64::MAX);
        Self { body, y, kind, cells, sum, least, most, offers, room, given, taken, mean, holes, most_taken }
    }

    /// Key by which heights are ordered: body, y and kind.
    pub(crate) fn key(&self) -> (u32, u32, HeightKind) {
        (self.body, self.y, self.kind)
    }

    /// Adds a cell.
    #[inline(always)]
    pub(crate) fn add(&mut self, cell: Surface) {
        self.cells += 1;
        self.sum += u64::from(cell.amount);
        self.least = self.least.min(cell.amount);
        self.most = self.most.max(cell.amount);
        self.offers += u64::from(cell.offer);
        self.room += u64::from(cell.room);
    }

    /// Adds holes through which the body presses: free cells that the body touches at a side, or
    /// faces at open sides; free cells that only lie on the body; the body's own cells.
    #[inline(always)]
    pub(crate) fn add_holes(&mut self, holes: [u32; 3]) {
        holes.iter().zip(&mut self.holes).for_each(|(&more, holes)| *holes += u64::from(more));
    }

    /// Adds the cells of `other`, which has the same key.
    pub(crate) fn join(&mut self, other: &Self) {
        self.cells += other.cells;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.offers += other.offers;
        self.room += other.room;
        other.holes.iter().zip(&mut self.holes).for_each(|(&more, holes)| *holes += more);
    }

    /// No holes.
    pub(in crate::rules) const NO_HOLES: [u64; 3] = [0; 3];

    /// Returns the sum of this height's holes and `others`.
    pub(in crate::rules) fn with_holes(&self, others: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|kind| self.holes[kind] + others[kind])
    }

    /// Limits the amount that this height takes, together with others of its y, to `most`; the
    /// outside has room for all of `most`.
    pub(in crate::rules) fn take_at_most(&mut self, most: u64) {
        self.most_taken = most;
        if self.is_outside() {
            self.room = most;
        }
    }

    /// Mean height of the liquid's surface above the floor of the box, in units (`AMOUNT_ONE` per
    /// cell).
    pub(in crate::rules) fn level(&self) -> u64 {
        u64::from(self.y) * u64::from(AMOUNT_ONE) + self.sum / self.cells.max(1)
    }

    /// Returns true if the cells belong to the body's surface.
    pub(in crate::rules) fn is_surface(&self) -> bool {
        self.kind == HeightKind::Surface
    }

    /// Returns true for the outside of an open side.
    pub(in crate::rules) fn is_outside(&self) -> bool {
        self.kind == HeightKind::Outside
    }

    /// Amount that leaves the box here.
    pub(crate) fn leaves(&self) -> u64 {
        if self.is_outside() { self.taken } else { 0 }
    }

    /// Sets the mean to which the height comes, gifts and takes included, if the cells differ by
    /// more than `min_flow` and some have a choice; [`Height::add_around_mean`] then sums the cells
    /// around the mean.
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

    /// Returns true if the cells are summed a second time, around their mean.
    pub(crate) fn comes_level(&self) -> bool {
        self.mean.is_some()
    }

    /// Adds a cell of a height that comes level.
    #[inline(always)]
    pub(crate) fn add_around_mean(&mut self, cell: Surface) {
        self.offers += u64::from(self.gives(cell));
        self.room += u64::from(self.takes(cell));
    }

    /// Adds the sums of `other` around the same mean.
    pub(crate) fn join_around_mean(&mut self, other: &Self) {
        self.offers += other.offers;
        self.room += other.room;
    }

    /// Returns this booked height with all sums and amounts reset, ready for sums around the mean.
    pub(crate) fn without_sums(&self) -> Self {
        Self { offers: 0, room: 0, given: 0, taken: 0, ..*self }
    }

    /// Books the flow inside a height that comes level, in addition to what the height gives or
    /// takes.
    pub(crate) fn book_level(&mut self) {
        let most = (self.offers - self.given).min(self.room - self.taken);
        let inside = if self.moves() { most } else { most / 2 };
        self.given += inside;
        self.taken += inside;
    }

    /// Returns true if anything moves.
    pub(crate) fn moves(&self) -> bool {
        self.given | self.taken != 0
    }

    /// Returns the sums that decide the shares of the cells that follow: offers and room.
    pub(crate) fn sums(&self) -> [u64; 2] {
        [self.offers, self.room]
    }

    /// Returns the weight of a cell among the givers.
    #[inline(always)]
    fn gives(&self, cell: Surface) -> u16 {
        cell.offer.saturating_sub(self.mean.unwrap_or(0))
    }

    /// Returns the weight of a cell among the takers.
    #[inline(always)]
    fn takes(&self, cell: Surface) -> u16 {
        self.mean.map_or(cell.room, |mean| cell.room.min(mean.saturating_sub(cell.amount)))
    }

    /// Returns an accumulator of the cells' shares that starts after cells with the sums `offers`
    /// and `room`.
    pub(crate) fn shares(&self, [offers, room]: [u64; 2]) -> Shares {
        Shares {
            height: *self,
            gives: Running::from(self.given, self.offers, offers),
            takes: Running::from(self.taken, self.room, room),
        }
    }
}

/// Shares of the cells of a height, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    height: Height,
    gives: Running,
    takes: Running,
}

impl Shares {
    /// Returns true if all shares are zero.
    #[inline(always)]
    pub(crate) fn move_nothing(&self) -> bool {
        !self.height.moves()
    }

    /// Returns gift and take of the next cell.
    #[inline(always)]
    pub(crate) fn next(&mut self, cell: Surface) -> [u16; 2] {
        [self.gives.next(self.height.gives(cell)), self.takes.next(self.height.takes(cell))]
    }
}

/// Parts of a whole that add up to the whole: running sums, rounded down.
#[derive(Clone, Copy, Debug)]
struct Running {
    whole: u64,
    /// Sum of all values.
    of: u64,
    passed: u64,
    paid: u64,
}

impl Running {
    /// Makes the state after values that add up to `passed`.
    fn from(whole: u64, of: u64, passed: u64) -> Self {
        let mut running = Self { whole, of, passed, paid: 0 };
        running.paid = running.due();
        running
    }

    /// Sum due to the values so far.
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

    /// Returns the part of the next value, which never exceeds the value.
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
        for (whole, values) in [(7, vec![3, 0, 9, 1, 1]), (14, vec![14]), (1, vec![5, 5]), (0, vec![4])] {
            let of: u64 = values.iter().map(|&v| u64::from(v)).sum();
            let mut all = Running::from(whole, of, 0);
            let parts: Vec<u16> = values.iter().map(|&v| all.next(v)).collect();
            assert_eq!(parts.iter().map(|&v| u64::from(v)).sum::<u64>(), whole);
            assert!(parts.iter().zip(&values).all(|(part, value)| part <= value));
            for start in 0..values.len() {
                let passed = values[..start].iter().map(|&v| u64::from(v)).sum();
                let mut rest = Running::from(whole, of, passed);
                assert!(values[start..].iter().zip(&parts[start..]).all(|(&v, &part)| rest.next(v) == part));
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
            assert!(parts.iter().all(|part| part.abs_diff(most * whole / of) <= 1 || whole == of));
        }
    }
}
