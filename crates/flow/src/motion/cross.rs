//! First stage of a sub-step: computes the amounts and heat that cross each face, and limits them
//! so that no cell gives more than it contains.

use crate::motion::face::{Flux, LeanPair, Pair};
use crate::motion::face_lanes::{BATCH, FluxBatch};
use crate::motion::parcel::{Parcel, ParcelBatch, crust_of};
use crate::motion::plan::{Plan, neighbours};
use crate::motion::strips::{SIDE, Strip, on_strips};
use crate::motion::tables::Tables;
use crate::step::SubStep;
use crate::store::blocks::{Blocks, BlocksMut};
use crate::store::column::{Column, Warmth, heat_of};
use crate::store::column_summary::ColumnSummary;
use crate::{Flow, FlowBox};
use lavoxel_base::simd::{Level, Simd, Work};
use smallvec::SmallVec;

/// Portion of a flux across a face: amount and heat that pass from one cell to the cell at the same
/// height in the neighbouring column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LevelFlux {
    pub(crate) level: i32,
    /// Amount in units; positive if the liquid moves from the face's own column to the east or
    /// south neighbour, negative for the opposite direction.
    pub(crate) amount: i32,
    /// Heat in units, with the sign of `amount`.
    pub(crate) heat: i64,
}

/// Amounts and heat that cross a face in the sub-step with the identifier `stamp`, one portion for
/// each donor cell. Most faces need at most two portions, which are stored in `amounts` and `heats`
/// without a heap allocation.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Face {
    pub(crate) stamp: u32,
    /// Cell index, from the floor of the box, of the first portion in `amounts` and `heats`; the
    /// second portion is one cell above.
    pub(crate) level: i32,
    pub(crate) amounts: [i32; 2],
    pub(crate) heats: [i64; 2],
    /// Heat deficits in kelvin (averaged over the depth) of the crust: on liquid that leaves the
    /// face's own column, and on liquid that leaves the neighbouring column.
    skins: [f32; 2],
    /// Heat deficit of the crust of all parts, in units of heat; with the sign of the amounts.
    pub(crate) crust: i64,
    /// Parts of a face computed by the general path; the two parts above are then 0.
    parts: Option<Box<Parts>>,
}

/// Parts of a face, most often few.
type Parts = SmallVec<[LevelFlux; 6]>;

impl Face {
    /// Calls `each` for every portion of the flux that is not zero.
    #[inline]
    pub(crate) fn for_parts(&self, mut each: impl FnMut(LevelFlux)) {
        for i in 0..2 {
            if self.amounts[i] != 0 {
                each(LevelFlux {
                    level: self.level + i as i32,
                    amount: self.amounts[i],
                    heat: self.heats[i],
                });
            }
        }
        self.parts().iter().copied().for_each(each);
    }

    /// Parts of a face computed by the general path.
    #[inline(always)]
    pub(crate) fn parts(&self) -> &[LevelFlux] {
        self.parts.as_ref().map_or(&[], |parts| parts.as_slice())
    }

    #[inline(always)]
    fn clear(&mut self) {
        if let Some(parts) = &mut self.parts {
            parts.clear();
        }
    }

    /// Recomputes the crust after the parts have changed.
    fn find_crust(&mut self) {
        let (skins, mut crust) = (self.skins, 0);
        self.for_parts(|part| crust += crust_of_part(part.amount, skins));
        self.crust = crust;
    }

    /// Replaces every portion of the flux by the result of `change` for that portion.
    fn change_parts(&mut self, change: impl Fn(LevelFlux) -> LevelFlux) {
        for i in 0..2 {
            let part = change(LevelFlux {
                level: self.level + i as i32,
                amount: self.amounts[i],
                heat: self.heats[i],
            });
            (self.amounts[i], self.heats[i]) = (part.amount, part.heat);
        }
        let parts = self.parts.iter_mut().flat_map(|parts| parts.iter_mut());
        parts.for_each(|part| *part = change(*part));
    }
}

/// Results of the face computation in a sub-step, merged over all threads: counts of fluxes, and
/// columns that need a limit.
#[derive(Clone, Debug, Default)]
struct Count {
    faces: u64,
    fluxes: u64,
    capped: u64,
    put_off: i64,
    /// Numbers of the columns with a cell whose outflow may exceed its content; duplicates
    /// possible.
    hot: Vec<u32>,
}

