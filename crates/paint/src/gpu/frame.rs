//! Parameters of one frame in the layout that the shaders read.

use bytemuck::Zeroable;

use lavoxel_automaton::view::Form;
use lavoxel_automaton::world::CellMeasure;
use lavoxel_base::grid::Grid;
use lavoxel_render::contents::opened;
use lavoxel_render::ground::floor::Floor;
use lavoxel_render::ground::land::TerrainLook;
use lavoxel_render::ground::sky::Sky;
use lavoxel_render::ground::surroundings::Ends;
use lavoxel_render::lava::plates::{copies, plate_size};
use lavoxel_render::lava::sparks::{MOST as MOST_SPARKS, MOST_MOUTHS, Sparks};
use lavoxel_render::math::V3;
use lavoxel_render::media::billows::Generations;
use lavoxel_render::media::flame::Flame;
use lavoxel_render::media::fog::KINDS;
use lavoxel_render::media::liquid::Liquid;
use lavoxel_render::media::sea::{FAR, Sea};
use lavoxel_render::media::smoke::{cut, stride};
use lavoxel_render::media::steam::risen;
use lavoxel_render::media::water::ripples_moved;
use lavoxel_render::style::transfer::Transfer;
use lavoxel_render::{Camera, LookSpec, MaterialLook, Mouth, Style, Surroundings};

use super::fog::FogTexture;
use super::media::MOST;
use super::smoke::SmokeBox;
use super::wgsl::numbers;

type Four = [f32; 4];

numbers! {
    /// Parameters of one frame in the layout that the shaders read; each field is one or more
    /// vectors of four numbers. Without another unit, lengths are in cells and directions are unit
    /// vectors.
    pub(super) struct Frame {
        eye: Four,
        /// Vector from the picture's centre to its right edge, at distance 1 from the eye; the
        /// field `up` is the vector to the upper edge.
        right: Four,
        up: Four,
        /// Unit vector of the view direction; w: square of (drawn height of a cell / width of a
        /// cell).
        forward: Four,
        /// Width and height of the picture in pixels; offset of this frame's rays within a pixel
        /// (x, y), in pixels.
        size: Four,
        /// Number of cells along x, y and z; w: length unit of all noise patterns in cells (1/128
        /// of the simulation box's longer side).
        cells: Four,
        /// Number of nodes of the ground's mesh along x and along z; number of nodes per cell along
        /// an axis; offset of each ray's first sample, as a fraction of the sampling distance.
        nodes: Four,
        /// Height in cells of the bottom and of the top of the block that is drawn as the ground;
        /// largest density that is invisible (0 to 1); sampling distance along rays in cells.
        block: Four,
        clip_low: Four,
        clip_high: Four,
        /// Positions of the slices across x, y and z in cells, below 0 for a hidden slice; w: bit
        /// mask (bit 0 x, 1 y, 2 z) of the slices that only cut the simulation box open and show no
        /// values.
        cuts: Four,
        /// Look of the lava: amount at its drawn surface, and smallest amount that is drawn as a
        /// thin film (both 0 to 1); strength of the crust (0 none, 1 usual); width of crust plates
        /// in cells.
        lava: Four,
        /// Energy per unit of amount at which lava looks cold, and at which lava looks hot;
        /// strength of the lava's light on rock (1 usual); strength of the haze (1 usual).
        heat: Four,
        /// Temperatures in K of lava with energy 0 and with energy 1 per unit of amount; flag of
        /// known temperatures (0 or 1); energy per unit of amount at the upper end of the palette.
        kelvin: Four,
        /// Number of the style; colour source (1 energy per unit of amount, 0 amount); flag of
        /// drawn lava (0 or 1); flag of drawn ground (0 or 1).
        view: [u32; 4],
        /// Two copies of the crust's noise pattern that move with the lava: for each, its phase and
        /// its offset (phase, offset, phase, offset). Phases below 0: the pattern does not move.
        ride: Four,
        /// Lowest height of the ground; height above that at which the ground's colour range ends;
        /// height of the floor around the simulation box.
        altitude: Four,
        /// Kind of floor around the simulation box (0 none, 1 plain, 2 table); mean height of the
        /// ground at the box's sides above the floor; number of lava fountains; width of a
        /// picture's pixel at distance 1 from the eye.
        floor: Four,
        /// Position of the foot of the candle-like flame; w: height of the flame in cell widths, 0
        /// without a flame.
        flame: Four,
        /// Displacement of the flame's tip by the wind, to the east and to the south, in flame
        /// heights.
        flame_blown: Four,
        /// Sea around the simulation box: height of its surface; index of its material; flag of its
        /// presence (0 or 1); distance from the eye at which the sea has faded into haze.
        sea: Four,
        /// Ground around the simulation box: distance from its first node to the box; distance
        /// between nodes (0 if no such ground is drawn); number of nodes along x and along z.
        beyond: Four,
        /// Bounding sphere of each lava fountain: centre in x, y, z; radius in w.
        fountains: [Four; MOST_MOUTHS],
        /// Range of streaks of each lava fountain in `spark_heads` and `spark_tails`: first index,
        /// and index after the last.
        fountain_streaks: [Four; MOST_MOUTHS],
        /// Position of the head of each spark's streak in x, y, z; radius of the streak in w.
        spark_heads: [Four; MOST_SPARKS],
        /// Position of the tail of each spark's streak in x, y, z; temperature of the streak in K
        /// in w.
        spark_tails: [Four; MOST_SPARKS],
        sun: Four,
        sun_color: Four,
        zenith: Four,
        horizon: Four,
        nadir: Four,
        halo: Four,
        /// Fraction of the sky covered by clouds (0 to 1); brightness of the stars; flag of hills
        /// at the horizon (0 or 1).
        sky: Four,
        ambient_below: Four,
        ambient_above: Four,
        /// Unit direction towards the lamp of the plain styles; w: smallest density of lava that
        /// the style `maximum` shows.
        lamp: Four,
        /// Number of materials other than lava; displacement of the ripples on liquids, in the
        /// noise unit `cells.w`; flag of an opaque material that ends rays (0 or 1).
        media: Four,
        /// For each material other than lava: strength of light absorption (1 usual); strength of
        /// the surface relief (1 usual); number of the material preset.
        media_look: [Four; MOST],
        /// For each material other than lava: its colour, linear RGB.
        media_color: [Four; MOST],
        /// For each translucent material: absorption per cell length, RGB.
        media_absorbed: [Four; MOST],
        /// For each translucent material: diffuse reflectance (0 to 1) of a very deep body of the
        /// material for skylight, linear RGB.
        media_deep: [Four; MOST],
        /// For each translucent material: diffuse reflectance (0 to 1) of a very deep body of the
        /// material for the light of lava, linear RGB.
        media_warmed: [Four; MOST],
        /// Lower corner of the bounding box of all gas, in x, y, z; w: flag of any gas or shadow of
        /// solids (0 or 1).
        fog_low: Four,
        /// Upper corner of the bounding box of all gas, in x, y, z; w: edge length of a cell of the
        /// coarse gas grid.
        fog_high: Four,
        /// For each kind of gas: single-scattering albedo (RGB); w: extinction per cell length in a
        /// cell full of the gas.
        fog_kind: [Four; KINDS],
        /// Amplitudes of the noise pattern of both kinds of gas; height in cells by which the
        /// pattern has risen; flag of any gas (0 or 1).
        fog_more: Four,
        smoke: SmokeNumbers,
    }
}

