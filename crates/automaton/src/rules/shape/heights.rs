//! The cells of a body at one height, summed up, and the shares of each of them.

use lavoxel_base::units::AMOUNT_ONE;

/// How a cell belongs to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeightKind {
    /// Of the body, with rock or the roof over it: its pressure keeps it full.
    Covered,
    /// Free, and the body's pressure drives liquid into it.
    Pressed,
    /// None of the box: what is outside of an open side beside the body, which takes all that is driven there.
    Outside,
    /// Of the body's surface.
    Surface,
}

/// The cells of one kind of a body at one height: what they offer, and what room they have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    /// The body's number, y, and how the cells belong to it.
    pub(crate) body: u32,
    pub(crate) y: u32,
    pub(crate) kind: HeightKind,
    cells: u64,
    /// Amount of all, the least, and the largest.
    sum: u64,
    least: u16,
    most: u16,
    /// Sums over the cells; of one that comes level, of what is above the mean and of what is missing to it.
    pub(in crate::rules) offers: u64,
    pub(in crate::rules) room: u64,
    /// Amounts that move.
    pub(in crate::rules) given: u64,
    pub(in crate::rules) taken: u64,
    /// The mean of one that comes level.
    mean: Option<u16>,
    /// Free cells that touch the body at a side, and its faces at open sides; free cells that only lie on it; cells of the body itself.
    holes: [u64; 3],
    /// The most that covered and pressed cells of this y, and what is outside, take together.
    pub(in crate::rules) most_taken: u64,
}

/// Offer, amount and room of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) offer: u16,
    pub(crate) amount: u16,
    pub(crate) room: u16,
}

impl Height {
    /// One without cells.
    pub(crate) fn new((body, y, kind): (u32, u32, HeightKind)) -> Self {
        let [cells, sum, offers, room, given, taken] = [0; 6];
        let (least, most, mean, holes, most_taken) = (u16::MAX, 0, None, [0; 3], u64::MAX);
        Self { body, y, kind, cells, sum, least, most, offers, room, given, taken, mean, holes, most_taken }
    }

    /// Body, y and kind, by which heights are ordered.
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

    /// Adds cells through which the body presses: free ones that it touches at a side, or faces at open sides; those that only lie on
    /// it; and its own.
    #[inline(always)]
    pub(crate) fn add_holes(&mut self, holes: [u32; 3]) {
        holes.iter().zip(&mut self.holes).for_each(|(&more, holes)| *holes += u64::from(more));
    }

    /// Adds cells of the same key.
    pub(crate) fn join(&mut self, other: &Self) {
        self.cells += other.cells;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.offers += other.offers;
        self.room += other.room;
        other.holes.iter().zip(&mut self.holes).for_each(|(&more, holes)| *holes += more);
    }

    /// No cells through which a body presses.
    pub(in crate::rules) const NO_HOLES: [u64; 3] = [0; 3];

