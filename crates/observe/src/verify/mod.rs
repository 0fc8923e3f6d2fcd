//! Verification suite of the flow model: cases with a known answer, each with its theory, source
//! and tolerance.
//!
//! Community benchmarks are those of Cordonnier, Lev and Garel (Geol. Soc. London SP 426, 2016);
//! theories are those of the papers that each case cites. `docs/verification.md` shows the results.

mod boxes;
mod cooling;
pub mod field;
mod oil;
mod outcome;
mod ponds;
mod slab;
mod slopes;
mod spreading;
mod tube;
mod turned;
mod valley;

use self::outcome::verdict;
pub use self::outcome::{Curve, MeasuredRow, Outcome};
use lavoxel_flow::{Cooling, Flow, FlowBox, FlowPour, FlowSetup, Lava, Viscosity};

/// Verification case: a simulation whose results are compared with theory or field data.
pub struct Case {
    /// Name of the case on the command line.
    pub name: &'static str,
    /// Title of the case, shown above its plot.
    pub title: &'static str,
    /// Description of the simulated set-up, and source of the reference values.
    pub about: &'static str,
    /// Set if the case belongs to the quick set of cases, which take little computing time.
    pub is_quick: bool,
    run: Reference,
}

/// Function that simulates a case with field data; the function owns the data.
type FieldRun = Box<dyn Fn() -> Measured + Send + Sync>;

/// Reference values of a case, theory or field data, with the function that simulates the case.
enum Reference {
    /// Function that simulates a case whose reference values come from theory.
    Theory(fn() -> Measured),
    /// Function that simulates a case whose reference values are field data.
    Field(FieldRun),
}

impl Case {
    /// Returns true if the reference values of the case are field data.
    pub fn is_field(&self) -> bool {
        !matches!(self.run, Reference::Theory(_))
    }

    /// Simulates the case and compares each result with its reference value and tolerance.
    pub fn run(&self) -> Outcome {
        let Measured {
            mut rows,
            curve,
            flow,
        } = match &self.run {
            Reference::Theory(run) => run(),
            Reference::Field(run) => run(),
        };
        let is_field = self.is_field();
        rows.iter_mut()
            .for_each(|row| row.verdict = verdict(row.is_within_tolerance(), is_field));
        let mut found = Outcome {
            name: self.name,
            title: self.title,
            about: self.about,
            is_field,
            rows,
            curve,
            is_exact: flow.check().is_ok(),
            capped_share: flow.account().capped_share(),
            verdict: "",
        };
        found.verdict = verdict(found.is_within_tolerance(), is_field && found.is_exact);
        found
    }
}