impl Count {
    fn plus(mut self, more: Self) -> Self {
        self.hot.extend(more.hot);
        let [faces, fluxes, capped] = [
            self.faces + more.faces,
            self.fluxes + more.fluxes,
            self.capped + more.capped,
        ];
        Self {
            faces,
            fluxes,
            capped,
            put_off: self.put_off.max(more.put_off),
            hot: self.hot,
        }
    }

    fn note(&mut self, flux: &Flux) {
        self.fluxes += 1;
        self.capped += u64::from(flux.is_capped);
        self.put_off = self.put_off.max(flux.eased);
    }
}

impl Flow {
    /// Computes amounts and heat that cross each face updated in the sub-step `sub`; returns the
    /// numbers of the columns with a cell whose outflow may exceed its content.
    pub(crate) fn cross(&mut self, plan: &Plan, sub: SubStep) -> Vec<u32> {
        let Self {
            space,
            columns,
            leans,
            faces,
            tables,
            account,
            watch,
            ..
        } = self;
        let cross = Cross {
            space: *space,
            columns,
            leans,
            tables,
            sub,
        };
        let count = on_strips(
            &plan.strips,
            faces.view_mut(),
            &|strip| strip.due_faces(sub.level),
            &|strip, faces: BlocksMut<'_, [Face; 2]>| {
                let mut count = Count {
                    faces: strip.due_faces(sub.level) as u64,
                    ..Count::default()
                };
                Level::fastest().run(CrossStrip {
                    cross: &cross,
                    strip,
                    finest: plan.finest,
                    faces,
                    count: &mut count,
                });
                count
            },
            &Count::plus,
        );
        account.faces += count.faces;
        account.fluxes += count.fluxes;
        account.capped += count.capped;
        watch.put_off = watch.put_off.max(count.put_off);
        count.hot
    }

    /// Scales down the outflow of cells in the columns `hot` whose outflow would exceed their
    /// content: one factor per cell for all its faces, amounts rounded down. Liquid that leaves a
    /// cell gets the cell's mean heat if more than a quarter of the cell's amount crosses any face.
    /// `stamp`: identifier of the sub-step.
    pub(crate) fn limit(&mut self, mut hot: Vec<u32>, stamp: u32) {
        let carries_skin = self.tables.carries_skin;
        hot.sort_unstable();
        hot.dedup();
        for c in hot {
            let around = faces_of(self.space, c as usize);
            let column = &self.columns[c as usize];
            for level in column.base..column.end() {
                let cell = column.cell(level);
                let (mut given, mut most) = (0i64, 0);
                // One factor for all faces of a cell: scaling them one by one would depend on their
                // order.
                let is_given =
                    |part: &LevelFlux, sign: i32| part.level == level && part.amount * sign > 0;
                for &(number, sign) in around.iter().flatten() {
                    let face = &self.faces[number / 2][number % 2];
                    if face.stamp == stamp {
                        face.for_parts(|part| {
                            if is_given(&part, sign) {
                                given += i64::from(part.amount.abs());
                                most = part.amount.abs().max(most);
                            }
                        });
                    }
                }
                if most <= cell.amount / 4 {
                    continue;
                }
                let scale = given.max(i64::from(cell.amount));
                for &(number, sign) in around.iter().flatten() {
                    let face = &mut self.faces[number / 2][number % 2];
                    if face.stamp == stamp {
                        face.change_parts(|part| {
                            if !is_given(&part, sign) {
                                return part;
                            }
                            let amount = (i64::from(part.amount.abs()) * i64::from(cell.amount)
                                / scale) as i32;
                            LevelFlux {
                                level,
                                amount: sign * amount,
                                heat: i64::from(sign) * heat_of(amount, cell),
                            }
                        });
                        if carries_skin {
                            face.find_crust();
                        }
                    }
                }
            }
        }
    }
}

/// Numbers of the four faces of column `c`, ascending, each with the sign (1 or −1) that an outflow
/// from the column has; `None` at a side of the box. Face 2 c lies east of column c, face 2 c + 1
/// south.
pub(crate) fn faces_of(space: FlowBox, c: usize) -> [Option<(usize, i32)>; 4] {
    let [west, east, north, south] = neighbours(space, c);
    [
        north.map(|n| (2 * n + 1, -1)),
        west.map(|n| (2 * n, -1)),
        east.map(|_| (2 * c, 1)),
        south.map(|_| (2 * c + 1, 1)),
    ]
}