numbers! {
    /// Shader parameters of ash and steam for one frame; all zero without smoke.
    pub(super) struct SmokeNumbers {
        /// Lower corner of the air's grid in voxels (cells of the simulation box); w: edge length
        /// of an air cell in voxels, 0 without smoke.
        low: Four,
        /// Number of air cells along x, y and z; w: absorption per voxel of path at the largest
        /// density that a texel can store.
        cells: Four,
        /// Lower corner of the bounding box of all visible smoke, in voxels; w: distance between
        /// samples along a ray, in voxels.
        begins: Four,
        /// Upper corner of the bounding box of all visible smoke, in voxels; w: amplitude of the
        /// smoke's noise pattern.
        ends: Four,
        /// Single-scattering albedo of ash (RGB); w: strength of the lava's light on ash.
        albedo: Four,
        /// Two generations of the smoke's noise pattern, which move with the air: for each, the
        /// number of steps since its start, and its blend weight (0 to 1).
        carried: Four,
        /// First component: 1 if the air contains inks, so that cells have colours of their own,
        /// else 0.
        inks: Four,
    }
}

impl SmokeNumbers {
    /// Computes the parameters of the smoke `there` inside `clip`, the visible region of the
    /// simulation box (lower and upper bound per axis, as fractions of the box). `size`: number of
    /// voxels of the box along x, y and z.
    fn new(there: &SmokeBox, spec: &FrameSpec, (clip, size): ([[f32; 2]; 3], [f32; 3])) -> Self {
        let air = &spec.look.air;
        let shown = cut(there.around, clip, size);
        let [from, to] = [0, 1].map(|end| shown.map(|ends| ends[end]));
        let [(first, _, weight), (second, _, other)] = Generations::at(spec.steps as f64).carried;
        Self {
            low: with(there.low, there.edge),
            cells: with(there.cells, there.most),
            begins: with(from, stride(there.edge, spec.look.step)),
            ends: with(to, air.detail),
            albedo: with(air.albedo, air.glow * spec.sky.adapted),
            carried: [first, weight, second, other],
            inks: [f32::from(u8::from(there.has_inks)), 0.0, 0.0, 0.0],
        }
    }
}

