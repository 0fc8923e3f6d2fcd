//! Surfaces that rays meet: normals and materials of ground, lava, floor and borders of media.

use super::Scene;
use crate::camera::Ray;
use crate::ground::floor::SLATE;
use crate::ground::land::Rock;
use crate::lava::crust::{self, ROOF_TINT, Skin};
use crate::math::{V3, unit_or_up};
use crate::media::clear::Clear;
use crate::media::solid;
use crate::media::water;
use crate::print::material::Material;
use crate::print::world::{Kind, Surface};
use crate::style::cinematic::{STONES, margin, over, stony, toe};
use crate::style::transfer::FILM;
use crate::volume::field::Border;

/// Reflectance of lava's crust (glass) at normal incidence, and widths of its microfacets for a
/// young and for an old crust.
const GLASSY: f32 = 0.03;
const CRUST_WIDTHS: [f32; 2] = [0.38, 0.7];
/// Reflectance of a polished table at normal incidence, and width of its microfacets.
const TABLE: [f32; 2] = [0.03, 0.12];
/// Half the distance in cells between the heights from which the shape of the ground is taken.
const SHAPED: f32 = 0.08;
/// Cover from which on a thin sheet is drawn as closed.
const CLOSED: f32 = 0.5;

/// Width of microfacets per slope of waves that are smaller than a pixel: the width of GGX is √2 times
/// the standard deviation of the slope along one axis.
const WAVES: f32 = std::f32::consts::SQRT_2;

impl<'a> Scene<'a> {
    /// Returns the surface of the ground's top at the point `p` (cells), `away` from the eye.
    pub(super) fn top(&self, p: V3, away: f32) -> Surface {
        let context = self.context;
        let shape = self.ground().0.normal(p.x, p.z, SHAPED);
        let over = over(context, p);
        if over > FILM * context.look.film {
            let margin = margin(context, p, over);
            if margin.cover > CLOSED {
                let normal = unit_or_up(toe(context, p) - margin.rise);
                return self.lava(p, normal, shape, false);
            }
        }
        for clear in &self.solids {
            let (cover, normal) = solid::sheet(context, clear, p);
            if cover > CLOSED {
                let up = Ray {
                    origin: p + V3::y(),
                    direction: -V3::y(),
                };
                let made = solid::made(context, clear, &up, (1.0, None));
                let made = solid::Made {
                    normal: if made.coat > 0.0 { normal } else { made.normal },
                    cover: 1.0,
                    enters: None,
                    ..made
                };
                return opaque(shape, of_solid(&made));
            }
        }
        let rock = context.land.rock(p.x, p.z);
        let rock = if context.land.is_stone() {
            rock
        } else {
            stony(context, rock, (p, away), STONES)
        };
        opaque(shape, of_rock(&rock))
    }

    /// Returns the material of which a thin sheet covers the first opaque material (`number` 0) at
    /// the point `p` (cells) with the unit normal `normal`, and the normal of the sheet.
    pub(super) fn covering(&self, number: usize, p: V3, normal: V3) -> Option<(&'a Clear<'a>, V3)> {
        if number > 0 || !solid::is_wetted(self.solids[0]) {
            return None;
        }
        self.solids[1..].iter().rev().find_map(|clear| {
            let (cover, normal) = solid::sheet_on(self.context, clear, (p, normal));
            (cover > CLOSED).then_some((*clear, normal))
        })
    }

