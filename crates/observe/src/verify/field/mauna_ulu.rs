//! Lava channel of Mauna Ulu, June 1974: reads its samples, ground and lava from files.
//!
//! Robert, Harris, Gurioli, Médard, Sehlke and Whittington (2014), *Textural and rheological
//! evolution of basalt flowing down a lava channel*, Bull. Volcanol. 76:824. The lava is that of
//! the input of PyFLOWGO (Chevrel, Labroquère, Harris and Rowland 2018, Comput. Geosci. 111:167).

use std::path::Path;

use serde::Deserialize;

use super::channel::{Channel, ChannelSample, Crystals};
use super::table::columns;
use super::{FieldRun, Files};
use lavoxel_base::validate::{escape_for_terminal, within};
use lavoxel_flow::{Cooling, Lava, Viscosity};
use lavoxel_geo::map::features::read_text;

/// Name of the input file of PyFLOWGO with the parameters of the lava.
pub(super) const INPUT: &str = "input_parameters_MaunaUlu74_this_study.json";
/// Name of the file with the profile of the channel's bed.
const PROFILE: &str = "slope_file_1mLidar.txt";
/// Name of the file with the measured widths of the channel.
const WIDTHS: &str = "field_width_MU74.csv";
/// Name of the file with the measured glass temperatures.
const GLASS: &str = "field_temp_glass_MU74.csv";
/// Name of the file with the measured crystal fractions.
const CRYSTALS: &str = "field_xtals_MU74.csv";

/// Temperature of 0 °C on the absolute scale, in K.
const ICE_K: f64 = 273.15;

/// Width in K of the temperature range below the eruption temperature in which a viscosity law is
/// fitted to the viscosity of melt with crystals; the samples lie in this range.
const RANGE_K: f64 = 30.0;

/// Values that the case uses of the PyFLOWGO input file.
#[derive(Deserialize)]
struct Input {
    effusion_rate_init: f64,
    eruption_condition: Eruption,
    lava_state: State,
    radiation_parameters: Radiation,
    convection_parameters: Convection,
    thermal_parameters: Thermal,
    melt_viscosity_parameters: Melt,
    crystals_parameters: Growth,
}

#[derive(Deserialize)]
struct Eruption {
    eruption_temperature: f64,
}

#[derive(Deserialize)]
struct State {
    crystal_fraction: f64,
    density_dre: f64,
    vesicle_fraction: f64,
    critical_distance: f64,
}

#[derive(Deserialize)]
struct Radiation {
    emissivity_epsilon: f64,
}

#[derive(Deserialize)]
struct Convection {
    wind_speed: f64,
    ch_air: f64,
    air_temperature: f64,
    air_density: f64,
    air_specific_heat_capacity: f64,
}

#[derive(Deserialize)]
struct Thermal {
    crust_cover_fraction: f64,
}

#[derive(Deserialize)]
struct Melt {
    a_vft: f64,
    b_vft: f64,
    c_vft: f64,
}

#[derive(Deserialize)]
struct Growth {
    crystallization_rate_1: f64,
    crystallization_rate_2: f64,
    solid_temperature: f64,
    latent_heat_of_crystallization: f64,
}

impl Input {
    fn read(path: &Path) -> Result<Self, String> {
        let wrong = |fault: String| format!("{}: {fault}", path.display());
        let input: Self = serde_json::from_str(&read_text(path)?)
            .map_err(|error| wrong(escape_for_terminal(&error.to_string())))?;
        input.check().map_err(wrong)?;
        Ok(input)
    }