/// Inputs from which `Frame`, the parameters of one frame, is computed.
pub(super) struct FrameSpec<'a> {
    pub(super) camera: &'a Camera,
    pub(super) grid: Grid,
    pub(super) land: &'a TerrainLook,
    pub(super) look: &'a LookSpec,
    pub(super) sky: &'a Sky,
    pub(super) transfer: &'a Transfer,
    /// Largest density that is invisible, on the scale from 0 (empty cell) to 255 (full cell).
    pub(super) empty: u8,
    /// Number of simulation steps so far.
    pub(super) steps: u64,
    /// Offset (x, y) of the rays within a pixel, in pixels; third element: offset of the rays'
    /// first samples, as a fraction of the sampling distance.
    pub(super) shift: [f32; 3],
    /// Cell index of each visible slice across x, y and z; `None` for a hidden slice.
    pub(super) cuts: [Option<usize>; 3],
    /// Set for each slice across x, y and z that shows amounts.
    pub(super) cuts_of_amounts: [bool; 3],
    pub(super) volume_shown: bool,
    pub(super) ground_shown: bool,
    /// Looks of the materials other than lava, in the order of the shader's arrays.
    pub(super) media: &'a [MaterialLook],
    /// Coarse grid of the gases and of the shadow of solids, with its texture.
    pub(super) fog: &'a FogTexture,
    /// Position and scale of the grid of ash and steam; `None` without smoke.
    pub(super) smoke: Option<SmokeBox>,
    /// Sea around the simulation box; `None` without a sea.
    pub(super) sea: Option<Sea>,
    /// Mouths of the vents that throw sparks (lava fountains).
    pub(super) mouths: &'a [Mouth],
}

