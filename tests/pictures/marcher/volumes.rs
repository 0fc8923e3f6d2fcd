//! Test volumes of lava, and test cameras.

use lavoxel::grid::Grid;
use lavoxel::lowpass::Volume;
use lavoxel::render::{Camera, CameraSpec, Renderer};

use super::oracle::filtered;
use crate::common::Dice;

/// Box whose side lengths are not multiples of a brick's.
pub(crate) const GRID: Grid = Grid {
    nx: 37,
    ny: 29,
    nz: 41,
};
/// Width and height of a picture in pixels; not multiples of a tile, so that tiles at the edges are
/// partial.
const SIZE: (usize, usize) = (84, 63);

/// Value with a name for the messages of failed tests.
pub(crate) type Named<T> = (&'static str, T);

/// Returns volumes with edges sharper than those that the low-pass leaves, as volumes of users may
/// have.
pub(crate) fn sharp() -> Vec<Named<Volume>> {
    let solid = |inside: bool, density: f64| if inside { density } else { 0.0 };
    let sheet = |p: [f64; 3]| {
        [(0, 10.5), (1, 6.5), (2, 31.5)]
            .iter()
            .any(|&(axis, at)| p[axis] == at)
    };
    let shell = |p: [f64; 3]| {
        sides()
            .iter()
            .zip(p)
            .any(|(side, v)| v < 1.0 || v > side - 1.0)
    };
    vec![
        ("dense blobs", blobs(5, 20.0)),
        ("sheets of one cell", filled(|p| solid(sheet(p), 0.6))),
        (
            "faint sheets of one cell",
            filled(|p| solid(sheet(p), 0.12)),
        ),
        (
            "sheet askew",
            filled(|[x, y, z]| solid((0.7 * x + y - 0.3 * z - 14.0).abs() < 0.7, 1.0)),
        ),
        ("all walls", filled(|p| solid(shell(p), 0.6))),
        ("specks", specks()),
    ]
}

/// Returns volumes of lava as the low-pass leaves them far from rock: filtered by (1 2 1) along
/// each axis.
pub(crate) fn smooth() -> Vec<Named<Volume>> {
    let waves =
        |[x, y, z]: [f64; 3]| 0.35 + 0.3 * (0.5 * x).sin() * (0.4 * y).cos() * (0.3 * z).sin();
    let mut all = sharp();
    all.extend([
        ("blobs", blobs(7, 1.0)),
        ("faint blobs", blobs(3, 0.12)),
        ("a full box", filled(waves)),
    ]);
    all.into_iter()
        .map(|(name, volume)| (name, filtered(&volume, &[1.0, 2.0, 1.0])))
        .collect()
}

/// Returns cameras around, above, below, far from and inside the box of [`GRID`], and some random
/// ones.
pub(crate) fn cameras(renderer: &Renderer) -> Vec<Named<Camera>> {
    let orbit = |azimuth_deg: f32, elevation_deg: f32, distance: Option<f32>| {
        let spec = CameraSpec {
            azimuth_deg,
            elevation_deg,
            distance,
            ..CameraSpec::default()
        };
        Camera::new(&spec, &renderer.subject(), SIZE)
    };
    let mut all = vec![
        ("in orbit", orbit(150.0, 27.0, None)),
        ("level", orbit(280.0, 4.0, None)),
        ("from below", orbit(20.0, -30.0, None)),
        ("far away", orbit(200.0, 40.0, Some(12.0))),
        (
            "inside",
            Camera::from_pose([14.0, 16.0, 22.0].into(), (40.0, 10.0), 90.0, SIZE),
        ),
        (
            "straight down",
            Camera::from_pose([18.3, 60.0, 20.2].into(), (0.0, 90.0), 40.0, SIZE),
        ),
    ];
    let mut dice = Dice(17);
    let mut real = |low: f32, high: f32| low + (high - low) * dice.below(1000) as f32 / 1000.0;
    for _ in 0..3 {
        let eye = [real(-10.0, 47.0), real(2.0, 40.0), real(-10.0, 51.0)];
        let turn = (real(0.0, 360.0), real(-20.0, 70.0));
        all.push((
            "by chance",
            Camera::from_pose(eye.into(), turn, real(20.0, 110.0), SIZE),
        ));
    }
    all
}

fn sides() -> [f64; 3] {
    [GRID.nx, GRID.ny, GRID.nz].map(|n| n as f64)
}

/// Returns a volume with the density `density` at the cell centres, clamped to 0 to 1, and lava of
/// varying energy.
fn filled(density: impl Fn([f64; 3]) -> f64) -> Volume {
    let mut volume = Volume::empty(GRID);
    for i in 0..GRID.cells() {
        let p = [i % GRID.nx, i / GRID.nx % GRID.ny, i / GRID.slab()].map(|v| v as f64 + 0.5);
        let (density, heat) = (
            density(p).clamp(0.0, 1.0),
            0.5 + 0.015 * p[1] + 0.2 * (0.4 * p[0]).sin(),
        );
        volume.density[i] = (density * 255.0).round() as u8;
        volume.energy[i] = (density * heat * 255.0).round() as u8;
    }
    volume
}

/// Returns a volume of balls whose density decreases with the distance from their centres.
fn blobs(seed: u64, strength: f64) -> Volume {
    let mut dice = Dice(seed);
    let mut real = |top: f64| dice.below(1000) as f64 / 1000.0 * top;
    let balls: Vec<_> = (0..14)
        .map(|_| (sides().map(&mut real), 1.5 + real(3.0)))
        .collect();
    filled(|p| {
        let ball = |(middle, radius): &([f64; 3], f64)| {
            let away: f64 = p.iter().zip(middle).map(|(a, b)| (a - b).powi(2)).sum();
            strength * (-away / (2.0 * radius * radius)).exp()
        };
        balls.iter().map(ball).sum()
    })
}

/// Returns a volume with a random density in one cell of forty, and no lava elsewhere.
fn specks() -> Volume {
    let mut dice = Dice(2);
    let densities: Vec<f64> = (0..GRID.cells())
        .map(|_| (dice.below(4000) as f64 / 100.0 - 39.0).max(0.0))
        .collect();
    filled(|p| densities[GRID.index([p[0] as usize, p[1] as usize, p[2] as usize])])
}
