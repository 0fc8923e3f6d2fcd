//! Draws plots as SVG. Only this file and `axis.rs` use the crate `plotters`.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::axis::{Axis, Extent};
use super::{AxisSpec, Look, Numbers, Page, Plot, PlotError, Series};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Extent, Extent>>;

/// Colours of series, distinct with any kind of colour vision and dark enough for white paper.
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 98, 172),
    RGBColor(205, 76, 0),
    RGBColor(0, 133, 96),
    RGBColor(160, 60, 140),
    RGBColor(120, 90, 20),
    RGBColor(70, 70, 70),
];
const INK: RGBColor = RGBColor(30, 30, 34);
const GRID: RGBColor = RGBColor(222, 222, 222);
const GOOD: RGBColor = RGBColor(0, 110, 60);
const BAD: RGBColor = RGBColor(190, 20, 20);
const FONT: &str = "DejaVu Sans, Verdana, sans-serif";
/// Factor on font sizes that compensates for `plotters`, which draws text smaller than the
/// requested size.
const LETTER: f64 = 1.24;
/// Font size in pixels of labels and numbers, including the factor `LETTER`.
const TEXT: f64 = 13.0 * LETTER;
/// Font size in pixels of the title of a plot, including the factor `LETTER`.
const TITLE: f64 = 15.0 * LETTER;
/// Font size in pixels of the heading of a page, including the factor `LETTER`.
const HEADING: f64 = 18.0 * LETTER;

/// Upper bound on the number of tick labels per axis.
const MOST: usize = 7;
/// Number of points at which a function is sampled for its curve.
const SAMPLES: usize = 241;

pub(super) fn page(page: &Page) -> Result<String, PlotError> {
    let columns = page.columns.min(page.plots.len()).max(1);
    let rows = page.plots.len().div_ceil(columns).max(1);
    let heading = if page.title.is_empty() { 0 } else { 44 };
    let size = (
        page.size.0 * columns as u32,
        page.size.1 * rows as u32 + heading,
    );
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let (head, body) = root.split_vertically(heading);
        if heading > 0 {
            let style = (FONT, HEADING)
                .into_font()
                .style(FontStyle::Bold)
                .color(&INK)
                .pos(CENTERED);
            head.draw_text(
                &page.title,
                &style,
                (size.0 as i32 / 2, heading as i32 / 2 + 4),
            )
            .map_err(failed)?;
        }
        for (plot, area) in page.plots.iter().zip(body.split_evenly((rows, columns))) {
            draw(plot, &area)?;
        }
        root.present().map_err(failed)?;
    }
    Ok(svg)
}

const CENTERED: plotters::style::text_anchor::Pos = plotters::style::text_anchor::Pos {
    h_pos: plotters::style::text_anchor::HPos::Center,
    v_pos: plotters::style::text_anchor::VPos::Center,
};

const AT_RIGHT: plotters::style::text_anchor::Pos = plotters::style::text_anchor::Pos {
    h_pos: plotters::style::text_anchor::HPos::Right,
    ..CENTERED
};

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError::Draw(error.to_string())
}

impl AxisSpec {
    /// Returns the axis with the requested ends; without requested ends, or if these are invalid,
    /// an axis that contains `values`.
    fn extent(&self, values: impl Iterator<Item = f64>) -> Extent {
        match self
            .ends
            .filter(|(low, high)| self.axis.has(*low) && self.axis.has(*high) && low < high)
        {
            Some((low, high)) => Extent::between(self.axis, low, high),
            None => Extent::enclosing(self.axis, values),
        }
    }
}

impl Series {
    /// Returns those points (x, y) of the series that the axes `x_axis` and `y_axis` can show; a
    /// function is sampled along the whole horizontal axis `x`.
    fn points(&self, (x_axis, y_axis): (Axis, Axis), x: Extent) -> Vec<(f64, f64)> {
        let has = |(x, y): &(f64, f64)| x_axis.has(*x) && y_axis.has(*y);
        match &self.numbers {
            Numbers::Points(points) => points.iter().copied().filter(has).collect(),
            Numbers::Function(function) => x
                .samples(SAMPLES)
                .map(|x| (x, function(x)))
                .filter(has)
                .collect(),
        }
    }
}

