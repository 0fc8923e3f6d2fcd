//! Plots of results and theory as SVG: lines and points with axes, legend and title, one or several
//! per page.
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
use lavoxel_files::output::{Existing, OutputError, whole};

/// Error while a plot is drawn or written to a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// Plot that cannot be drawn; the text is the cause.
    #[error("cannot draw the plot: {0}")]
    Draw(String),
    /// Plot file that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Way in which a series is drawn: solid line, points, or dashed line of a theory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Line,
    Points,
    /// Dashed line in the colour of the preceding series, or black if there is only one measured
    /// series.
    Theory,
}

/// Data of a series: a list of points, or a function.
enum Numbers {
    Points(Vec<(f64, f64)>),
    /// Function of x, which is drawn along the whole horizontal axis.
    Function(Box<dyn Fn(f64) -> f64>),
}

struct Series {
    name: String,
    look: Look,
    numbers: Numbers,
}

/// Label, scaling and requested ends of an axis.
#[derive(Default)]
struct AxisSpec {
    label: String,
    axis: Axis,
    ends: Option<(f64, f64)>,
}

/// Plot of lines and points on two axes. Values that an axis cannot show (NaN; ≤ 0 on a logarithmic
/// axis) are omitted.
#[derive(Default)]
pub struct Plot {
    title: String,
    x: AxisSpec,
    y: AxisSpec,
    series: Vec<Series>,
    verdict: Option<Verdict>,
}

/// Verdict on the plotted result, such as a passed test, drawn as text at the upper right corner.
struct Verdict {
    text: String,
    is_good: bool,
}

impl Plot {
    /// Creates an empty plot with the heading `title` and linear axes.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Sets the label and the scaling of the horizontal axis.
    #[must_use]
    pub fn axis_x(mut self, label: impl Into<String>, axis: Axis) -> Self {
        (self.x.label, self.x.axis) = (label.into(), axis);
        self
    }

    /// Sets the label and the scaling of the vertical axis.
    #[must_use]
    pub fn axis_y(mut self, label: impl Into<String>, axis: Axis) -> Self {
        (self.y.label, self.y.axis) = (label.into(), axis);
        self
    }

    /// Sets the values at the ends of the horizontal axis; by default, the axis contains all
    /// points. Values that a logarithmic axis cannot show are ignored.
    #[must_use]
    pub fn range_x(mut self, low: f64, high: f64) -> Self {
        self.x.ends = Some((low, high));
        self
    }

    /// Sets the values at the ends of the vertical axis; by default, the axis contains all points.
    /// Values that a logarithmic axis cannot show are ignored.
    #[must_use]
    pub fn range_y(mut self, low: f64, high: f64) -> Self {
        self.y.ends = Some((low, high));
        self
    }

    /// Adds a line through the points (x, y) to the plot; `name` is the legend entry.
    #[must_use]
    pub fn series(
        self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.with(
            name,
            Look::Line,
            Numbers::Points(points.into_iter().collect()),
        )
    }

    /// Adds points (x, y) without a line to the plot; `name` is the legend entry.
    #[must_use]
    pub fn points(
        self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.with(
            name,
            Look::Points,
            Numbers::Points(points.into_iter().collect()),
        )
    }

    /// Adds the function `theory` of x to the plot, as a dashed line along the whole horizontal
    /// axis; `name` is the legend entry.
    #[must_use]
    pub fn line_of_theory(
        self,
        name: impl Into<String>,
        theory: impl Fn(f64) -> f64 + 'static,
    ) -> Self {
        self.with(name, Look::Theory, Numbers::Function(Box::new(theory)))
    }

    /// Adds a dashed line through the points (x, y) of a theory to the plot; `name` is the legend
    /// entry.
    #[must_use]
    pub fn points_of_theory(
        self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.with(
            name,
            Look::Theory,
            Numbers::Points(points.into_iter().collect()),
        )
    }

    /// Sets the verdict that is drawn at the upper right corner: green if `is_good`, otherwise red.
    #[must_use]
    pub fn verdict(mut self, text: impl Into<String>, is_good: bool) -> Self {
        self.verdict = Some(Verdict {
            text: text.into(),
            is_good,
        });
        self
    }

    fn with(mut self, name: impl Into<String>, look: Look, numbers: Numbers) -> Self {
        self.series.push(Series {
            name: name.into(),
            look,
            numbers,
        });
        self
    }

    /// Draws this plot alone and returns the text of an SVG file.
    ///
    /// # Errors
    /// [`PlotError::Draw`], which no plot is known to raise.
    pub fn svg(self) -> Result<String, PlotError> {
        Page::new("").plot(self).svg()
    }

    /// Draws this plot alone and writes it to the SVG file `path`.
    ///
    /// # Errors
    /// [`PlotError::Output`] when the file exists and is to be kept, or cannot be written; no
    /// partial file is left.
    pub fn write(self, path: &Path, existing: Existing) -> Result<(), PlotError> {
        Page::new("").plot(self).write(path, existing)
    }
}

/// Page of plots: a title, and plots in a grid.
pub struct Page {
    title: String,
    plots: Vec<Plot>,
    columns: usize,
    /// Width and height of each plot on the page, in pixels.
    size: (u32, u32),
}

impl Page {
    /// Creates an empty page with two plots per row. An empty `title` takes no space.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            plots: Vec::new(),
            columns: 2,
            size: (560, 400),
        }
    }

    /// Adds `plot` at the next free place of the page's grid, which is filled from left to right
    /// and row by row.
    #[must_use]
    pub fn plot(mut self, plot: Plot) -> Self {
        self.plots.push(plot);
        self
    }

    /// Sets the largest number of plots in a row; the default is 2.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// Sets the width and height of each plot in pixels; the default is 560 × 400.
    #[must_use]
    pub fn plot_size(mut self, width: u32, height: u32) -> Self {
        self.size = (width.max(160), height.max(120));
        self
    }

    /// Draws the page and returns the text of an SVG file.
    ///
    /// # Errors
    /// The errors of [`Plot::svg`].
    pub fn svg(&self) -> Result<String, PlotError> {
        draw::page(self)
    }

    /// Draws the page and writes it to the SVG file `path`.
    ///
    /// # Errors
    /// The errors of [`Plot::write`].
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), PlotError> {
        let svg = self.svg()?;
        Ok(whole(path, existing, |out| out.write_all(svg.as_bytes()))?)
    }
}

#[cfg(test)]
mod tests;