    /// Its cells through which the body presses besides others.
    pub(in crate::rules) fn with_holes(&self, others: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|kind| self.holes[kind] + others[kind])
    }

    /// Lets it take so much at most, together with others of its y; what is outside has room for all of it.
    pub(in crate::rules) fn take_at_most(&mut self, most: u64) {
        self.most_taken = most;
        if self.is_outside() {
            self.room = most;
        }
    }

    /// How high its liquid stands above the floor of the box, in units of a cell's height.
    pub(in crate::rules) fn level(&self) -> u64 {
        u64::from(self.y) * u64::from(AMOUNT_ONE) + self.sum / self.cells.max(1)
    }

    /// Whether its cells are of the body's surface.
    pub(in crate::rules) fn is_surface(&self) -> bool {
        self.kind == HeightKind::Surface
    }

    /// Whether it is what is outside of an open side.
    pub(in crate::rules) fn is_outside(&self) -> bool {
        self.kind == HeightKind::Outside
    }

    /// Amount that leaves the box here.
    pub(crate) fn leaves(&self) -> u64 {
        if self.is_outside() { self.taken } else { 0 }
    }

    /// Sets the mean to which it comes with what it gives or takes, where the cells differ by more than `min_flow` and some of
    /// them have a choice; [`Height::add_around_mean`] then adds them up around it.
    pub(in crate::rules) fn come_level(&mut self, min_flow: u16) {
        let has_choice = !self.moves() || self.given < self.offers && self.taken < self.room;
        if !has_choice || self.most.saturating_sub(self.least) <= min_flow {
            return;
        }
        // Of these means, offers above that of what gives add up to what is given at least, and rooms below that of what takes
        // to what is taken, whatever else there is in the cells.
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

    /// Whether its cells are added up a second time, around their mean.
    pub(crate) fn comes_level(&self) -> bool {
        self.mean.is_some()
    }

    /// Adds a cell of a height that comes level.
    #[inline(always)]
    pub(crate) fn add_around_mean(&mut self, cell: Surface) {
        self.offers += u64::from(self.gives(cell));
        self.room += u64::from(self.takes(cell));
    }

    /// Adds what others added around the same mean.
    pub(crate) fn join_around_mean(&mut self, other: &Self) {
        self.offers += other.offers;
        self.room += other.room;
    }

    /// This height, booked, of which no cell was added yet around the mean.
    pub(crate) fn without_sums(&self) -> Self {
        Self { offers: 0, room: 0, given: 0, taken: 0, ..*self }
    }

    /// Books what moves inside a height that comes level, besides what it gives or takes.
    pub(crate) fn book_level(&mut self) {
        let most = (self.offers - self.given).min(self.room - self.taken);
        let inside = if self.moves() { most } else { most / 2 };
        self.given += inside;
        self.taken += inside;
    }

    /// Whether anything moves.
    pub(crate) fn moves(&self) -> bool {
        self.given | self.taken != 0
    }

    /// Sums that decide about the shares of the cells that follow: offers and room.
    pub(crate) fn sums(&self) -> [u64; 2] {
        [self.offers, self.room]
    }

    /// For what a cell counts among those that give.
    #[inline(always)]
    fn gives(&self, cell: Surface) -> u16 {
        cell.offer.saturating_sub(self.mean.unwrap_or(0))
    }

    /// For what a cell counts among those that take.
    #[inline(always)]
    fn takes(&self, cell: Surface) -> u16 {
        self.mean.map_or(cell.room, |mean| cell.room.min(mean.saturating_sub(cell.amount)))
    }

    /// The shares of its cells, from one on before which offers and room add up to so much.
    pub(crate) fn shares(&self, [offers, room]: [u64; 2]) -> Shares {
        Shares {
            height: *self,
            gives: Running::from(self.given, self.offers, offers),
            takes: Running::from(self.taken, self.room, room),
        }
    }
}

/// The shares of the cells of a height, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    height: Height,
    gives: Running,
    takes: Running,
}

impl Shares {
    /// Whether all of them are zero.
    #[inline(always)]
    pub(crate) fn move_nothing(&self) -> bool {
        !self.height.moves()
    }

    /// Gift and take of the next cell.
    #[inline(always)]
    pub(crate) fn next(&mut self, cell: Surface) -> [u16; 2] {
        [self.gives.next(self.height.gives(cell)), self.takes.next(self.height.takes(cell))]
    }
}

/// Parts of a whole that add up to it: running sums, rounded down.
#[derive(Clone, Copy, Debug)]
struct Running {
    whole: u64,
    /// Sum of all values.
    of: u64,
    passed: u64,
    paid: u64,
}

impl Running {
    /// From the value on before which the values add up to `passed`.
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
            // Of a very wide sea.
            (u128::from(self.whole) * u128::from(self.passed) / u128::from(self.of)) as u64
        }
    }

    /// The part of the next value, which is not more than the value.
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