impl Plot {
    /// Iterates over the points (x, y) of all series that both axes can show; series that are
    /// functions are excluded.
    fn given(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (x, y) = (self.x.axis, self.y.axis);
        let points = self
            .series
            .iter()
            .filter_map(|series| match &series.numbers {
                Numbers::Points(points) => Some(points),
                Numbers::Function(_) => None,
            });
        points
            .flatten()
            .copied()
            .filter(move |point| x.has(point.0) && y.has(point.1))
    }

    /// Returns the colour of each series, in order. A theory curve has the colour of the preceding
    /// series, or black if there is only one measured series.
    fn colors(&self) -> Vec<RGBColor> {
        let measured = self
            .series
            .iter()
            .filter(|series| series.look != Look::Theory)
            .count();
        let mut next = 0;
        let color = |series: &Series| match series.look {
            Look::Theory if measured < 2 || next == 0 => INK,
            Look::Theory => COLORS[(next - 1) % COLORS.len()],
            _ => {
                next += 1;
                COLORS[(next - 1) % COLORS.len()]
            }
        };
        self.series.iter().map(color).collect()
    }
}

fn draw(plot: &Plot, area: &Area<'_>) -> Result<(), PlotError> {
    let x = plot.x.extent(plot.given().map(|point| point.0));
    let axes = (plot.x.axis, plot.y.axis);
    let points: Vec<_> = plot
        .series
        .iter()
        .map(|series| series.points(axes, x))
        .collect();
    let y = plot.y.extent(points.iter().flatten().map(|point| point.1));
    let named = plot.series.iter().any(|series| !series.name.is_empty());
    let (mut place, mut y) = (corner(&points, (x, y)), y);
    if named && place.1 > 0 && plot.y.ends.is_none() {
        // No corner is free: space for the legend is made above the points.
        y = y.with_room_above(1.2 * LEGEND.1);
        place = corner(&points, (x, y));
    }
    let widest = y
        .ticks(MOST)
        .into_iter()
        .map(|tick| y.label(tick, MOST).chars().count())
        .max()
        .unwrap_or(1);
    let area = &below_verdict(plot, area)?;
    let mut builder = ChartBuilder::on(area);
    builder
        .margin(12)
        .margin_right(22)
        .x_label_area_size(48)
        .y_label_area_size(40 + 8 * widest as i32);
    if !plot.title.is_empty() {
        builder.caption(&plot.title, (FONT, TITLE).into_font().color(&INK));
    }
    let mut chart = builder.build_cartesian_2d(x, y).map_err(failed)?;
    mesh(plot, &mut chart, (x, y))?;
    for ((series, points), color) in plot.series.iter().zip(&points).zip(plot.colors()) {
        // Points outside of requested bounds are left out; a line is interrupted there.
        let outside = |(px, py): &(f64, f64)| !x.contains(*px) || !y.contains(*py);
        let runs = points.split(outside).filter(|run| !run.is_empty());
        for (i, run) in runs.enumerate() {
            let name = if i == 0 { series.name.as_str() } else { "" };
            line((name, series.look), run, color, &mut chart)?;
        }
    }
    if named {
        let labels = (FONT, TEXT).into_font().color(&INK);
        let mut legend = chart.configure_series_labels();
        legend
            .label_font(labels)
            .background_style(WHITE.mix(0.85))
            .border_style(GRID)
            .legend_area_size(34)
            .margin(8);
        legend.position(place.0).draw().map_err(failed)?;
    }
    Ok(())
}

/// Height of the band above a plot in which the verdict is drawn, in pixels.
const VERDICT: i32 = 26;

