//! Overlays of a map sheet: roads, buildings, barriers and outlines, with names that do not
//! overlap.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::SheetError;
use super::canvas::{Align, Canvas, INK, Paint, Pen, Point, Rect, Type, WHITE};
use super::source::Source;
use super::view::View;
use lavoxel_geo::map::features::{Feature, Features, Geometry, features_in, read_layer};
use lavoxel_geo::map::geojson::System;

/// Colours (sRGB) of the overlay files, in the order in which the files are given; distinct from
/// the colours of classes.
const COLORS: [[u8; 3]; 5] = [
    [12, 70, 150],
    [20, 20, 24],
    [0, 110, 80],
    [120, 40, 130],
    [130, 80, 10],
];

/// Upper bound on the number of feature names drawn per overlay file: each name is tested against
/// all earlier labels, which takes quadratic time.
const MOST_NAMES: usize = 2000;

/// Vector data of an overlay file, converted to the map's coordinates.
pub(super) struct Overlay {
    pub(super) path: PathBuf,
    /// Legend entry of the overlay, derived from its file name.
    pub(super) name: String,
    pub(super) rgb: [u8; 3],
    /// Coordinate system that the overlay file states, before the conversion.
    pub(super) system: System,
    features: Vec<Feature>,
}

impl Overlay {
    /// Reads the vector data of the overlay file at `path` and converts them to the coordinates of
    /// the map `source`. `number`: index of the file among all overlays, which determines its
    /// colour.
    pub(super) fn read(path: &Path, number: usize, source: &Source) -> Result<Self, SheetError> {
        let wrong = |e: String| SheetError::wrong(format!("{} {e}", path.display()));
        let root = read_layer(path).map_err(SheetError::wrong)?;
        let features = Features::from_geojson(&root).map_err(wrong)?;
        let system = features.system.clone();
        let features = features_in(features, &source.crs(), source.middle_x()).map_err(wrong)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = stem
            .strip_prefix("exposure_")
            .unwrap_or(&stem)
            .replace('_', " ");
        let name = lavoxel_base::validate::escape_for_terminal(&name);
        Ok(Self {
            path: path.to_owned(),
            name,
            rgb: COLORS[number % COLORS.len()],
            system,
            features,
        })
    }

    /// Returns the geometry kind of the first feature for the legend symbol: `point`, `line` or
    /// `area`.
    pub(super) fn kind(&self) -> &'static str {
        self.features
            .first()
            .map_or("point", |feature| feature.geometry.kind())
    }

    /// Returns the geometry kinds of all features, each once, in the order `point`, `line`, `area`.
    pub(super) fn kinds(&self) -> Vec<&'static str> {
        let has = |kind: &&str| {
            self.features
                .iter()
                .any(|feature| feature.geometry.kind() == *kind)
        };
        ["point", "line", "area"].into_iter().filter(has).collect()
    }

    /// Draws all features without their names; `em`: font size in millimetres.
    pub(super) fn draw(&self, canvas: &mut dyn Canvas, view: &View, em: f64) {
        let paint = Paint::full(self.rgb);
        let place =
            |line: &Vec<Point>| line.iter().map(|point| view.at(*point)).collect::<Vec<_>>();
        for feature in &self.features {
            match &feature.geometry {
                Geometry::Points(points) => points
                    .iter()
                    .for_each(|at| symbol(canvas, view.at(*at), em, self.rgb)),
                Geometry::Lines(lines) => {
                    let lines: Vec<_> = lines.iter().map(place).collect();
                    canvas.stroke(&lines, &Pen::new(WHITE, 0.36 * em));
                    canvas.stroke(&lines, &Pen::new(paint, 0.19 * em));
                }
                Geometry::Polygons(polygons) => {
                    for rings in polygons {
                        let rings: Vec<_> = rings.iter().map(place).collect();
                        canvas.fill(
                            &rings,
                            Paint {
                                opacity: 18,
                                ..paint
                            },
                        );
                        canvas.stroke(&rings, &Pen::new(paint, 0.13 * em));
                    }
                }
            }
        }
    }

    /// Iterates over the names of the features inside the map frame, each with its anchor point on
    /// the paper; at most `MOST_NAMES` names.
    pub(super) fn names<'a>(
        &'a self,
        view: &'a View,
    ) -> impl Iterator<Item = (Point, String)> + 'a {
        let named = self.features.iter().filter_map(|feature| {
            let name = feature
                .properties
                .get("name")
                .and_then(Value::as_str)
                .filter(|name| !name.is_empty())?;
            let at = view.at(anchor(&feature.geometry)?);
            view.frame
                .has(at)
                .then(|| (at, lavoxel_base::validate::escape_for_terminal(name)))
        });
        named.take(MOST_NAMES)
    }
}

