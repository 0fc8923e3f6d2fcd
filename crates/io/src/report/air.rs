//! Report of the air: grid size, and an account for each field.

use lavoxel_air::{Air, Field};
use lavoxel_base::words::{heat, mass, short};
use serde::Serialize;

use super::account::Account;
use crate::report::as_table;

/// Report of the air in a scene: grid, solver, and an account for each field.
#[derive(Debug, Serialize)]
pub(super) struct AirReport {
    solver: String,
    /// Number of air cells along x, y and z.
    cells: [usize; 3],
    cell_size_m: f64,
    step_s: f64,
    max_speed_m_s: f64,
    /// Fields of the air in the report, as pairs (field name, account of the field).
    #[serde(flatten, serialize_with = "as_table")]
    fields: Vec<(&'static str, FieldReport)>,
}

/// Report of one field of the air: its account and unit.
#[derive(Debug, Serialize)]
struct FieldReport {
    /// Size of the field's unit: in J for heat, in kg for all other fields.
    unit: f64,
    #[serde(flatten)]
    account: Account,
    exact: bool,
}

impl AirReport {
    pub(super) fn from_air(air: &Air) -> Self {
        let field = |field: Field| (field.name(), FieldReport::new(air, field));
        Self {
            solver: format!("{:?}", air.spec().solver).to_lowercase(),
            cells: air.grid().size(),
            cell_size_m: air.scale().edge_m,
            step_s: air.scale().step_s,
            max_speed_m_s: air.max_speed_m_s(),
            fields: air.amounts().present().map(field).collect(),
        }
    }

    /// Formats the report of the air (grid, solver, fastest air, account of each field) as lines of
    /// text.
    pub(super) fn lines(&self) -> Vec<String> {
        let ([nx, ny, nz], edge) = (self.cells, short(self.cell_size_m, 3));
        let first = format!(
            "air         {nx} × {ny} × {nz} cells of {edge} m, {}, {} s a step, up to {:.1} m/s",
            self.solver,
            short(self.step_s, 3),
            self.max_speed_m_s
        );
        std::iter::once(first)
            .chain(self.fields.iter().map(|(name, field)| field.line(name)))
            .collect()
    }
}

impl FieldReport {
    fn new(air: &Air, field: Field) -> Self {
        let (account, now) = (air.account(field), air.amounts().total(field));
        let account = Account::of_matter("now", now, account.sums());
        Self {
            unit: air.scale().of_unit(field),
            exact: account.is_exact(),
            account,
        }
    }

    fn line(&self, name: &str) -> String {
        let words = if name == Field::Heat.name() {
            heat
        } else {
            mass
        };
        let amount = |units: i128| words(units as f64 * self.unit);
        let verdict = if self.exact { "exact" } else { "NOT EXACT" };
        format!(
            "  {name:<9} {} now, {}: {verdict}",
            amount(self.account.now),
            self.account.words(3, amount)
        )
    }
}