/// Returns the numbers of the two columns of face `number` (that north or west of the face first),
/// and the columns themselves with their neighbours parallel to the face.
#[inline]
pub(crate) fn pair_of(
    space: FlowBox,
    columns: &Blocks<Column>,
    number: usize,
) -> (usize, usize, Pair<'_>) {
    let (c, is_south) = (number / 2, number % 2 == 1);
    let (ahead, along) = if is_south {
        (space.nx, 1)
    } else {
        (1, space.nx)
    };
    let inside = if is_south {
        c % space.nx > 0 && c % space.nx + 1 < space.nx
    } else {
        c >= space.nx && c + space.nx < columns.columns()
    };
    let n = c + ahead;
    let beside = inside.then(|| {
        [
            &columns[c - along],
            &columns[c + along],
            &columns[n - along],
            &columns[n + along],
        ]
    });
    (
        c,
        n,
        Pair {
            here: &columns[c],
            there: &columns[n],
            beside,
        },
    )
}

/// Returns the parcel (heat and crust of the liquid that crosses) of `flux` between the columns `c`
/// and `n`, computed from the summaries of the columns. If a column has several runs or the donor
/// lies at a side of the box, the parcel has the mean heat of the donor.
pub(crate) fn parcel_of(
    space: FlowBox,
    leans: &Blocks<ColumnSummary>,
    tables: &Tables,
    [c, n]: [usize; 2],
    flux: &Flux,
) -> Parcel {
    let (giver, taker) = if flux.is_forward { (c, n) } else { (n, c) };
    let is_open = tables.is_second_order && leans[c].is_one_run() && leans[n].is_one_run();
    let behind = |is_open: &bool| {
        let [west, east, north, south] = neighbours(space, giver);
        let opposite = [(west, east), (east, west), (north, south), (south, north)];
        let behind = opposite.into_iter().find(|&(to, _)| to == Some(taker));
        behind.and_then(|(_, behind)| behind.filter(|_| *is_open))
    };
    match behind(&is_open) {
        Some(behind) => Parcel::new(
            [behind, giver, taker].map(|c| &leans[c]),
            flux.units,
            tables.heats,
        ),
        None => Parcel::mean(leans[giver].skin),
    }
}

/// Pass over the due faces of a strip.
struct CrossStrip<'a> {
    cross: &'a Cross<'a>,
    strip: &'a Strip,
    finest: i32,
    faces: BlocksMut<'a, [Face; 2]>,
    count: &'a mut Count,
}

impl Work for CrossStrip<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            cross,
            strip,
            finest,
            mut faces,
            count,
        } = self;
        let [to_east, to_south] = &strip.faces;
        let mut batch = Batch::default();
        // A face is listed once, at its own level: the loop visits each due face once.
        for level in cross.sub.level..=finest {
            for &c in to_east.at_level(level) {
                cross.face::<false>(c, level, &mut batch, &mut faces, count);
            }
            for &c in to_south.at_level(level) {
                cross.face::<true>(c, level, &mut batch, &mut faces, count);
            }
        }
        cross.finish(&mut batch, &mut faces, count);
    }
}

