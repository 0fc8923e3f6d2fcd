//! Groups of cells of a body at the same height: sums of the amounts that they offer and of their
//! free volumes, and the apportionment of flow to the single cells.

use lavoxel_base::units::AMOUNT_ONE;

/// Role of a cell towards a body of liquid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeightKind {
    /// Cell of the body below rock, the roof or another covered cell, which pressure keeps full.
    Covered,
    /// Free cell next to the body into which pressure drives liquid.
    Pressed,
    /// Space outside of an open side of the simulation box, next to the body; takes any amount.
    Outside,
    /// Cell of the free surface of the body.
    Surface,
}

/// Group of all cells with the same body, height and role, with sums over the cells; amounts in the
/// smallest unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    /// Number of the body (connected cells of liquid). Body, height `y` and role `kind` are the key
    /// of the group.
    pub(crate) body: u32,
    /// Height of the cells, in cells above the floor.
    pub(crate) y: u32,
    /// Role of the cells towards the body.
    pub(crate) kind: HeightKind,
    /// Number of cells of the group.
    cells: u64,
    /// Sum of the amounts in the cells.
    sum: u64,
    /// Smallest amount in a cell.
    least: u16,
    /// Largest amount in a cell.
    most: u16,
    /// Sum of the amounts that the cells offer; in a group that levels out, sum of the excesses
    /// above the mean.
    pub(in crate::rules) offers: u64,
    /// Sum of the free volumes of the cells; in a group that levels out, sum of the deficits below
    /// the mean.
    pub(in crate::rules) room: u64,
    /// Flow out of the group.
    pub(in crate::rules) given: u64,
    /// Flow into the group.
    pub(in crate::rules) taken: u64,
    /// Mean amount to which the cells of a group that levels out tend; `None` for other groups.
    mean: Option<u16>,
    /// Number of openings through which the body presses: free cells at its sides and faces at open
    /// sides of the simulation box; free cells on top; cells of the body itself.
    holes: [u64; 3],
    /// Largest amount that the covered, pressed and outside cells at this height take together.
    pub(in crate::rules) most_taken: u64,
}

/// Amount that a cell offers, its present amount, and its free volume, in the smallest unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) offer: u16,
    pub(crate) amount: u16,
    pub(crate) room: u16,
}

impl Height {
    /// Creates a group without cells, with this key: number of the body, height in cells, role.
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

    /// Key by which groups are sorted: number of the body, height in cells, role.
    pub(crate) fn key(&self) -> (u32, u32, HeightKind) {
        (self.body, self.y, self.kind)
    }

    /// Adds the values of a cell to the sums of the group, and the cell to its number of cells.
    #[inline(always)]
    pub(crate) fn add(&mut self, cell: Surface) {
        self.cells += 1;
        self.sum += u64::from(cell.amount);
        self.least = self.least.min(cell.amount);
        self.most = self.most.max(cell.amount);
        self.offers += u64::from(cell.offer);
        self.room += u64::from(cell.room);
    }

    /// Adds `holes` to the numbers of openings of the group through which the body presses: free
    /// cells at its sides and faces at open sides of the simulation box; free cells on top; cells
    /// of the body itself.
    #[inline(always)]
    pub(crate) fn add_holes(&mut self, holes: [u32; 3]) {
        holes
            .iter()
            .zip(&mut self.holes)
            .for_each(|(&more, holes)| *holes += u64::from(more));
    }

    /// Adds the sums and openings of `other`, a part of the same group in another strip, to those
    /// of this group.
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

    /// Numbers of openings of each kind for a body without openings: all 0.
    pub(in crate::rules) const NO_HOLES: [u64; 3] = [0; 3];

