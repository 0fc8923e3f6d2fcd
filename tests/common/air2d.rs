//! Reference implementation of the article's air solver in two dimensions and floats, written from
//! the rules of *Practical Fluid Mechanics* (Mick West, Game Developer, March and April 2007) and,
//! where the article is silent, from its published code. Row 0 is the floor.

/// State of the reference solver: the fields of a box of `width × height` cells, x fastest.
#[derive(Clone)]
pub(crate) struct Original {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Velocity in cells per second of the article's demo, before the factor of an advection.
    pub(crate) vx: Vec<f32>,
    pub(crate) vy: Vec<f32>,
    pub(crate) density: Vec<f32>,
    pub(crate) heat: Vec<f32>,
    pub(crate) ink: Vec<f32>,
}

/// Parameters of the article's demo program.
#[derive(Clone, Copy)]
pub(crate) struct Demo {
    pub(crate) dt: f32,
    pub(crate) pressure: f32,
    pub(crate) lift: f32,
    pub(crate) diffuse_velocity: f32,
    pub(crate) diffuse_density: f32,
    /// Coefficients (a, b, c) of the cooling rate a·h² + b·h + c for the heat h.
    pub(crate) cooling: [f32; 3],
    pub(crate) friction: [f32; 3],
    /// Displacement in cells per second at a speed of 1, for a box 100 cells wide.
    pub(crate) advection: f32,
}

impl Default for Demo {
    fn default() -> Self {
        Self {
            dt: 0.02,
            pressure: 2.0,
            lift: 0.1,
            diffuse_velocity: 1.0,
            diffuse_density: 10.0,
            cooling: [0.5, 0.2, 0.01],
            friction: [0.0; 3],
            advection: 150.0,
        }
    }
}

/// Target of an advected cell: indices of the four cells around the point, each with its bilinear
/// weight.
type Corners = [(usize, f32); 4];

impl Original {
    pub(crate) fn still(width: usize, height: usize) -> Self {
        let zero = || vec![0.0; width * height];
        Self {
            width,
            height,
            vx: zero(),
            vy: zero(),
            density: vec![1.0; width * height],
            heat: zero(),
            ink: zero(),
        }
    }

    pub(crate) fn at(&self, x: usize, y: usize) -> usize {
        y * self.width + x
    }

    /// Returns the four cells and weights around the point `scale` × velocity away from `cell`,
    /// mirrored at the walls; `None` for a cell at rest.
    fn corners(&self, cell: usize, scale: f32) -> Option<Corners> {
        if self.vx[cell] == 0.0 && self.vy[cell] == 0.0 {
            return None;
        }
        let mirror = |place: f32, cells: usize| {
            let far = cells as f32 - 1.0001;
            let place = if place > far {
                2.0 * far - place
            } else {
                place.abs()
            };
            (place as usize, place.fract())
        };
        let (x, fx) = mirror(
            (cell % self.width) as f32 + scale * self.vx[cell],
            self.width,
        );
        let (y, fy) = mirror(
            (cell / self.width) as f32 + scale * self.vy[cell],
            self.height,
        );
        let low = self.at(x, y);
        let up = if self.height > 1 {
            low + self.width
        } else {
            low
        };
        Some([
            (low, (1.0 - fx) * (1.0 - fy)),
            (low + 1, fx * (1.0 - fy)),
            (up, (1.0 - fx) * fy),
            (up + 1, fx * fy),
        ])
    }

    /// Returns `field` after forward advection: distributes each cell's content to the four cells
    /// downstream.
    pub(crate) fn forward(&self, field: &[f32], scale: f32) -> Vec<f32> {
        let mut to = field.to_vec();
        for cell in 0..field.len() {
            for (corner, share) in self.corners(cell, scale).into_iter().flatten() {
                to[cell] -= share * field[cell];
                to[corner] += share * field[cell];
            }
        }
        to
    }

    /// Returns `field` after reverse advection: collects each cell's content from the four cells
    /// upstream. If `accounted`, the shares taken from a donor cell are scaled down to its content;
    /// otherwise their sum may exceed the content.
    pub(crate) fn reverse(&self, field: &[f32], scale: f32, accounted: bool) -> Vec<f32> {
        let asks: Vec<_> = (0..field.len())
            .map(|cell| self.corners(cell, -scale))
            .collect();
        let mut asked = vec![0.0_f32; field.len()];
        asks.iter()
            .flatten()
            .flatten()
            .for_each(|&(corner, share)| asked[corner] += share);
        let mut to = field.to_vec();
        for (cell, ask) in asks.iter().enumerate() {
            for &(corner, share) in ask.iter().flatten() {
                let share = if accounted {
                    share / asked[corner].max(1.0)
                } else {
                    share
                };
                to[corner] -= share * field[corner];
                to[cell] += share * field[corner];
            }
        }
        to
    }