    fn check(&self) -> Result<(), String> {
        let State {
            crystal_fraction,
            vesicle_fraction,
            critical_distance,
            ..
        } = self.lava_state;
        let growth = &self.crystals_parameters;
        let (vent_k, set_k) = (
            self.eruption_condition.eruption_temperature,
            growth.solid_temperature,
        );
        let bubbles =
            |crystals: f64| within("vesicle_fraction", vesicle_fraction, 0.0, 0.99 - crystals);
        let all = || {
            within("effusion_rate_init", self.effusion_rate_init, 0.1, 10_000.0)?;
            within("crystal_fraction", crystal_fraction, 0.0, 0.9)?;
            within(
                "crystallization_rate_1",
                growth.crystallization_rate_1,
                0.0,
                0.01,
            )?;
            within(
                "crystallization_rate_2",
                growth.crystallization_rate_2,
                0.0,
                1.0,
            )?;
            bubbles(crystal_fraction + RANGE_K * growth.crystallization_rate_1)?;
            within("critical_distance", critical_distance, 0.0, 1e6)?;
            within("solid_temperature", set_k, 500.0, vent_k - RANGE_K)?;
            within(
                "crust_cover_fraction",
                self.thermal_parameters.crust_cover_fraction,
                0.0,
                1.0,
            )?;
            within(
                "c_vft",
                self.melt_viscosity_parameters.c_vft,
                0.0,
                vent_k - RANGE_K - 10.0,
            )
        };
        all()
            .and_then(|()| self.lava().validate("lava"))
            .map_err(|invalid| invalid.to_string())
    }

    /// Returns the viscosity in Pa s of melt with crystals and bubbles at the temperature `kelvin`
    /// (K), by the models `vft` and `ptp2` of PyFLOWGO (Phan-Thien and Pham 1997).
    fn pa_s(&self, kelvin: f64) -> f64 {
        let Melt {
            a_vft,
            b_vft,
            c_vft,
        } = self.melt_viscosity_parameters;
        let bubbles = self.lava_state.vesicle_fraction;
        let crystals = self.lava_state.crystal_fraction
            + self.crystals_parameters.crystallization_rate_1
                * (self.eruption_condition.eruption_temperature - kelvin);
        let power = (5.0 * crystals + 2.0 * bubbles) / (2.0 * (crystals + bubbles).max(1e-9));
        libm::pow(10.0, a_vft + b_vft / (kelvin - c_vft))
            * libm::pow(1.0 - crystals - bubbles, -power)
    }

    /// Returns a Vogel–Fulcher–Tammann law of the viscosity that equals `pa_s` at both ends of the
    /// range of `RANGE_K` below the eruption temperature.
    fn viscosity(&self) -> Viscosity {
        let (vent_k, c) = (
            self.eruption_condition.eruption_temperature,
            self.melt_viscosity_parameters.c_vft,
        );
        let part = |kelvin: f64| (libm::log10(self.pa_s(kelvin)), 1.0 / (kelvin - c));
        let ((hot, by_hot), (cold, by_cold)) = (part(vent_k), part(vent_k - RANGE_K));
        let b = (cold - hot) / (by_cold - by_hot);
        Viscosity::Vft {
            a: hot - b * by_hot,
            b,
            c,
            least_pa_s: 1.0,
            most_pa_s: 1e9,
        }
    }

    /// Converts the lava of the PyFLOWGO file to parameters of the flow model. Parameters that the
    /// file lacks, such as heat capacity and conductivities, keep their defaults; a crust is torn
    /// after 2200 m of flow.
    fn lava(&self) -> Lava {
        let (vent_k, growth) = (
            self.eruption_condition.eruption_temperature,
            &self.crystals_parameters,
        );
        let air = &self.convection_parameters;
        let grown = growth.crystallization_rate_1 * (vent_k - growth.solid_temperature);
        Lava {
            density_kg_m3: self.lava_state.density_dre * (1.0 - self.lava_state.vesicle_fraction),
            viscosity: self.viscosity(),
            yield_pa: 0.0,
            yield_factor: 0.0,
            vent_k,
            solidus_k: growth.solid_temperature,
            ambient_k: air.air_temperature,
            latent_heat: growth.latent_heat_of_crystallization * grown,
            cooling: Cooling::Skin {
                tear_m: 2200.0,
                exposed: 1.0 - self.thermal_parameters.crust_cover_fraction,
            },
            emissivity: self.radiation_parameters.emissivity_epsilon,
            convection: air.wind_speed
                * air.ch_air
                * air.air_density
                * air.air_specific_heat_capacity,
            bed_conduction: 1.0,
            ..Lava::default()
        }
    }
}

/// Reads the files of the channel and returns the function that simulates the case.
pub(super) fn read(files: &Files) -> Result<FieldRun, String> {
    let channel = channel(files)?;
    Ok(Box::new(move || channel.run()))
}

