//! Custom rules, written in Python, as stages of a step.

use std::sync::{Arc, Mutex, PoisonError};

use lavoxel::engine::{Engine, tiled::Tiled};
use lavoxel::memory::MemoryEstimate;
use lavoxel::ndarray::Array3;
use lavoxel::random::Draw;
use lavoxel::rules::Rule;
use lavoxel::world::{Content, World};
use numpy::{IntoPyArray, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::fail;
use crate::slot::in_rule;

/// Custom rule of a material: a function that is called after one of the program's rules.
pub(crate) struct OwnRule {
    pub(crate) material: String,
    /// Name of the rule after which the function runs.
    pub(crate) after: String,
    pub(crate) function: Py<PyAny>,
}

/// Custom rules of a simulation, and the first error of a rule.
pub(crate) struct OwnRules {
    /// Number of the simulation.
    number: u64,
    pub(crate) rules: Vec<OwnRule>,
    pub(crate) error: Option<PyErr>,
}

/// Custom rules that a simulation shares with its engine.
pub(crate) type Shared = Arc<Mutex<OwnRules>>;

impl OwnRules {
    /// Creates an empty list of rules for simulation `number`.
    pub(crate) fn new(number: u64) -> Shared {
        Arc::new(Mutex::new(Self {
            number,
            rules: Vec::new(),
            error: None,
        }))
    }

    /// Returns the rules for another simulation, which calls the same functions.
    pub(crate) fn copies(&self, py: Python<'_>) -> Vec<OwnRule> {
        let copy = |rule: &OwnRule| OwnRule {
            material: rule.material.clone(),
            after: rule.after.clone(),
            function: rule.function.clone_ref(py),
        };
        self.rules.iter().map(copy).collect()
    }
}

/// Default engine with custom rules.
pub(crate) struct Extended {
    inner: Tiled,
    own: Shared,
}

impl Extended {
    pub(crate) fn new(own: &Shared) -> Box<Self> {
        Box::new(Self {
            inner: Tiled::default(),
            own: own.clone(),
        })
    }
}

impl Engine for Extended {
    fn run(&mut self, world: &mut World, rule: (usize, &Rule), draw: Draw) {
        self.inner.run(world, rule, draw);
        let (layer, rule) = rule;
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let OwnRules {
            number,
            rules,
            error,
        } = &mut *own;
        for own in rules.iter().filter(|own| own.after == rule.name()) {
            if error.is_none() && world.layers()[layer].material().name == own.material {
                *error = in_rule(*number, || Python::attach(|py| own.run(py, world, layer))).err();
            }
        }
    }

    fn due(
        &mut self,
        world: &World,
        rule: &dyn lavoxel::rules::Point,
        draw: Draw,
        round: u64,
    ) -> Vec<lavoxel::rules::Due> {
        self.inner.due(world, rule, draw, round)
    }
}

impl OwnRule {
    /// Calls the function with amounts and energies of the cells, and ground, as arrays of shape
    /// (z, y, x); stores the arrays that the function returns.
    fn run(&self, py: Python<'_>, world: &mut World, layer: usize) -> PyResult<()> {
        let grid = world.grid();
        // The estimate covers our arrays, and those that the function returns.
        let need = MemoryEstimate::new("the arrays of a rule of one's own", grid.cells(), 9.0);
        need.check("make the box smaller").map_err(fail)?;
        let shape = (grid.nz, grid.ny, grid.nx);
        let (mut amount, mut energy) = (Array3::<u16>::zeros(shape), Array3::<u16>::zeros(shape));
        for ([x, y, z], cell) in world.layers()[layer].held() {
            (amount[[z, y, x]], energy[[z, y, x]]) = (cell.amount, cell.energy);
        }
        let solid = Array3::from_shape_fn(shape, |(z, y, x)| world.ground().is_solid([x, y, z]));
        let arrays = (
            amount.into_pyarray(py),
            energy.into_pyarray(py),
            solid.into_pyarray(py),
        );
        let given = self.function.bind(py).call1(arrays)?;
        let (amount, energy): (PyReadonlyArray3<'_, u16>, PyReadonlyArray3<'_, u16>) =
            given.extract()?;
        let (amount, energy) = (amount.as_array(), energy.as_array());
        if amount.dim() != shape || energy.dim() != shape {
            return Err(fail(format!(
                "the rule gave arrays of {:?} cells, the box has {shape:?}",
                amount.dim()
            )));
        }
        let content = |[x, y, z]: [usize; 3]| Content {
            amount: amount[[z, y, x]],
            energy: energy[[z, y, x]],
        };
        world.replace(layer, content).map_err(fail)
    }
}