    /// Returns `field` after semi-Lagrangian advection (Stam), for comparison: interpolates the
    /// values upstream without subtracting them there.
    pub(crate) fn trace_back(&self, field: &[f32], scale: f32) -> Vec<f32> {
        let value = |cell| match self.corners(cell, -scale) {
            Some(corners) => corners
                .iter()
                .map(|&(corner, share)| share * field[corner])
                .sum(),
            None => field[cell],
        };
        (0..field.len()).map(value).collect()
    }

    /// Returns `field` after forward advection followed by accounted reverse advection.
    pub(crate) fn carry(&self, field: &[f32], scale: f32) -> Vec<f32> {
        self.reverse(&self.forward(field, scale), scale, true)
    }

    /// Advects the velocity by itself; without the account, because velocities may be negative.
    pub(crate) fn carry_velocity(&mut self, scale: f32) {
        let carried = |field: &[f32]| self.reverse(&self.forward(field, scale), scale, false);
        (self.vx, self.vy) = (carried(&self.vx), carried(&self.vy));
    }

    /// Applies listing 1 of the article: the density difference of each pair of neighbours
    /// accelerates both cells, by the factor `by`.
    pub(crate) fn press(&mut self, by: f32) {
        let (density, width) = (&self.density, self.width);
        for cell in 0..density.len() {
            if cell % width + 1 < width {
                let push = by * (density[cell] - density[cell + 1]);
                self.vx[cell] += push;
                self.vx[cell + 1] += push;
            }
            if cell + width < density.len() {
                let push = by * (density[cell] - density[cell + width]);
                self.vy[cell] += push;
                self.vy[cell + width] += push;
            }
        }
    }

    /// Returns `field` after one pass of diffusion with the coefficient `by` between neighbours in
    /// the box.
    fn diffused(&self, field: &[f32], by: f32) -> Vec<f32> {
        let (width, height) = (self.width, self.height);
        let value = |cell: usize| {
            let (x, y) = (cell % width, cell / width);
            let mut sum = 0.0;
            if x > 0 {
                sum += field[cell - 1] - field[cell];
            }
            if x + 1 < width {
                sum += field[cell + 1] - field[cell];
            }
            if y > 0 {
                sum += field[cell - width] - field[cell];
            }
            if y + 1 < height {
                sum += field[cell + width] - field[cell];
            }
            field[cell] + by * sum
        };
        (0..field.len()).map(value).collect()
    }

    /// Reverses velocities at the edge of the box that point outward.
    fn turn_in(&mut self) {
        let (width, height) = (self.width, self.height);
        for y in 0..height {
            let (west, east) = (self.at(0, y), self.at(width - 1, y));
            self.vx[west] = self.vx[west].abs();
            self.vx[east] = -self.vx[east].abs();
        }
        for x in 0..width {
            let (floor, roof) = (self.at(x, 0), self.at(x, height - 1));
            self.vy[floor] = self.vy[floor].abs();
            self.vy[roof] = -self.vy[roof].abs();
        }
    }

    /// Makes one step of the demo in its order of operations: density is advected last, by the new
    /// velocity.
    pub(crate) fn step(&mut self, demo: &Demo) {
        let dt = demo.dt;
        self.vx = self.diffused(&self.vx, dt * demo.diffuse_velocity);
        self.vy = self.diffused(&self.vy, dt * demo.diffuse_velocity);
        self.density = self.diffused(&self.density, dt * demo.diffuse_density);
        for (v, heat) in self.vy.iter_mut().zip(&mut self.heat) {
            *v += dt * demo.lift * *heat;
            let [a, b, c] = demo.cooling;
            *heat = (*heat - dt * (a * *heat * *heat + b * *heat + c)).max(0.0);
        }
        self.press(dt * demo.pressure);
        for (vx, vy) in self.vx.iter_mut().zip(&mut self.vy) {
            let ([a, b, c], speed) = (demo.friction, vx.hypot(*vy));
            if speed > 0.0 {
                let left = (speed - dt * (a * speed * speed + b * speed + c)).max(0.0) / speed;
                (*vx, *vy) = (*vx * left, *vy * left);
            }
        }
        let scale = dt * demo.advection * self.width as f32 / 100.0;
        self.ink = self.carry(&self.ink, scale);
        self.heat = self.carry(&self.heat, scale);
        self.carry_velocity(scale);
        self.turn_in();
        self.density = self.carry(&self.density, scale);
    }
}

/// Returns the sum of `field` in double precision.
pub(crate) fn total(field: &[f32]) -> f64 {
    field.iter().map(|&v| f64::from(v)).sum()
}

/// Returns the mean column of `field`, weighted by its values.
pub(crate) fn mean_x(field: &[f32], width: usize) -> f64 {
    field
        .iter()
        .enumerate()
        .map(|(cell, &v)| (cell % width) as f64 * f64::from(v))
        .sum::<f64>()
        / total(field)
}