impl Frame {
    pub(super) fn new(spec: &FrameSpec) -> Self {
        let (camera, look, land, sky) = (spec.camera, spec.look, spec.land, spec.sky);
        let (width, height) = camera.size();
        let [right, up, forward] = camera.axes();
        let half_height = camera.half_height();
        let cells = [spec.grid.nx, spec.grid.ny, spec.grid.nz].map(|n| n as f32);
        let nodes = &land.block.heights;
        let middle = |axis: usize| spec.cuts[axis].map_or(-1.0, |cell| cell as f32 + 0.5);
        let plane = |axis: usize| spec.cuts[axis].map(|_| middle(axis) / cells[axis]);
        let eye = camera.eye();
        // Slices cut the box open: matter between a slice and the eye is not shown.
        let clip = opened(
            look.clip,
            [0, 1, 2].map(plane),
            [0, 1, 2].map(|axis| eye[axis] / cells[axis]),
        );
        let corner = |end: usize| [0, 1, 2].map(|axis| clip[axis][end] * cells[axis]);
        let flag = u32::from;
        let sea = sea(spec, clip);
        let around = land.beyond.as_ref().filter(|beyond| {
            is_land_shown(spec, clip) && (beyond.ends == Ends::Plain || sea[2] > 0.0)
        });
        let floor = Floor::new(look, &land.block, land.unit, around);
        let solids = spec
            .media
            .iter()
            .any(|look| look.preset.form() == Form::Solid);
        let mouths = if spec.volume_shown { spec.mouths } else { &[] };
        let sparks = Sparks::at(mouths, spec.steps as f64, look.sparks, land.unit);
        let flame = Flame::from_look(look, spec.steps as f64).filter(|_| spec.volume_shown);
        let fountain = |k: usize| sparks.fountains.get(k);
        let streak = |k: usize| sparks.streaks.get(k);
        Self {
            eye: four(camera.eye().coords, 1.0),
            right: four(right * (half_height * width as f32 / height as f32), 0.0),
            up: four(up * half_height, 0.0),
            forward: four(forward, camera.tall() * camera.tall()),
            size: [width as f32, height as f32, spec.shift[0], spec.shift[1]],
            cells: with(cells, land.unit),
            nodes: [
                nodes.width as f32,
                nodes.depth as f32,
                nodes.per_cell,
                spec.shift[2],
            ],
            block: [
                land.block.foot,
                land.block.top,
                f32::from(spec.empty) / 255.0,
                look.step,
            ],
            clip_low: with(corner(0), 0.0),
            clip_high: with(corner(1), 0.0),
            cuts: with([0, 1, 2].map(middle), f32::from(opening(spec))),
            lava: [look.iso, look.film, look.crust, plate_size(look, land.unit)],
            heat: [look.heat[0], look.heat[1], look.lava_light, look.haze],
            kelvin: {
                let [cold, hot] = look.kelvin.unwrap_or_default();
                [
                    cold,
                    hot,
                    flag(look.kelvin.is_some()) as f32,
                    look.energy_shown(),
                ]
            },
            view: [
                look.style.at_once() as u32,
                flag(look.color_by == CellMeasure::SpecificEnergy),
                flag(spec.volume_shown),
                flag(spec.ground_shown),
            ],
            ride: ride(look, land.unit, spec.steps),
            altitude: with(
                [
                    land.altitudes()[0],
                    land.altitudes()[1],
                    floor.map_or(0.0, |floor| floor.foot),
                ],
                0.0,
            ),
            floor: match floor {
                Some(floor) => [
                    if floor.is_table { 2.0 } else { 1.0 },
                    floor.side,
                    sparks.fountains.len() as f32,
                    camera.pixel(),
                ],
                None => [0.0, 0.0, sparks.fountains.len() as f32, camera.pixel()],
            },
            flame: flame.map_or([0.0; 4], |flame| four(flame.foot, flame.height)),
            flame_blown: flame.map_or([0.0; 4], |flame| [flame.blown[0], flame.blown[1], 0.0, 0.0]),
            sea,
            beyond: around.map_or([0.0; 4], |beyond| {
                let heights = beyond.heights();
                [
                    beyond.margin,
                    beyond.spacing,
                    heights.width as f32,
                    heights.depth as f32,
                ]
            }),
            fountains: std::array::from_fn(|k| {
                fountain(k).map_or([0.0; 4], |f| four(f.middle, f.radius))
            }),
            fountain_streaks: std::array::from_fn(|k| {
                fountain(k).map_or([0.0; 4], |f| {
                    [f.streaks[0] as f32, f.streaks[1] as f32, 0.0, 0.0]
                })
            }),
            spark_heads: std::array::from_fn(|k| {
                streak(k).map_or([0.0; 4], |s| four(s.head, s.radius))
            }),
            spark_tails: std::array::from_fn(|k| {
                streak(k).map_or([0.0; 4], |s| four(s.tail, s.kelvin))
            }),
            sun: four(sky.sun, 0.0),
            sun_color: four(sky.sun_color, 0.0),
            zenith: four(sky.zenith, 0.0),
            horizon: four(sky.horizon, 0.0),
            nadir: four(sky.nadir, 0.0),
            halo: four(sky.halo, 0.0),
            sky: [sky.clouds, sky.stars, flag(sky.hills) as f32, 0.0],
            ambient_below: four(sky.ambient[1], 0.0),
            ambient_above: four(sky.ambient[0], 0.0),
            lamp: four(spec.transfer.lamp, spec.transfer.visible.min(2.0)),
            media: [
                spec.media.len() as f32,
                ripples_moved(spec.steps as f64),
                flag(solids) as f32,
                0.0,
            ],
            media_look: by_medium(spec.media, |look| {
                [look.depth, look.waves, look.preset as u32 as f32, 0.0]
            }),
            media_color: by_medium(spec.media, |look| with(look.linear_color(), 0.0)),
            media_absorbed: by_medium(spec.media, |look| {
                four(Liquid::from_look(look).absorbed, 0.0)
            }),
            media_deep: by_medium(spec.media, |look| four(Liquid::from_look(look).deep, 0.0)),
            media_warmed: by_medium(spec.media, |look| four(Liquid::from_look(look).warmed, 0.0)),
            fog_low: with(spec.fog.low, flag(spec.fog.is_there) as f32),
            fog_high: with(spec.fog.high, spec.fog.edge),
            fog_kind: spec
                .fog
                .kinds
                .map(|kind| four(kind.albedo, kind.extinction)),
            fog_more: with(
                [
                    spec.fog.kinds[0].billows,
                    spec.fog.kinds[1].billows,
                    risen(spec.steps as f64),
                ],
                flag(spec.fog.has_gas) as f32,
            ),
            smoke: match &spec.smoke {
                Some(there) => SmokeNumbers::new(there, spec, (clip, cells)),
                None => SmokeNumbers::zeroed(),
            },
        }
    }
}

