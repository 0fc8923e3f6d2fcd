//! Plots of numbers beside theory, as SVG: lines and points with axes, legend and title, one or several on a page.
//!
//! ```
//! use lavoxel_observe::plot::{Axis, Page, Plot};
//!
//! let front = [(1.0, 2.1), (10.0, 3.0), (100.0, 4.6)];
//! let plot = Plot::new("Spreading of a drop")
//!     .axis_x("time [s]", Axis::Log)
//!     .axis_y("radius [m]", Axis::Log)
//!     .points("computed", front)
//!     .line_of_theory("R ~ t^⅛", |t| 2.0 * t.powf(0.125));
//! let svg = Page::new("").plot(plot).svg()?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), lavoxel_observe::plot::PlotError>(())
//! ```

mod axis;
mod draw;

use std::io::Write;
use std::path::Path;

pub use self::axis::Axis;
use lavoxel_files::output::{Existing, OutputError, WholeFile};

/// Why a plot could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The plot cannot be drawn.
    #[error("cannot draw the plot: {0}")]
    Draw(String),
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// How the numbers of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Line,
    Points,
    /// A dashed line in the colour of the series before it, or in black where there is only one.
    Theory,
}

/// Numbers of a series.
enum Numbers {
    Points(Vec<(f64, f64)>),
    /// A function, drawn over the whole of the x axis.
    Function(Box<dyn Fn(f64) -> f64>),
}

struct Series {
    name: String,
    look: Look,
    numbers: Numbers,
}

/// An axis as it was asked for.
#[derive(Default)]
struct AxisSpec {
    label: String,
    axis: Axis,
    ends: Option<(f64, f64)>,
}

/// Lines and points between two axes. Numbers that have no place on an axis (NaN; zero on a logarithmic one) are left out.
#[derive(Default)]
pub struct Plot {
    title: String,
    x: AxisSpec,
    y: AxisSpec,
    series: Vec<Series>,
    verdict: Option<Verdict>,
}

/// A word of judgement in the corner above a plot.
struct Verdict {
    text: String,
    is_good: bool,
}

impl Plot {
    /// An empty plot with linear axes.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Label and kind of the horizontal axis.
    #[must_use]
    pub fn axis_x(mut self, label: impl Into<String>, axis: Axis) -> Self {
        (self.x.label, self.x.axis) = (label.into(), axis);
        self
    }

    /// Label and kind of the vertical axis.
    #[must_use]
    pub fn axis_y(mut self, label: impl Into<String>, axis: Axis) -> Self {
        (self.y.label, self.y.axis) = (label.into(), axis);
        self
    }

    /// Ends of the horizontal axis; without them it holds all points. Ends that have no place on the axis are ignored.
    #[must_use]
    pub fn range_x(mut self, low: f64, high: f64) -> Self {
        self.x.ends = Some((low, high));
        self
    }

    /// Ends of the vertical axis, likewise.
    #[must_use]
    pub fn range_y(mut self, low: f64, high: f64) -> Self {
        self.y.ends = Some((low, high));
        self
    }

    /// A line through points (x, y).
    #[must_use]
    pub fn series(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Look::Line, Numbers::Points(points.into_iter().collect()))
    }

    /// Points (x, y) without a line.
    #[must_use]
    pub fn points(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Look::Points, Numbers::Points(points.into_iter().collect()))
    }

    /// A dashed line of what theory says, over the whole horizontal axis.
    #[must_use]
    pub fn line_of_theory(self, name: impl Into<String>, theory: impl Fn(f64) -> f64 + 'static) -> Self {
        self.with(name, Look::Theory, Numbers::Function(Box::new(theory)))
    }

    /// A dashed line of what theory says, through points (x, y).
    #[must_use]
    pub fn points_of_theory(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Look::Theory, Numbers::Points(points.into_iter().collect()))
    }

    /// A verdict in the upper right corner, above the plot: green if it is good, else red.
    #[must_use]
    pub fn verdict(mut self, text: impl Into<String>, is_good: bool) -> Self {
        self.verdict = Some(Verdict { text: text.into(), is_good });
        self
    }

    fn with(mut self, name: impl Into<String>, look: Look, numbers: Numbers) -> Self {
        self.series.push(Series { name: name.into(), look, numbers });
        self
    }

    /// The plot alone, as SVG.
    ///
    /// # Errors
    /// [`PlotError::Draw`], which no plot is known to raise.
    pub fn svg(self) -> Result<String, PlotError> {
        Page::new("").plot(self).svg()
    }

    /// Writes the plot alone as SVG.
    ///
    /// # Errors
    /// [`PlotError::Output`] when the file is there and is to be kept or cannot be written; then nothing is left behind.
    pub fn write(self, path: &Path, existing: Existing) -> Result<(), PlotError> {
        Page::new("").plot(self).write(path, existing)
    }
}

/// Plots in rows and columns on one page.
pub struct Page {
    title: String,
    plots: Vec<Plot>,
    columns: usize,
    /// Pixels of a plot.
    size: (u32, u32),
}

impl Page {
    /// An empty page; an empty title takes no room.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), plots: Vec::new(), columns: 2, size: (560, 400) }
    }

    /// Another plot, at the right of the last one or in the next row.
    #[must_use]
    pub fn plot(mut self, plot: Plot) -> Self {
        self.plots.push(plot);
        self
    }

    /// Most plots beside each other; 2 without it.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// Width and height of each plot in pixels; 560 × 400 without it.
    #[must_use]
    pub fn plot_size(mut self, width: u32, height: u32) -> Self {
        self.size = (width.max(160), height.max(120));
        self
    }

    /// The page as SVG.
    ///
    /// # Errors
    /// As [`Plot::svg`].
    pub fn svg(&self) -> Result<String, PlotError> {
        draw::page(self)
    }

    /// Writes the page as SVG.
    ///
    /// # Errors
    /// As [`Plot::write`].
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), PlotError> {
        let svg = self.svg()?;
        let mut file = WholeFile::create(path, existing)?;
        file.write_all(svg.as_bytes()).map_err(|cause| OutputError::io(path, cause))?;
        Ok(file.commit()?)
    }
}

#[cfg(test)]
mod tests;
