//! Groups of the cells of a connected body of liquid at one height: sums of the amounts that the
//! cells offer and of their free volumes, and the apportionment of flow to the single cells.

use lavoxel_base::units::AMOUNT_ONE;

/// Role of a cell in the exchange of liquid through a connected body of liquid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeightKind {
    /// Cell of the connected body of liquid directly below rock, the roof or another covered cell;
    /// pressure keeps the cell full.
    Covered,
    /// Free cell next to the connected body of liquid, into which pressure drives liquid.
    Pressed,
    /// Space outside of an open side of the simulation box, next to the connected body of liquid;
    /// takes any amount.
    Outside,
    /// Cell of the free surface of the connected body of liquid.
    Surface,
}

/// Group of all cells with the same connected body, height and role, with sums over the cells;
/// amounts in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    /// Number of the body (connected cells of liquid). `body`, `y` and `kind` are the key of the
    /// group.
    pub(crate) body: u32,
    /// Height y of the cells of the group, in cells above the floor.
    pub(crate) y: u32,
    /// Role of the cells of the group.
    pub(crate) kind: HeightKind,
    /// Number of cells of the group.
    cells: u64,
    /// Sum of the amounts in the cells, in units.
    sum: u64,
    /// Smallest amount in a cell of the group, in units.
    least: u16,
    /// Largest amount in a cell of the group, in units.
    most: u16,
    /// Sum of the amounts that the cells of the group offer, in units. In a group that levels out:
    /// sum of the amounts by which the cells exceed the mean.
    pub(in crate::rules) offers: u64,
    /// Sum of the free volumes of the cells of the group, in units. In a group that levels out: sum
    /// of the amounts by which the cells lie below the mean.
    pub(in crate::rules) room: u64,
    /// Flow out of the group in this application of the rule, in units of amount.
    pub(in crate::rules) given: u64,
    /// Flow into the group in this application of the rule, in units of amount.
    pub(in crate::rules) taken: u64,
    /// Mean amount, in units, to which the cells of a group that levels out tend; `None` for other
    /// groups.
    mean: Option<u16>,
    /// Numbers of openings through which the connected body presses liquid into the group, by kind:
    /// free cells at the body's sides and faces at open sides of the simulation box; free cells on
    /// top; covered cells of the body itself.
    holes: [u64; 3],
    /// Largest amount, in units, that the covered, pressed and outside cells of the connected body
    /// at this height take together per application of the rule.
    pub(in crate::rules) most_taken: u64,
}

/// Contribution of one cell to its group: the amount that it offers, its present amount, and its
/// free volume, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) offer: u16,
    pub(crate) amount: u16,
    pub(crate) room: u16,
}

impl Height {
    /// Creates a group without cells. Key: number of the connected body of liquid, height y in
    /// cells, role of the cells.
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

    /// Sort key of the group: number of the body, height y in cells, role of the cells.
    pub(crate) fn key(&self) -> (u32, u32, HeightKind) {
        (self.body, self.y, self.kind)
    }

    /// Adds `cell` to the sums of the group, and 1 to the number of cells.
    #[inline(always)]
    pub(crate) fn add(&mut self, cell: Surface) {
        self.cells += 1;
        self.sum += u64::from(cell.amount);
        self.least = self.least.min(cell.amount);
        self.most = self.most.max(cell.amount);
        self.offers += u64::from(cell.offer);
        self.room += u64::from(cell.room);
    }

    /// Adds `holes` to the numbers of openings of the group, in the order of the field `holes`.
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

    /// Numbers of openings of a connected body without openings: 0 of each kind.
    pub(in crate::rules) const NO_HOLES: [u64; 3] = [0; 3];