    /// Returns the numbers of openings of this group plus `others`, kind by kind.
    pub(in crate::rules) fn with_holes(&self, others: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|kind| self.holes[kind] + others[kind])
    }

    /// Limits the amount that this group and the other driven groups of the body at this height
    /// take together to `most`; the outside has room for the whole amount.
    pub(in crate::rules) fn take_at_most(&mut self, most: u64) {
        self.most_taken = most;
        if self.is_outside() {
            self.room = most;
        }
    }

    /// Mean height of the liquid's surface above the floor of the simulation box, in units of
    /// 1/`AMOUNT_ONE` of a cell.
    pub(in crate::rules) fn level(&self) -> u64 {
        u64::from(self.y) * u64::from(AMOUNT_ONE) + self.sum / self.cells.max(1)
    }

    /// Returns true if the cells belong to the free surface of the body.
    pub(in crate::rules) fn is_surface(&self) -> bool {
        self.kind == HeightKind::Surface
    }

    /// Returns true if the group is the outside of an open side of the simulation box.
    pub(in crate::rules) fn is_outside(&self) -> bool {
        self.kind == HeightKind::Outside
    }

    /// Amount that leaves the simulation box by way of this group, in the smallest unit.
    pub(crate) fn leaves(&self) -> u64 {
        if self.is_outside() { self.taken } else { 0 }
    }

    /// Decides if the cells of the group level out among each other, and sets the mean to which
    /// they tend, after the flow out of and into the group. They do so if their amounts differ by
    /// more than `min_flow` (smallest unit), unless every giving cell gives its whole offer or
    /// every taking cell is filled. [`Height::add_around_mean`] then computes the sums relative to
    /// the mean.
    pub(in crate::rules) fn come_level(&mut self, min_flow: u16) {
        let has_choice = !self.moves() || self.given < self.offers && self.taken < self.room;
        if !has_choice || self.most.saturating_sub(self.least) <= min_flow {
            return;
        }
        // With these means, the offers above the mean of a giving group add up to at least `given`,
        // and the free volumes below the mean of a taking group to at least `taken`, whatever the
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

    /// Returns true if the cells of the group level out, so that a second summation relative to the
    /// mean is needed.
    pub(crate) fn comes_level(&self) -> bool {
        self.mean.is_some()
    }

    /// Adds the excess above or the deficit below the mean of a cell to `offers` or `room`, in the
    /// second summation.
    #[inline(always)]
    pub(crate) fn add_around_mean(&mut self, cell: Surface) {
        self.offers += u64::from(self.donor_weight(cell));
        self.room += u64::from(self.takes(cell));
    }

    /// Adds the sums of the second summation of `other`, a part of the same group in another strip
    /// with the same mean, to those of this group.
    pub(crate) fn join_around_mean(&mut self, other: &Self) {
        self.offers += other.offers;
        self.room += other.room;
    }

    /// Returns a copy in which the sums for the second summation and the flows are 0.
    pub(crate) fn without_sums(&self) -> Self {
        Self {
            offers: 0,
            room: 0,
            given: 0,
            taken: 0,
            ..*self
        }
    }

    /// Adds the flow between the cells of the group, by which they level out, to the flow out of
    /// and into the group.
    pub(crate) fn book_level(&mut self) {
        let most = (self.offers - self.given).min(self.room - self.taken);
        let inside = if self.moves() { most } else { most / 2 };
        self.given += inside;
        self.taken += inside;
    }

    /// Returns true if anything flows out of or into the group.
    pub(crate) fn moves(&self) -> bool {
        self.given | self.taken != 0
    }

    /// Returns the sums of the offers and of the free volumes, in the smallest unit: the offset at
    /// which the apportionment continues in the next strip.
    pub(crate) fn sums(&self) -> [u64; 2] {
        [self.offers, self.room]
    }

    /// Returns the weight of a cell for the apportionment of the flow out of the group.
    #[inline(always)]
    fn donor_weight(&self, cell: Surface) -> u16 {
        cell.offer.saturating_sub(self.mean.unwrap_or(0))
    }

    /// Returns the weight of a cell for the apportionment of the flow into the group.
    #[inline(always)]
    fn takes(&self, cell: Surface) -> u16 {
        self.mean.map_or(cell.room, |mean| {
            cell.room.min(mean.saturating_sub(cell.amount))
        })
    }

    /// Returns the apportionment of the group's flow to its cells; `offers` and `room` are the sums
    /// over all cells before the first one.
    pub(crate) fn shares(&self, [offers, room]: [u64; 2]) -> Shares {
        Shares {
            height: *self,
            gives: Running::from(self.given, self.offers, offers),
            takes: Running::from(self.taken, self.room, room),
        }
    }
}

/// Apportionment of the flow of a group to its cells, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    height: Height,
    gives: Running,
    takes: Running,
}

impl Shares {
    /// Returns true if nothing flows, so that all parts are 0.
    #[inline(always)]
    pub(crate) fn move_nothing(&self) -> bool {
        !self.height.moves()
    }

    /// Returns the amounts that the next cell gives and takes, in the smallest unit.
    #[inline(always)]
    pub(crate) fn next(&mut self, cell: Surface) -> [u16; 2] {
        [
            self.gives.next(self.height.donor_weight(cell)),
            self.takes.next(self.height.takes(cell)),
        ]
    }
}

/// Exact apportionment of the number `whole` in proportion to weights, by prefix sums that are
/// rounded down: the parts add up to `whole`.
#[derive(Clone, Copy, Debug)]
struct Running {
    whole: u64,
    /// Sum of the weights of all cells.
    of: u64,
    passed: u64,
    paid: u64,
}

impl Running {
    /// Creates the apportionment after cells whose weights add up to `passed`.
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

    /// Sum of the parts of all weights up to now.
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

    /// Returns the part for the next weight `value`; at most `value`.
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