/// Draws the verdict of a plot, if it has one, at the top of `area`; returns the remaining area
/// below.
fn below_verdict<'a>(plot: &Plot, area: &Area<'a>) -> Result<Area<'a>, PlotError> {
    let Some(verdict) = &plot.verdict else {
        return Ok(area.clone());
    };
    let (head, body) = area.split_vertically(VERDICT);
    let color = if verdict.is_good { GOOD } else { BAD };
    let style = (FONT, TEXT)
        .into_font()
        .style(FontStyle::Bold)
        .color(&color)
        .pos(AT_RIGHT);
    let right = head.dim_in_pixel().0 as i32 - 22;
    head.draw_text(&verdict.text, &style, (right, VERDICT / 2 + 4))
        .map_err(failed)?;
    Ok(body)
}

fn mesh(plot: &Plot, chart: &mut Chart<'_>, (x, y): (Extent, Extent)) -> Result<(), PlotError> {
    let (x_label, y_label) = (
        move |v: &f64| x.label(*v, MOST),
        move |v: &f64| y.label(*v, MOST),
    );
    let text = || (FONT, TEXT).into_font().color(&INK);
    chart
        .configure_mesh()
        .x_labels(MOST)
        .y_labels(MOST)
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .x_desc(&plot.x.label)
        .y_desc(&plot.y.label)
        .label_style(text())
        .axis_desc_style(text())
        .axis_style(INK)
        .bold_line_style(GRID)
        .draw()
        .map_err(failed)
}

/// Approximate width and height of a legend, as fractions of the width and height of the plot.
const LEGEND: (f64, f64) = (0.55, 0.3);

/// Returns the corner of the plot in which the legend covers the fewest `points` (one list per
/// series), and the number of covered points. `x`, `y`: axes of the plot.
fn corner(points: &[Vec<(f64, f64)>], (x, y): (Extent, Extent)) -> (SeriesLabelPosition, usize) {
    let hidden = |right: bool, upper: bool| {
        let inside = |(px, py): &&(f64, f64)| {
            let (across, up) = (x.share(*px), y.share(*py));
            let beside = if right {
                across > 1.0 - LEGEND.0
            } else {
                across < LEGEND.0
            };
            beside
                && if upper {
                    up > 1.0 - LEGEND.1
                } else {
                    up < LEGEND.1
                }
        };
        points.iter().flatten().filter(inside).count()
    };
    let places = [
        (hidden(true, true), SeriesLabelPosition::UpperRight),
        (hidden(false, true), SeriesLabelPosition::UpperLeft),
        (hidden(true, false), SeriesLabelPosition::LowerRight),
        (hidden(false, false), SeriesLabelPosition::LowerLeft),
    ];
    let least = places.into_iter().min_by_key(|(hidden, _)| *hidden);
    least.map_or((SeriesLabelPosition::UpperRight, 0), |(hidden, place)| {
        (place, hidden)
    })
}

fn line(
    (name, look): (&str, Look),
    points: &[(f64, f64)],
    color: RGBColor,
    chart: &mut Chart<'_>,
) -> Result<(), PlotError> {
    let (thick, points) = (color.stroke_width(2), points.to_vec());
    let drawn = match look {
        Look::Line => chart.draw_series(LineSeries::new(points, thick)),
        Look::Theory => chart.draw_series(DashedLineSeries::new(points, 8, 5, thick)),
        Look::Points => chart.draw_series(
            points
                .into_iter()
                .map(|point| Circle::new(point, 4, color.filled())),
        ),
    };
    let drawn = drawn.map_err(failed)?;
    if !name.is_empty() {
        let drawn = drawn.label(name);
        // Symbol before the name in the legend.
        match look {
            Look::Line => {
                drawn.legend(move |(x, y)| PathElement::new([(x, y), (x + 26, y)], thick))
            }
            Look::Theory => drawn
                .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 26, y)], 8, 5, thick)),
            Look::Points => drawn.legend(move |(x, y)| Circle::new((x + 13, y), 4, color.filled())),
        };
    }
    Ok(())
}