/// Faces between columns with a single run each, whose fluxes are computed together.
#[derive(Default)]
struct Batch<'a> {
    fluxes: FluxBatch,
    /// Number of each face, and records of its two columns.
    numbers: [usize; BATCH],
    sides: [Option<[&'a ColumnSummary; 2]>; BATCH],
    /// Faces that liquid crosses.
    crossing: [Option<(Sides<'a>, Flux)>; BATCH],
    parcels: ParcelBatch,
}

/// Columns of a face that liquid crosses.
#[derive(Clone, Copy)]
struct Sides<'a> {
    /// Number of the face, of the giver, and of the column behind the giver.
    number: usize,
    number_of_giver: usize,
    behind: usize,
    giver: &'a ColumnSummary,
    taker: &'a ColumnSummary,
}

impl<'a> Sides<'a> {
    #[inline(always)]
    fn new(number: usize, [here, there]: [&'a ColumnSummary; 2], flux: &Flux, nx: usize) -> Self {
        let c = number / 2;
        let ahead = if number % 2 == 1 { nx } else { 1 };
        let (giver, taker, number_of_giver, behind) = if flux.is_forward {
            (here, there, c, c - ahead)
        } else {
            (there, here, c + ahead, c + 2 * ahead)
        };
        Self {
            number,
            number_of_giver,
            behind,
            giver,
            taker,
        }
    }
}

/// Heat deficit in units of heat of the crust on a part of `amount` units; with the sign of
/// `amount`, positive from the face's own column to its neighbour.
#[inline(always)]
fn crust_of_part(amount: i32, skins: [f32; 2]) -> i64 {
    let crust = crust_of(amount.abs(), skins[usize::from(amount < 0)]);
    if amount < 0 { -crust } else { crust }
}

/// State of the flow from which the fluxes of a sub-step are computed.
struct Cross<'a> {
    space: FlowBox,
    columns: &'a Blocks<Column>,
    leans: &'a Blocks<ColumnSummary>,
    tables: &'a Tables,
    sub: SubStep,
}

impl<'a> Cross<'a> {
    /// Computes amounts and heat that cross the south (`SOUTH`) or east face of a column, for a
    /// sub-step of Δt/2^`level`; `c` is an entry of a strip's list: the column number, with the
    /// flag [`SIDE`] where neighbours are missing.
    #[inline(always)]
    fn face<const SOUTH: bool>(
        &self,
        c: u32,
        level: i32,
        batch: &mut Batch<'a>,
        faces: &mut BlocksMut<'_, [Face; 2]>,
        count: &mut Count,
    ) {
        if c & SIDE != 0 || !self.lean_face::<SOUTH>(c as usize, level, batch) {
            let c = (c & !SIDE) as usize;
            let face = &mut faces[c][usize::from(SOUTH)];
            self.any_face(2 * c + usize::from(SOUTH), level, face, count);
        } else if batch.fluxes.count == BATCH {
            self.finish(batch, faces, count);
        }
    }

    /// Fast path of `face` for two columns with a single run each, under the sky; reads only the
    /// columns' summaries. Returns false, and computes nothing, if a column has several runs.
    #[inline(always)]
    fn lean_face<const SOUTH: bool>(&self, c: usize, level: i32, batch: &mut Batch<'a>) -> bool {
        let nx = self.space.nx;
        let (here, there, beside) = if SOUTH {
            let (before, after) = (
                self.leans.some::<3>(c - 1),
                self.leans.some::<3>(c + nx - 1),
            );
            (
                before[1],
                after[1],
                [before[0], before[2], after[0], after[2]],
            )
        } else {
            let both = self.leans.some::<2>(c);
            let (before, after) = (self.leans.some::<2>(c - nx), self.leans.some::<2>(c + nx));
            (both[0], both[1], [before[0], after[0], before[1], after[1]])
        };
        if !(here.is_one_run() && there.is_one_run()) {
            return false;
        }
        let pair = LeanPair {
            here,
            there,
            beside,
        };
        if batch.fluxes.add(&pair, self.tables, level) {
            let i = batch.fluxes.count - 1;
            batch.numbers[i] = 2 * c + usize::from(SOUTH);
            batch.sides[i] = Some([here, there]);
        }
        true
    }

    /// Computes the parts of the faces in `batch`, and empties it.
    #[inline(always)]
    fn finish(
        &self,
        batch: &mut Batch<'a>,
        faces: &mut BlocksMut<'_, [Face; 2]>,
        count: &mut Count,
    ) {
        let Batch {
            fluxes,
            numbers,
            sides,
            crossing,
            parcels,
        } = batch;
        fluxes.find(self.tables);
        let mut flowing = 0;
        for i in 0..fluxes.count.min(BATCH) {
            if let (Some(sides), Some(flux)) = (sides[i], fluxes.flux(i, self.tables)) {
                count.note(&flux);
                let sides = Sides::new(numbers[i], sides, &flux, self.space.nx);
                let behind = &self.leans[sides.behind];
                parcels.put(flowing, [behind, sides.giver, sides.taker], flux.units);
                crossing[flowing] = Some((sides, flux));
                flowing += 1;
            }
        }
        if self.tables.is_second_order {
            parcels.find(flowing, self.tables.heats);
        }
        for (i, crossing) in crossing[..flowing].iter().enumerate() {
            let Some((sides, flux)) = crossing else {
                continue;
            };
            let parcel = if self.tables.is_second_order {
                parcels.parcel(i)
            } else {
                Parcel::mean(sides.giver.skin)
            };
            let face = &mut faces[sides.number / 2][sides.number % 2];
            self.lean_parts(sides, flux, parcel, face, count);
        }
        fluxes.count = 0;
    }

    /// Computes the parts of a flux between two columns with a single run each, under the sky.
    #[inline(always)]
    fn lean_parts(
        &self,
        sides: &Sides<'_>,
        flux: &Flux,
        parcel: Parcel,
        face: &mut Face,
        count: &mut Count,
    ) {
        let &Sides { number, giver, .. } = sides;
        let sign = if flux.is_forward { 1 } else { -1 };
        face.stamp = self.sub.stamp;
        face.clear();
        face.skins = [parcel.skin; 2];
        if !giver.is_whole() {
            self.tall_parts(flux, number, parcel, face, count);
            return;
        }
        let (lowest, amounts) = flux.lean_parts(giver, self.sub.key, number);
        let warmths = if lowest == giver.levels().0 {
            giver.warmth
        } else {
            [giver.warmth[1]; 2]
        };
        face.level = lowest;
        face.amounts = [sign * amounts[0], sign * amounts[1]];
        let held = [giver.amount(lowest), giver.amount(lowest + 1)];
        let heat = |i: usize| i64::from(sign) * parcel.heat(amounts[i], held[i], warmths[i]);
        face.heats = [heat(0), if amounts[1] > 0 { heat(1) } else { 0 }];
        if self.tables.carries_skin {
            let [lower, upper] = amounts;
            let crust = crust_of(lower, parcel.skin) + crust_of(upper, parcel.skin);
            face.crust = i64::from(sign) * crust;
        }
        // A cell can only give too much if one of its four faces takes more than a quarter.
        let is_hot = |i: usize| i64::from(amounts[i]) > held[i] / 4;
        if is_hot(0) || amounts[1] > 0 && is_hot(1) {
            count.hot.push(sides.number_of_giver as u32);
        }
    }

    /// Computes the portions of `flux` across the face `number`, for a donor with more wet cells
    /// than its summary describes.
    #[inline(never)]
    fn tall_parts(
        &self,
        flux: &Flux,
        number: usize,
        parcel: Parcel,
        face: &mut Face,
        count: &mut Count,
    ) {
        face.amounts = [0; 2];
        face.heats = [0; 2];
        face.crust = 0;
        let (c, n, pair) = pair_of(self.space, self.columns, number);
        self.any_parts(flux, (number, parcel), &pair, [c, n], face, count);
    }

    fn any_parts(
        &self,
        flux: &Flux,
        (number, parcel): (usize, Parcel),
        pair: &Pair<'_>,
        [c, n]: [usize; 2],
        face: &mut Face,
        count: &mut Count,
    ) {
        let (giver, number_of_giver, sign) = if flux.is_forward {
            (pair.here, c, 1)
        } else {
            (pair.there, n, -1)
        };
        pair.parts(flux, self.sub.key, number, |level, amount| {
            let cell = giver.cell(level);
            if amount > cell.amount / 4 {
                count.hot.push(number_of_giver as u32);
            }
            if self.tables.carries_skin {
                face.crust += i64::from(sign) * crust_of(amount, parcel.skin);
            }
            face.parts.get_or_insert_default().push(LevelFlux {
                level,
                amount: sign * amount,
                heat: i64::from(sign)
                    * parcel.heat(amount, i64::from(cell.amount), Warmth::from_cell(cell)),
            });
        });
    }

    #[inline(never)]
    fn any_face(&self, number: usize, level: i32, face: &mut Face, count: &mut Count) {
        face.stamp = self.sub.stamp;
        face.amounts = [0; 2];
        face.heats = [0; 2];
        face.crust = 0;
        face.clear();
        let (c, n, pair) = pair_of(self.space, self.columns, number);
        pair.fluxes(self.tables, level, |flux| {
            count.note(&flux);
            let parcel = parcel_of(self.space, self.leans, self.tables, [c, n], &flux);
            face.skins[usize::from(!flux.is_forward)] = parcel.skin;
            self.any_parts(&flux, (number, parcel), &pair, [c, n], face, count);
        });
    }
}