impl Frame {
    /// Returns a copy with zeros in place of all parameters that affect only the lava's partial
    /// image. The copy is the cache key of the backdrop.
    pub(super) fn without_flow(self) -> Self {
        let nothing = [0.0; 4];
        let (fog_low, fog_high, fog_kind, fog_more) = (nothing, nothing, [nothing; KINDS], nothing);
        let smoke = SmokeNumbers::zeroed();
        let (spark_heads, spark_tails) = ([nothing; MOST_SPARKS], [nothing; MOST_SPARKS]);
        let (fountains, fountain_streaks) = ([nothing; MOST_MOUTHS], [nothing; MOST_MOUTHS]);
        let [kind, side, _, pixel] = self.floor;
        let (floor, sea) = ([kind, side, 0.0, pixel], [0.0, 0.0, self.sea[2], 0.0]);
        let (flame, flame_blown) = (nothing, nothing);
        let still = Self {
            ride: nothing,
            flame,
            flame_blown,
            media: nothing,
            fog_low,
            fog_high,
            fog_kind,
            fog_more,
            smoke,
            ..self
        };
        Self {
            floor,
            sea,
            fountains,
            fountain_streaks,
            spark_heads,
            spark_tails,
            ..still
        }
    }

    /// Returns true if the ground continues around the simulation box.
    pub(super) fn goes_on(&self) -> bool {
        self.beyond[1] > 0.0
    }

    /// Returns true if the rays of `other` and its visible region of the simulation box equal those
    /// of `self`, so that each ray hits the ground at the same point.
    pub(super) fn same_rays(&self, other: &Self) -> bool {
        let rays = |f: &Self| {
            [
                f.eye,
                f.right,
                f.up,
                f.forward,
                f.size,
                f.clip_low,
                f.clip_high,
                f.beyond,
            ]
        };
        rays(self) == rays(other)
    }
}

/// Returns true if the ground around the simulation box is drawn: in the cinematic style, if ground
/// is shown and the box is not cut. `clip`: visible region of the box (lower and upper bound per
/// axis, as fractions of the box).
fn is_land_shown(spec: &FrameSpec, clip: [[f32; 2]; 3]) -> bool {
    spec.look.style.at_once() == Style::Cinematic && spec.ground_shown && clip == [[0.0, 1.0]; 3]
}

/// Returns the shader's parameters of the sea around the simulation box (see `Frame::sea`); all
/// zero if no sea is drawn. `clip`: visible region of the box (lower and upper bound per axis, as
/// fractions of the box).
fn sea(spec: &FrameSpec, clip: [[f32; 2]; 3]) -> Four {
    let is_wanted = spec.look.surroundings == Surroundings::Sea
        && spec.look.style.at_once() == Style::Cinematic;
    let is_shown = spec.volume_shown && is_land_shown(spec, clip) && spec.land.beyond.is_some();
    match spec
        .sea
        .filter(|sea| is_wanted && is_shown && sea.medium < spec.media.len())
    {
        Some(Sea { medium, level }) => [
            level,
            medium as f32,
            1.0,
            FAR * spec.grid.nx.max(spec.grid.nz) as f32,
        ],
        None => [0.0; 4],
    }
}

/// Returns a bit mask (bit 0 x, 1 y, 2 z) of the visible slices that only cut the simulation box
/// open and show no values.
fn opening(spec: &FrameSpec) -> u8 {
    let opens =
        |axis: usize| spec.look.style.at_once() == Style::Cinematic && spec.cuts_of_amounts[axis];
    (0..3).map(|axis| u8::from(opens(axis)) << axis).sum()
}

/// Returns phase and offset of the two moving copies of the crust's noise pattern after `steps`
/// steps (see `Frame::ride`); phases below 0 if the pattern does not move. `unit`: length unit of
/// noise patterns in cells.
fn ride(look: &LookSpec, unit: f32, steps: u64) -> Four {
    copies(look, unit, steps as f64).map_or([-1.0; 4], |[first, second]| {
        [first.phase, first.offset, second.phase, second.offset]
    })
}

fn by_medium(media: &[MaterialLook], numbers: impl Fn(&MaterialLook) -> Four) -> [Four; MOST] {
    std::array::from_fn(|k| media.get(k).map_or([0.0; 4], &numbers))
}

fn four(v: V3, w: f32) -> Four {
    [v.x, v.y, v.z, w]
}

fn with(v: [f32; 3], w: f32) -> Four {
    [v[0], v[1], v[2], w]
}
