// Plots the output of `air_plume` next to the theory of Morton, Taylor and Turner (1956):
// cargo run --release --example air_plume incompressible > long.txt
// cargo run --release --example air_plume article > article.txt
// cargo run --release --example plume_theory plume_theory.svg long.txt article.txt
use std::path::Path;

use lavoxel::output::Existing;
use lavoxel::plot::{Axis, Page, Plot};

/// Parsed output of `air_plume`.
struct Plume {
    /// Name of the solver and size of the box.
    title: String,
    /// Slope of the fitted line through the half-widths.
    slope: f64,
    /// Rows of height, half-width, speed, speed of theory, and flux of buoyancy over that of the
    /// source.
    rows: Vec<[f64; 5]>,
}

impl Plume {
    fn parse(text: &str) -> Option<Self> {
        let title = text.lines().next()?.split(',').next()?.to_owned();
        // b = 0.130 (z +4.1): α 0.108 …
        let fit = text.lines().find_map(|line| line.strip_prefix("b = "))?;
        let slope = fit.split_once(" (z ")?.0;
        let numbers = |line: &str| -> Option<[f64; 5]> {
            let numbers: Option<Vec<f64>> = line
                .split_whitespace()
                .map(|word| word.parse().ok())
                .collect();
            numbers?.try_into().ok()
        };
        let rows = text.lines().filter_map(numbers).collect();
        Some(Self {
            title,
            slope: slope.parse().ok()?,
            rows,
        })
    }

    /// Pairs of height and column `k`.
    fn column(&self, k: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.rows.iter().map(move |row| (row[0], row[k]))
    }

    fn width(&self) -> Plot {
        // Measured entrainment coefficients of turbulent plumes lie between 0.10 and 0.16; both
        // lines start at the lowest width.
        let [z, b, ..] = self.rows.first().copied().unwrap_or_default();
        let line = move |alpha: f64| move |height: f64| b + 1.2 * alpha * (height - z);
        Plot::new(format!("{}: half-width", self.title))
            .axis_x("height z [cells]", Axis::Linear)
            .axis_y("half-width b [cells]", Axis::Linear)
            .points(
                format!("computed, α = {:.3}", self.slope / 1.2),
                self.column(1),
            )
            .line_of_theory("db/dz = 6/5 α, α = 0.10 and 0.16", line(0.10))
            .line_of_theory("", line(0.16))
    }

    fn speed(&self) -> Plot {
        Plot::new("speed")
            .axis_x("height z [cells]", Axis::Linear)
            .axis_y("speed w [cells per step]", Axis::Linear)
            .points("computed", self.column(2))
            .points_of_theory("theory with this α", self.column(3))
    }

    fn flux(&self) -> Plot {
        Plot::new("buoyancy that passes")
            .axis_x("height z [cells]", Axis::Linear)
            .axis_y("flux / that of the source", Axis::Linear)
            .range_y(0.0, 1.5)
            .points("computed", self.column(4))
            .line_of_theory("1: nothing is lost", |_| 1.0)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((svg, texts)) = words.split_first().filter(|(_, texts)| !texts.is_empty()) else {
        return Err("name the SVG to write, then the outputs of air_plume".into());
    };
    let mut page = Page::new("Plumes beside Morton, Taylor and Turner (1956)")
        .columns(3)
        .plot_size(480, 340);
    for text in texts {
        let plume = Plume::parse(&std::fs::read_to_string(text)?)
            .ok_or(format!("{text} is no output of air_plume"))?;
        page = page
            .plot(plume.width())
            .plot(plume.speed())
            .plot(plume.flux());
    }
    page.write(Path::new(svg), Existing::Replace)?;
    Ok(())
}
