//! Colour of inks that mix in the air.
//!
//! Inks filter light as pigments do (Kubelka and Munk 1931). A colour R has the ratio q = (1 − R)²
//! / 2R of absorption to scattering. The ratio of a mixture is the mean of the ratios of its inks
//! by mass, and the colour of the mixture is 1 + q − √(q² + 2q). Yellow and blue make green.

use lavoxel_base::parallel::*;

/// Minimum of each linear RGB channel of an ink's colour; an ink that absorbs a channel fully would
/// make every mixture black.
const DARKEST: f32 = 0.02;

/// Returns the colour of the inks in each air cell as bytes in which 255 means 1: square roots of
/// the mixture's linear red, green and blue, and the inks' fraction of the mass of ash and inks.
/// `inks`: mass fractions of the four inks per cell, 255 for 1; `colors`: linear RGB of the four
/// inks.
pub(super) fn tints(inks: &[[u8; 4]], colors: [[f32; 3]; 4]) -> Vec<[u8; 4]> {
    let ratios = colors.map(|color| color.map(ratio));
    inks.par_iter()
        .map(|shares| tint(*shares, &ratios))
        .collect()
}

/// Returns the ratio of absorption to scattering (Kubelka and Munk) of a colour whose channel has
/// the linear value `color`.
fn ratio(color: f32) -> f32 {
    let color = color.clamp(DARKEST, 1.0);
    (1.0 - color) * (1.0 - color) / (2.0 * color)
}

fn tint(shares: [u8; 4], ratios: &[[f32; 3]; 4]) -> [u8; 4] {
    let sum: u32 = shares.iter().map(|&share| u32::from(share)).sum();
    if sum == 0 {
        return [255, 255, 255, 0];
    }
    let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    let root = |channel: usize| {
        let mean = shares
            .iter()
            .zip(ratios)
            .map(|(&share, ratio)| f32::from(share) * ratio[channel])
            .sum::<f32>();
        let q = mean / sum as f32;
        byte((1.0 + q - (q * q + 2.0 * q).sqrt()).max(0.0).sqrt())
    };
    [root(0), root(1), root(2), sum.min(255) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::view::AirLook;

    #[test]
    fn yellow_and_blue_ink_make_green() {
        let colors = AirLook::default().ink_colors();
        let tints = tints(
            &[
                [0, 0, 255, 0],
                [0, 255, 0, 0],
                [0, 127, 128, 0],
                [0, 60, 0, 0],
                [0; 4],
            ],
            colors,
        );
        for (tint, color) in tints.iter().zip([colors[2], colors[1]]) {
            let found = [0, 1, 2].map(|channel| (f32::from(tint[channel]) / 255.0).powi(2));
            let near = found
                .iter()
                .zip(color)
                .all(|(found, color)| (found - color.max(DARKEST)).abs() < 0.01);
            assert!(
                near && tint[3] == 255,
                "{found:?} of {color:?}: an ink alone has its own colour"
            );
        }
        let [red, green, blue, share] = tints[2];
        assert!(
            green > red + 20 && green > blue + 20 && share == 255,
            "{:?}",
            tints[2]
        );
        assert_eq!(
            tints[3],
            [tints[1][0], tints[1][1], tints[1][2], 60],
            "less of it in as much ash"
        );
        assert_eq!(tints[4][3], 0);
    }
}