/// All verification cases except those with field data.
pub static CASES: [Case; 28] = [
    Case {
        name: "huppert-volume",
        title: "Fixed volume on a plane",
        about: "1e6 m³ of 1e5 Pa s spread on a plane: R = 0.8939 (gV³/3ν)^⅛ t^⅛ (Huppert 1982)",
        is_quick: true,
        run: Reference::Theory(spreading::volume),
    },
    Case {
        name: "huppert-flux",
        title: "Steady flux on a plane",
        about: "10 m³/s of 1e5 Pa s on a plane: R = 0.7150 (gQ³/3ν)^⅛ t^½ (Huppert 1982)",
        is_quick: false,
        run: Reference::Theory(spreading::flux),
    },
    Case {
        name: "bingham-dome",
        title: "Bingham dome at rest",
        about: "1e6 m³ with 2,000 Pa come to rest: h² = 2τ/(ρg)·(R − r) (Nye 1952, Blake 1990)",
        is_quick: true,
        run: Reference::Theory(spreading::bingham),
    },
    Case {
        name: "bm1-dam-break",
        title: "BM1: dam break",
        about: "BM1: a dam 1 m high and 6.6 m long breaks, 1e4 Pa s: early t^½, late t^⅕ (Huppert 1982; Balmforth et al. 2006)",
        is_quick: false,
        run: Reference::Theory(spreading::dam_break),
    },
    Case {
        name: "bm2-incline",
        title: "BM2: point source on an incline",
        about: "BM2: 5 m³/s of 1e5 Pa s down 10°: depth and width behind the front (Smith 1973, Lister 1992)",
        is_quick: true,
        run: Reference::Theory(slopes::along),
    },
    Case {
        name: "incline-turned",
        title: "The incline turned against the grid",
        about: "the same incline turned by 22.5° and 45° against the grid",
        is_quick: false,
        run: Reference::Theory(slopes::turned),
    },
    Case {
        name: "incline-turned-cooling",
        title: "The incline turned, with lava that cools",
        about: "lava of etna-basalt, without yield strength and setting, cools on the same incline, along the grid and turned by 22.5° and 45°",
        is_quick: false,
        run: Reference::Theory(slopes::turned_cooling),
    },
    Case {
        name: "slope-volume",
        title: "Fixed volume down an incline",
        about: "2e5 m³ down 10°: length ~ t^⅓, slightly less (Lister 1992)",
        is_quick: false,
        run: Reference::Theory(slopes::volume),
    },
    Case {
        name: "bm3-silicone-oil",
        title: "BM3: silicone oil spreads",
        about: "BM3: silicone oil of experiment C14, 2.2e-8 m³/s (Garel et al. 2012)",
        is_quick: false,
        run: Reference::Theory(oil::spreading),
    },
    Case {
        name: "bm3-heat",
        title: "BM3: silicone oil cools",
        about: "BM3: heat of the same oil beside a film of one temperature that spreads as Huppert's (cf. Garel et al. 2012)",
        is_quick: false,
        run: Reference::Theory(oil::heat),
    },
    Case {
        name: "radiative-cooling",
        title: "Still lava radiates",
        about: "1 m of still lava radiates: T = T₀ (1 + 3εσT₀³t/(ρch))^(−⅓)",
        is_quick: true,
        run: Reference::Theory(cooling::radiation),
    },
    Case {
        name: "stirred-pond",
        title: "Stirred pond, cells of 0.25 m",
        about: "2 m of stirred lava radiate at cells 2 to 0.25 m high, with and without latent heat: the same law",
        is_quick: true,
        run: Reference::Theory(ponds::stirred),
    },
    Case {
        name: "still-pond",
        title: "Crust of a still pond, cells of 0.25 m",
        about: "still lava grows a crust at cells 2 to 0.25 m high: conduction in one dimension on a fine mesh",
        is_quick: false,
        run: Reference::Theory(ponds::still_without_latent_heat),
    },
    Case {
        name: "latent-pond",
        title: "The same with latent heat",
        about: "the same with 3.5e5 J/kg of latent heat between 1400 and 1200 K",
        is_quick: true,
        run: Reference::Theory(ponds::still_with_latent_heat),
    },
    Case {
        name: "kilauea-pond",
        title: "Still pond of kilauea",
        about: "2 m of still lava of the preset kilauea: conduction in one dimension on a fine mesh",
        is_quick: true,
        run: Reference::Theory(ponds::kilauea),
    },
    Case {
        name: "fogo-pond",
        title: "Still pond of fogo-2014",
        about: "2 m of still lava of the preset fogo-2014: conduction in one dimension on a fine mesh",
        is_quick: true,
        run: Reference::Theory(ponds::fogo),
    },
    Case {
        name: "valley-heights",
        title: "Cooling flow, cells 10 m high",
        about: "a flow of etna-basalt cools in a valley: the same at cells 10 to 1 m high",
        is_quick: false,
        run: Reference::Theory(valley::by_height),
    },
    Case {
        name: "valley-widths",
        title: "Cooling flow, cells 20 m wide",
        about: "the same flow at cells 20, 10 and 5 m wide",
        is_quick: false,
        run: Reference::Theory(valley::by_width),
    },
    Case {
        name: "valley-turned",
        title: "Cooling flow in a turned valley",
        about: "a flow of etna-basalt cools and sets in a valley at 0°, 15°, 30°, 45° to the grid, cells 10 and 5 m wide",
        is_quick: false,
        run: Reference::Theory(turned::with_yield_strength),
    },
    Case {
        name: "valley-turned-fluid",
        title: "The turned valley without yield strength",
        about: "the same without a yield strength",
        is_quick: false,
        run: Reference::Theory(turned::without_yield_strength),
    },
    Case {
        name: "bed-cooling",
        title: "Still layer on cold rock",
        about: "a still layer on cold rock: loss 2k ΔT √(t/(πκ)) of a half-space (Carslaw & Jaeger 1959)",
        is_quick: true,
        run: Reference::Theory(cooling::bed),
    },
    Case {
        name: "stefan-setting",
        title: "Layer that sets above a cold bed",
        about: "a layer at its melting point sets above a cold bed: front 2λ√(αt) (Neumann; Carslaw & Jaeger 1959)",
        is_quick: true,
        run: Reference::Theory(cooling::stefan_setting),
    },
    Case {
        name: "stefan-melting",
        title: "Layer that melts above a hot bed",
        about: "a layer at its melting point melts above a hot bed: front 2λ√(αt) (Neumann; Carslaw & Jaeger 1959)",
        is_quick: true,
        run: Reference::Theory(cooling::stefan_melting),
    },
    Case {
        name: "roofed-channel",
        title: "Channel under a roof",
        about: "a channel under a roof: q = ρ g h³ ΔH/(12 η L)",
        is_quick: true,
        run: Reference::Theory(boxes::roofed_channel),
    },
    Case {
        name: "u-tube",
        title: "Two shafts joined by a tunnel",
        about: "two shafts joined by a tunnel: levels meet",
        is_quick: true,
        run: Reference::Theory(boxes::u_tube),
    },
    Case {
        name: "lake",
        title: "Crater lake that spills",
        about: "a crater lake spills over its lowest lip alone",
        is_quick: false,
        run: Reference::Theory(boxes::lake),
    },
    Case {
        name: "tube",
        title: "Levees, roofs and a tube",
        about: "lava in a valley builds levees, crusts over and drains through a tube, 1 m³/s for 2.3 days: mean of three",
        is_quick: false,
        run: Reference::Theory(tube::tube),
    },
    Case {
        name: "cliff",
        title: "Fall from a cliff",
        about: "lava falls from a cliff over an overhang: nothing floats, nothing enters rock",
        is_quick: true,
        run: Reference::Theory(boxes::cliff),
    },
];

