//! A map beside the pictures of a film, in the colours of `--map` and of its styles for QGIS.

use image::imageops::{FilterType, resize};
use image::{GenericImage, RgbImage};
use lavoxel::export::About;
use lavoxel::export::maps::{Maps, Subject};
use lavoxel::map::Site;
use lavoxel::render::Image;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;

/// A map takes at most one part in so many of the width.
const WIDEST: u32 = 2;

/// The map that is drawn.
pub(in crate::cli) struct Beside {
    subject: Subject,
    /// Number that the legend reaches at least.
    upper: f64,
    scene: String,
    site: Site,
}

impl Beside {
    /// Reads `NAME` or `NAME=NUMBER`.
    pub(in crate::cli) fn read(text: &str, scene: &Scene) -> anyhow::Result<(Subject, f64)> {
        let quantities = scene.column_quantities();
        let (name, upper) = match text.split_once('=') {
            Some((name, number)) => (name, number.trim().parse().unwrap_or(f64::NAN)),
            None => (text, 0.0),
        };
        anyhow::ensure!(
            upper >= 0.0 && upper.is_finite(),
            "--beside {text}: must be a map, or a map and a number as in ash=200"
        );
        let Ok(subject) = Subject::find(name, &quantities, 0.0) else {
            let names = Subject::names(&quantities);
            anyhow::bail!("--beside {text}: there is no map {name:?}; maps are {names}");
        };
        let past = subject.quantity().measure().needs_records();
        anyhow::ensure!(!past, "--beside {text}: a film keeps no records of the past, which this map needs");
        Ok((subject, upper))
    }

    pub(in crate::cli) fn new((subject, upper): (Subject, f64), scene: &Scene, site: &Site) -> Self {
        Self { subject, upper, scene: scene.spec.name.clone(), site: site.clone() }
    }

    /// A picture of `size` with the map of the present state at its right; `paint` draws the rest.
    pub(in crate::cli) fn paint<E>(
        &self,
        simulation: &Simulation,
        [width, height]: [u32; 2],
        paint: impl FnOnce([u32; 2]) -> Result<Option<Image>, E>,
    ) -> Result<Option<Image>, E> {
        let maps = Maps { world: simulation.world(), records: &[], site: &self.site };
        let (seed, step, time_s) = (simulation.seed(), simulation.steps(), simulation.time_s());
        let about = About { scene: self.scene.clone(), seed, step, time_s, ..About::default() };
        let map = RgbImage::from(maps.picture(&self.subject, &about, self.upper));
        let scale =
            (f64::from(height) / f64::from(map.height())).min(f64::from(width / WIDEST) / f64::from(map.width()));
        let [across, down] = [map.width(), map.height()].map(|n| ((f64::from(n) * scale) as u32).max(1));
        let map = resize(&map, across, down, FilterType::CatmullRom);
        let Some(left) = paint([(width - across).max(1), height])? else { return Ok(None) };
        let left = RgbImage::from(left);
        let mut whole = RgbImage::from_pixel(width, height, *map.get_pixel(0, 0));
        for (part, x, y) in [(&left, 0, 0), (&map, width - across, (height - down) / 2)] {
            whole.copy_from(part, x, y).expect("both parts fit");
        }
        Ok(Some(Image { width: width as usize, height: height as usize, rgb: whole.into_raw() }))
    }
}