    /// Returns the sum, for each kind of opening, of this group's number of openings and `others`.
    pub(in crate::rules) fn with_holes(&self, others: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|kind| self.holes[kind] + others[kind])
    }

    /// Limits the amount that the covered, pressed and outside cells of the connected body at this
    /// height take together to `most` (units). If the group stands for the outside of an open side,
    /// `most` becomes its free volume.
    pub(in crate::rules) fn take_at_most(&mut self, most: u64) {
        self.most_taken = most;
        if self.is_outside() {
            self.room = most;
        }
    }

    /// Mean height of the liquid's surface in the cells of the group above the floor of the
    /// simulation box, in units of 1/`AMOUNT_ONE` of a cell.
    pub(in crate::rules) fn level(&self) -> u64 {
        u64::from(self.y) * u64::from(AMOUNT_ONE) + self.sum / self.cells.max(1)
    }

    /// Returns true if the cells of the group belong to the free surface of the connected body of
    /// liquid.
    pub(in crate::rules) fn is_surface(&self) -> bool {
        self.kind == HeightKind::Surface
    }

    /// Returns true if the group stands for the space outside of an open side of the simulation
    /// box.
    pub(in crate::rules) fn is_outside(&self) -> bool {
        self.kind == HeightKind::Outside
    }

    /// Amount that leaves the simulation box through this group, in units; 0 unless the group
    /// stands for the space outside of an open side.
    pub(crate) fn leaves(&self) -> u64 {
        if self.is_outside() { self.taken } else { 0 }
    }

    /// Decides if the cells of the group level out among each other; if so, sets `mean`, the amount
    /// to which they tend, with the flow out of and into the group included. They level out if
    /// their amounts differ by more than `min_flow` (units), unless every giving cell gives its
    /// whole offer or every taking cell is filled. [`Height::add_around_mean`] must then compute
    /// the sums relative to the mean.
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

    /// Adds the amount by which `cell` exceeds the group's mean to `offers`, and the amount by
    /// which it lies below the mean to `room`.
    #[inline(always)]
    pub(crate) fn add_around_mean(&mut self, cell: Surface) {
        self.offers += u64::from(self.donor_weight(cell));
        self.room += u64::from(self.takes(cell));
    }

    /// Adds the sums `offers` and `room` relative to the mean of `other`, the part of the same
    /// group in another strip, to those of this group.
    pub(crate) fn join_around_mean(&mut self, other: &Self) {
        self.offers += other.offers;
        self.room += other.room;
    }

    /// Returns a copy of the group in which `offers`, `room`, `given` and `taken` are 0.
    pub(crate) fn without_sums(&self) -> Self {
        Self {
            offers: 0,
            room: 0,
            given: 0,
            taken: 0,
            ..*self
        }
    }

    /// Adds the flow between the group's own cells, by which their amounts approach the mean, to
    /// `given` and to `taken`.
    pub(crate) fn book_level(&mut self) {
        let most = (self.offers - self.given).min(self.room - self.taken);
        let inside = if self.moves() { most } else { most / 2 };
        self.given += inside;
        self.taken += inside;
    }

    /// Returns true if any liquid flows out of or into the group.
    pub(crate) fn moves(&self) -> bool {
        self.given | self.taken != 0
    }

    /// Returns the sums of the offers and of the free volumes of this part of the group, in units.
    /// Added to the prefix sums of this strip, they are the prefix sums at the start of the next
    /// strip.
    pub(crate) fn sums(&self) -> [u64; 2] {
        [self.offers, self.room]
    }

    /// Returns the weight of `cell` in the apportionment of the flow out of the group: the cell's
    /// offer, or, if the group levels out, only the part above the mean.
    #[inline(always)]
    fn donor_weight(&self, cell: Surface) -> u16 {
        cell.offer.saturating_sub(self.mean.unwrap_or(0))
    }

    /// Returns the weight of `cell` in the apportionment of the flow into the group: the cell's
    /// free volume, or, if the group levels out, only the part up to the mean.
    #[inline(always)]
    fn takes(&self, cell: Surface) -> u16 {
        self.mean.map_or(cell.room, |mean| {
            cell.room.min(mean.saturating_sub(cell.amount))
        })
    }

    /// Returns the apportionment of the group's flow to its cells, starting at a cell whose
    /// predecessors have offers that add up to `offers` and free volumes that add up to `room`
    /// (units).
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
    /// Returns true if the flow out of and into the group is 0, so that no cell gives or takes
    /// anything.
    #[inline(always)]
    pub(crate) fn move_nothing(&self) -> bool {
        !self.height.moves()
    }

    /// Returns the amounts that `cell`, the next in order, gives and takes, in units.
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
    /// Sum of the weights of all cells of the group, in units.
    of: u64,
    passed: u64,
    paid: u64,
}

impl Running {
    /// Creates the apportionment of `whole` among weights with the sum `of`, beginning after cells
    /// whose weights add up to `passed`.
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

    /// Sum of the parts of all cells before the next one, whose weights add up to `passed`; rounded
    /// down.
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

    /// Returns the part of the next cell, whose weight is `value`; at most `value`.
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