/// Returns the case with the name `name`; `None` for an unknown name and for a case with field
/// data.
pub fn case(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name)
}

/// Result of a simulated case: measured values, curves for the plot, and final state of the flow.
struct Measured {
    rows: Vec<MeasuredRow>,
    curve: Curve,
    flow: Flow,
}

impl Measured {
    fn new(rows: Vec<MeasuredRow>, curve: Curve, flow: Flow) -> Self {
        Self { rows, curve, flow }
    }
}

/// Creates a curve without points. `reference`: legend entry of the reference line; `axes`: labels
/// of both axes; `is_logarithmic`: true if both axes are logarithmic.
fn curve(reference: &'static str, axes: [&str; 2], is_logarithmic: bool) -> Curve {
    let (model, theory) = (Vec::new(), Vec::new());
    Curve {
        axes: axes.map(str::to_owned),
        is_logarithmic,
        model,
        theory,
        reference,
    }
}

/// Returns a lava that does not cool, with the density `density` (kg/m³), the constant viscosity
/// `pa_s` (Pa s) and the yield strength `yield_pa` (Pa).
fn isothermal(density: f64, pa_s: f64, yield_pa: f64) -> Lava {
    Lava {
        density_kg_m3: density,
        viscosity: Viscosity::Constant { pa_s },
        yield_pa,
        yield_factor: 0.0,
        solidus_k: 0.0,
        cooling: Cooling::None,
        bed_conduction: 0.0,
        ..Lava::default()
    }
}

/// Returns the dimensions of a simulation box of `nx` × `ny` × `nz` cells (y is up), each `dx_m`
/// metres wide and `dz_m` metres high.
fn flow_box([nx, ny, nz]: [usize; 3], [dx_m, dz_m]: [f64; 2]) -> FlowBox {
    FlowBox {
        nx,
        ny,
        nz,
        dx_m,
        dz_m,
    }
}

impl Curve {
    /// Appends the point (`x`, `model`) to the curve of the simulation and the point (`x`,
    /// `reference`) to the reference curve.
    fn push(&mut self, x: f64, model: f64, reference: f64) {
        self.model.push((x, model));
        self.theory.push((x, reference));
    }

    /// Sets the reference curve to the points (x, `law(x)`) at each x of the simulation's curve.
    fn compare(&mut self, law: impl Fn(f64) -> f64) {
        self.theory = self.model.iter().map(|&(x, _)| (x, law(x))).collect();
    }

    /// Returns a row that compares the last points of both curves; `what`: name of the value,
    /// `share`: tolerance as a fraction of the reference.
    fn last_row(&self, what: &str, share: f64) -> MeasuredRow {
        let last = self.model.len() - 1;
        MeasuredRow::relative(what, self.theory[last].1, self.model[last].1, share)
    }
}

/// Creates a flow whose ground has the heights `ground(column, row)` in metres. `step_s`: time step
/// in seconds; `open_sides`: true if lava leaves through the sides of the simulation box.
fn flow(
    space: FlowBox,
    lava: Lava,
    step_s: f64,
    open_sides: bool,
    ground: impl Fn(usize, usize) -> f64,
) -> Flow {
    let heights: Vec<f64> = (0..space.columns())
        .map(|c| ground(c % space.nx, c / space.nx))
        .collect();
    let setup = FlowSetup {
        lava,
        step_s,
        open_sides,
        seed: 1,
        heaters: Vec::new(),
    };
    Flow::new(space, setup, &heights).expect("the numbers of a case are in range")
}

/// Returns a pour that puts `volume` m³ of lava at the temperature `kelvin` (K) on the column with
/// the index `column` within one step.
fn at_once(column: usize, volume: f64, kelvin: f64) -> FlowPour {
    FlowPour {
        column,
        level: None,
        before_m3: 0.0,
        after_m3: volume,
        temperature_k: kelvin,
    }
}

/// Returns a pour of `rate` m³/s at the temperature `kelvin` (K) over the next step, on the column
/// with the index `column`.
fn steady(flow: &Flow, column: usize, rate: f64, kelvin: f64) -> FlowPour {
    let (before, step) = (flow.time_s(), flow.setup().step_s);
    FlowPour {
        column,
        level: None,
        before_m3: rate * before,
        after_m3: rate * (before + step),
        temperature_k: kelvin,
    }
}

/// Returns the depth of liquid in each column in metres, row-major.
fn depths(flow: &Flow) -> Vec<f64> {
    (0..flow.space().columns())
        .map(|c| flow.column(c).liquid_m)
        .collect()
}

/// Returns the exponent n of the power law y ∝ xⁿ through the points (`x0`, `y0`) and (`x1`, `y1`),
/// whose coordinates must be positive.
fn exponent((x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> f64 {
    libm::log(y1 / y0) / libm::log(x1 / x0)
}