    /// Returns the surface of lava at the point `p` (cells) with the unit normal `normal`, on a
    /// shape with the normal `shape`; `cut`: whether a plane cuts it open.
    pub(super) fn lava(&self, p: V3, normal: V3, shape: V3, cut: bool) -> Surface {
        let context = self.context;
        let skin = Skin {
            point: p,
            normal,
            view: -normal,
            cut,
        };
        let state = crust::state(context, &skin);
        if cut {
            let opened = crust::opened(context, &skin, state);
            let material = Material {
                emission: opened.emitted,
                ..Material::matt(normal, ROOF_TINT * (opened.crusted * (1.0 + opened.ragged)))
            };
            return opaque(shape, material);
        }
        let made = crust::made(context, &skin, state);
        let crusted = 1.0 - made.crust.molten();
        let shines = (made.crust.shines() * 0.25).clamp(0.0, 1.0);
        let material = Material {
            // Old crust has lost its glass.
            coat: GLASSY * crusted * made.crust.shines().min(1.0),
            rough: CRUST_WIDTHS[1] + (CRUST_WIDTHS[0] - CRUST_WIDTHS[1]) * shines,
            emission: made.emitted,
            ..Material::matt(made.normal, made.crust.albedo() * crusted)
        };
        opaque(shape, material)
    }

    /// Returns the surface of the floor around the box at the point `p` (cells), `away` from the
    /// eye.
    pub(super) fn floor(&self, p: V3, toward: V3, away: f32) -> Surface {
        let context = self.context;
        let Some(floor) = context.floor else {
            return opaque(V3::y(), Material::matt(V3::y(), V3::from(SLATE)));
        };
        if floor.is_table {
            let material = Material {
                coat: TABLE[0],
                rough: TABLE[1],
                ..Material::matt(V3::y(), floor.slate(p, away))
            };
            return opaque(V3::y(), material);
        }
        let grazing = (-toward.y).max(1e-3).powf(-crate::ground::floor::FLAT);
        let (albedo, normal, hollow) =
            floor.plain_rock(p, away * context.pixel * grazing, context.sky);
        opaque(V3::y(), Material::matt(normal, albedo * hollow))
    }

    /// Returns the border of the transparent medium `number` at the point `p` (cells).
    pub(super) fn border(&self, number: usize, border: Border, p: V3, away: f32) -> Surface {
        let context = self.context;
        let enters = border != Border::Leaves;
        let is_level = context.sea.is_some_and(|sea| sea.is_level(p));
        let (shape, (normal, rough), foam) = match (border, number.checked_sub(self.ice.len())) {
            (Border::Cut(face), _) if !is_level => (face, (face, 0.0), 0.0),
            (_, None) => {
                let clear = self.ice[number];
                let shape = clear
                    .field
                    .upright(clear.field.gradient(p, 2.6) + clear.field.gradient(p, 1.3) * 0.5);
                (shape, (shape, 0.0), 0.0)
            }
            (_, Some(liquid)) => {
                let clear = &context.clear[liquid];
                let shape = if is_level {
                    V3::y()
                } else {
                    water::level(&clear.field, p)
                };
                let normal = water::rippled(context, clear.look, p, shape, away);
                let rough = WAVES * water::roughness(context, clear.look, p, away);
                let gas = context.fog.map_or(0.0, |fog| fog.density(p + normal));
                let foam = if enters {
                    water::foam(context, clear.look, (p, normal), (gas, 0.0))
                } else {
                    0.0
                };
                (shape, (normal, rough), foam)
            }
        };
        Surface {
            shape,
            kind: Kind::Border {
                medium: number,
                enters,
                normal,
                rough,
                foam,
            },
        }
    }
}

/// Returns the opaque surface of the material `material` on a shape with the normal `shape`.
pub(super) fn opaque(shape: V3, material: Material) -> Surface {
    Surface {
        shape,
        kind: Kind::Opaque(material),
    }
}

/// Returns the material of the ground `rock`.
pub(super) fn of_rock(rock: &Rock) -> Material {
    Material::matt(rock.normal, rock.albedo.map(|a| a.clamp(0.0, 0.95)))
}

/// Returns the material of the opaque matter `made`.
pub(super) fn of_solid(made: &solid::Made) -> Material {
    Material {
        coat: made.coat,
        rough: made.rough,
        is_metal: made.is_metal,
        cover: made.cover,
        enters: made.enters,
        ..Material::matt(made.normal, made.albedo.map(|a| a.clamp(0.0, 0.98)))
    }
}