/// Draws the symbol of a point feature at `[x, y]`: a square with a white border. `em`: font size
/// in millimetres.
pub(super) fn symbol(canvas: &mut dyn Canvas, [x, y]: Point, em: f64, rgb: [u8; 3]) {
    let square = Rect::new(x - 0.3 * em, y - 0.3 * em, 0.6 * em, 0.6 * em);
    canvas.fill(&square.grown(0.09 * em).path(), WHITE);
    canvas.fill(&square.path(), Paint::full(rgb));
}

/// Returns the point next to which the name of a feature is drawn: its first point, the middle of
/// its longest line, or the mean vertex of its first polygon. `None` for an empty geometry.
fn anchor(geometry: &Geometry) -> Option<Point> {
    match geometry {
        Geometry::Points(points) => points.first().copied(),
        Geometry::Lines(lines) => {
            let longest = lines.iter().max_by_key(|line| line.len())?;
            let middle = longest.len() / 2;
            let (a, b) = (longest.get(middle - 1)?, longest.get(middle)?);
            Some([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])])
        }
        Geometry::Polygons(polygons) => {
            let ring = polygons.first()?.first()?;
            let corners = &ring[1..];
            let mean = |k: usize| {
                corners.iter().map(|point| point[k]).sum::<f64>() / corners.len().max(1) as f64
            };
            Some([mean(0), mean(1)])
        }
    }
}

/// Rectangles on the paper that labels occupy already.
#[derive(Default)]
pub(super) struct Taken(Vec<Rect>);

impl Taken {
    /// Adds `rect` to the occupied rectangles and returns true; returns false, without adding it,
    /// if it overlaps an occupied rectangle.
    pub(super) fn take(&mut self, rect: Rect) -> bool {
        let free = !self.0.iter().any(|other| other.meets(&rect));
        if free {
            self.0.push(rect);
        }
        free
    }

    /// Draws the text `name` next to the point `at`, on the first of four sides where the text is
    /// inside `frame` and free of other labels. Draws nothing if no side is free.
    pub(super) fn name(
        &mut self,
        canvas: &mut dyn Canvas,
        (at, name): (Point, &str),
        frame: Rect,
        em: f64,
    ) {
        let look = Type {
            halo: 0.16 * em,
            ..Type::new(em).in_color(INK)
        };
        let (width, gap) = (look.width(name), 0.65 * em);
        let places = [
            ([at[0] + gap, at[1]], Align::Start),
            ([at[0] - gap, at[1]], Align::End),
            ([at[0], at[1] - 1.1 * em], Align::Middle),
            ([at[0], at[1] + 1.1 * em], Align::Middle),
        ];
        if !frame.has(at) {
            return;
        }
        for ([x, y], align) in places {
            let left = match align {
                Align::Start => x,
                Align::Middle => x - 0.5 * width,
                Align::End => x - width,
            };
            let room = Rect::new(left, y - 0.6 * em, width, 1.2 * em);
            // A name over the frame would meet the coordinates of the grid.
            let inside = frame.has([room.x, room.y]) && frame.has([room.right(), room.bottom()]);
            if inside && self.take(room) {
                canvas.text([x, y], align, name, &look);
                return;
            }
        }
    }
}