fn channel(files: &Files) -> Result<Channel, String> {
    let input = Input::read(&files.path(INPUT)?)?;
    let (profile, widths) = (files.path(PROFILE)?, files.path(WIDTHS)?);
    let bed = columns(&profile, ["distance", "Z"])?;
    let wide = columns(&widths, ["Measured Width (m)"])?;
    let width_m = wide.iter().map(|[width]| width).sum::<f64>() / wide.len() as f64;
    if !(1.0..=100.0).contains(&width_m) {
        return Err(format!(
            "{}: its mean width is {width_m} m: must be 1 to 100",
            widths.display()
        ));
    }
    let samples = |name: &str, names: [&str; 2]| -> Result<Vec<ChannelSample>, String> {
        let path = files.path(name)?;
        let rows = columns(&path, names)?;
        let mut samples: Vec<ChannelSample> = rows
            .into_iter()
            .map(|[at_m, value]| ChannelSample { at_m, value })
            .collect();
        samples.sort_by(|a, b| a.at_m.total_cmp(&b.at_m));
        // A cooling rate with a standard error needs three places at least.
        let few = || format!("{}: has samples of fewer than three places", path.display());
        samples
            .chunk_by(|a, b| a.at_m == b.at_m)
            .nth(2)
            .map(|_| samples.clone())
            .ok_or_else(few)
    };
    let glass = samples(
        GLASS,
        ["Distance_surge (m)", "Temperature_surge C (glass method)"],
    )?;
    let glass = glass
        .into_iter()
        .map(|sample| ChannelSample {
            value: sample.value + ICE_K,
            ..sample
        })
        .collect();
    let State {
        crystal_fraction,
        critical_distance,
        ..
    } = input.lava_state;
    let growth = &input.crystals_parameters;
    let channel = Channel {
        lava: input.lava(),
        rate_m3_s: input.effusion_rate_init,
        bed,
        width_m,
        glass,
        crystals: samples(CRYSTALS, ["Distance_surge (m)", "Xstals_surge"])?,
        law: Crystals {
            first: crystal_fraction,
            growth: [growth.crystallization_rate_1, growth.crystallization_rate_2],
            change_m: critical_distance,
        },
    };
    channel
        .check()
        .map_err(|fault| format!("{}: {fault}", profile.display()))?;
    Ok(channel)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{ "lava_name": "made up", "effusion_rate_init": 20,
        "eruption_condition": { "eruption_temperature": 1438.15, "viscosity_eruption": 1000.0 },
        "lava_state": { "crystal_fraction": 0.1097, "density_dre": 2900.0, "vesicle_fraction": 0.4866, "critical_distance": 300 },
        "radiation_parameters": { "emissivity_epsilon": 0.98 },
        "convection_parameters": { "wind_speed": 5.0, "ch_air": 0.0036, "air_temperature": 293.15, "air_density": 0.4412,
            "air_specific_heat_capacity": 1099.0 },
        "thermal_parameters": { "crust_cover_fraction": 0.5 },
        "melt_viscosity_parameters": { "a_vft": -4.7, "b_vft": 5429.7, "c_vft": 595.5 },
        "crystals_parameters": { "crystallization_rate_1": 0.0038, "crystallization_rate_2": 0.0144, "solid_temperature": 1268.15,
            "latent_heat_of_crystallization": 350000.0 } }"#;

    /// Creates a folder with small files in the form of the field data: a channel of 600 m with a
    /// slope of one tenth. The folder is deleted when the first value is dropped.
    fn place() -> (tempfile::TempDir, Files) {
        let place = tempfile::tempdir().expect("a folder");
        let write =
            |name: &str, text: &str| std::fs::write(place.path().join(name), text).expect("a file");
        write(INPUT, JSON);
        let rows: String = (0..61)
            .map(|i| format!("1\t2\t{}\t{}\t5.7\n", 100 - i, 10 * i))
            .collect();
        write(PROFILE, &format!("X\tY\tZ\tdistance\tslope\n{rows}"));
        write(WIDTHS, "Distance (m),Measured Width (m)\r100,9\r200,11");
        write(
            GLASS,
            "Distance_pond (m);Temperature_pond C (glass method);Error_T_pond;Distance_surge (m);Temperature_surge C (glass method);\
             Error_T_surge\r\n5;1144;1;100;1164;1\r\n5;1144;1;300;1163;1\r\n5;1144;1;500;1162;1\r\n",
        );
        write(
            CRYSTALS,
            "Distance_pond (m);Xstals_pond;Distance_surge (m);Xstals_surge;Error\r\n1;0.2;100;0.11;0.02\r\n1;0.2;300;0.12;0.02\r\n\
             1;0.2;500;0.13;0.02\r\n",
        );
        let files = Files {
            folder: place.path().to_owned(),
        };
        (place, files)
    }

    #[test]
    fn files_become_a_channel_with_the_lava_of_the_input() {
        let (_place, files) = place();
        let channel = channel(&files).expect("a channel");
        assert_eq!(
            (channel.width_m, channel.rate_m3_s, channel.bed.len()),
            (10.0, 20.0, 61)
        );
        assert_eq!(
            (channel.glass[2].at_m, channel.glass[2].value),
            (500.0, 1162.0 + ICE_K)
        );
        // First line of PyFLOWGO's results for this lava.
        let [hot, cold] = [1438.15, 1408.15].map(|kelvin| channel.lava.viscosity_pa_s(kelvin));
        assert!((hot - 176.299).abs() < 0.01, "{hot} Pa s");
        assert!(cold > 2.0 * hot && cold < 10.0 * hot, "{cold} Pa s");
        assert!((channel.lava.density_kg_m3 - 1488.86).abs() < 1e-9);
        let measured = channel.run();
        assert_eq!(measured.flow.check(), Ok(()));
        assert_eq!(measured.rows.len(), 1 + 3 + 3);
        // Half of the surface alone loses 0.5 (ε σ T⁴ + h ΔT) W/(ρ Q c) with latent heat in c;
        // crust and bed lose more.
        let half = 0.5 * (0.98 * 5.67e-8 * 1438.15_f64.powi(4) + 8.73 * 1145.0) * 10.0;
        let least = 1000.0 * half / (20.0 * channel.lava.heat_per_m3());
        let cooled = measured.rows[0].value;
        assert!(
            cooled > least && cooled < 1.3 * least,
            "{cooled} for {least} K/km"
        );
        let falls = measured.rows[1..4]
            .windows(2)
            .all(|two| two[1].value < two[0].value);
        assert!(
            falls && measured.rows[1].value < 1165.0,
            "{:?}",
            measured.rows
        );
    }

    #[test]
    fn a_wrong_file_is_named() {
        let (place, files) = place();
        let fault = |name: &str, text: &str| {
            let path = place.path().join(name);
            let before = std::fs::read(&path).expect("a file");
            std::fs::write(&path, text).expect("a file");
            let fault = channel(&files).err().unwrap_or_default();
            std::fs::write(&path, before).expect("a file");
            assert!(fault.contains(name), "{fault}");
            fault
        };
        assert!(fault(INPUT, "{}").contains("missing field `effusion_rate_init`"));
        let hot = JSON.replace("0.4866", "0.9");
        assert!(fault(INPUT, &hot).contains("vesicle_fraction = 0.9: must be a number from 0 to"));
        assert!(
            fault(INPUT, &JSON.replace("0.98", "9.8")).contains("lava.emissivity = 9.8: must be")
        );
        assert!(
            fault(WIDTHS, "Distance (m),Measured Width (m)\r1,500")
                .contains("its mean width is 500 m")
        );
        assert!(fault(PROFILE, "Z\tdistance\n1\t0\n2\t0\n").contains("distances must grow"));
        assert!(
            fault(GLASS, "Distance_surge (m);Error\n1;2\n")
                .contains("no column \"Temperature_surge C (glass method)\"")
        );
        assert!(
            fault(CRYSTALS, "Distance_surge (m);Xstals_surge\n1;2\n")
                .contains("fewer than three places")
        );
        std::fs::remove_file(place.path().join(CRYSTALS)).expect("a file");
        assert!(
            channel(&files)
                .err()
                .unwrap_or_default()
                .ends_with("field_xtals_MU74.csv: no such file")
        );
    }
}
