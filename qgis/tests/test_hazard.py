"""Hazard maps, footprints side by side and calibration from QGIS."""

import json
import shlex
import unittest
from pathlib import Path

from house import DEM, PLACE, VENTS, Case, crs, digest, layer, use
from qgis.core import (
    QgsProcessingException,
    QgsRasterLayer,
    QgsSingleBandPseudoColorRenderer,
    QgsSingleSymbolRenderer,
    QgsVectorLayer,
)

X, Y = PLACE
SMALL = {
    "DEM": str(DEM),
    "LAVA": "etna-basalt",
    "CELL_SIZE": 20.0,
    "RATES": "log-uniform:1,8",
    "VOLUMES": "2000",
    "DURATION": "1h",
    "RUNS": 3,
}


class Hazard(Case):
    def test_all_layers_of_three_runs_are_valid_and_styled(self):
        done = self.run_algorithm(
            "hazard", **SMALL, VENTS=str(VENTS), BEFORE="10min", EXPOSURE=[str(VENTS)], OUTPUT=str(self.folder / "maps")
        )
        names = {Path(path).name for path in done["LAYERS"]}
        quantiles = {f"{kind}_q{q}.tif" for kind in ("arrival", "thickness") for q in (10, 50, 90)}
        usual = {
            "probability.tif",
            "probability.gpkg",
            "probability_10min.tif",
            "thickness_max.tif",
            "exposure_hazard_vents.geojson",
        }
        self.assertEqual(names, usual | quantiles)
        titles = set()
        for path in done["LAYERS"]:
            details = self.context.layerToLoadOnCompletionDetails(path)
            titles.add(details.name)
            loaded = QgsRasterLayer(path) if path.endswith(".tif") else QgsVectorLayer(path)
            self.assertTrue(loaded.isValid(), path)
            before = type(loaded.renderer())
            details.postProcessor().postProcessLayer(loaded, self.context, self.feedback)
            if path.endswith(".tif"):
                self.assertIsInstance(loaded.renderer(), QgsSingleBandPseudoColorRenderer, path)
            elif path.endswith(".gpkg"):
                self.assertTrue(loaded.labelsEnabled())
                self.assertIsInstance(loaded.renderer(), QgsSingleSymbolRenderer)
            else:
                self.assertIsNot(type(loaded.renderer()), before)
        self.assertIn("Arrival in hours, quantile 0.50", titles)
        self.assertEqual(len(titles), len(done["LAYERS"]), titles)
        self.assertEqual(done["PROBABILITY"], str(self.folder / "maps" / "probability.tif"))
        self.assertGreater(done["AREA_M2"], 0)
        self.program(
            *(
                "hazard",
                DEM,
                "--vent-area",
                VENTS,
                "--rates",
                "log-uniform:1,8",
                "--volumes",
                "2000",
                "--duration",
                "1h",
                "--runs",
                "3",
            ),
            *("--voxel-size", "20", "--before", "10min", "--out", "by_hand"),
        )
        self.assertEqual(digest(done["PROBABILITY"]), digest(self.folder / "by_hand" / "probability.tif"))

    def test_more_runs_go_on_in_the_folder_and_another_plan_is_refused(self):
        vents = layer(
            "Polygon", "EPSG:27200", (f"POLYGON(({X} {Y},{X + 60} {Y},{X + 60} {Y + 60},{X} {Y}))", {"w": 2.0})
        )
        folder = str(self.folder / "maps")
        self.run_algorithm("hazard", **SMALL, VENTS=vents, WEIGHT="w", OUTPUT=folder)
        self.run_algorithm("hazard", **{**SMALL, "RUNS": 4}, VENTS=vents, WEIGHT="w", OUTPUT=folder)
        self.assertTrue(any('"made": 1' in line for line in self.feedback.lines), self.feedback.lines)
        with self.assertRaisesRegex(QgsProcessingException, "^lavoxel: .*--force"):
            self.run_algorithm("hazard", **{**SMALL, "VOLUMES": "3000"}, VENTS=vents, WEIGHT="w", OUTPUT=folder)
        self.run_algorithm("hazard", **{**SMALL, "VOLUMES": "3000"}, VENTS=vents, WEIGHT="w", FORCE=True, OUTPUT=folder)

    def test_a_law_of_durations_takes_the_place_of_volumes(self):
        self.run_algorithm(
            "hazard", **SMALL, VENTS=str(VENTS), DURATIONS="list:5min,10min", OUTPUT=str(self.folder / "maps")
        )
        self.assertNotIn("--volumes", self.feedback.commands[0])
        with self.assertRaisesRegex(QgsProcessingException, "^lavoxel: .*lots"):
            self.run_algorithm(
                "hazard", **{**SMALL, "RATES": "lots"}, VENTS=str(VENTS), OUTPUT=str(self.folder / "other")
            )


class Compare(Case):
    def test_measures_are_those_of_the_program(self):
        words = ["run", DEM, "--lava", "etna-basalt", "--voxel-size", "20", "--vent", f"map:{X},{Y}@5m3/s"]
        self.program(*words, "--duration", "10min", "--map", "thickness=a.tif")
        self.program(*words, "--duration", "20min", "--map", "footprint=b.geojson")
        done = self.run_algorithm(
            "compare", A=str(self.folder / "a.tif"), B=str(self.folder / "b.geojson"), FROM=f"{X},{Y} [EPSG:27200]"
        )
        said = json.loads(self.program("compare", "a.tif", "b.geojson", "--from", f"{X},{Y}", "--json"))
        self.assertEqual(done["FIT"], said["fit"])
        self.assertEqual(done["JACCARD"], said["jaccard"])
        self.assertEqual((done["PRECISION"], done["RECALL"]), (said["precision"], said["recall"]))
        self.assertEqual((done["AREA_A_M2"], done["AREA_B_M2"]), (said["a"]["area_m2"], said["b"]["area_m2"]))
        self.assertEqual(done["LENGTH_DIFFERENCE_M"], said["length_difference_m"])
        self.assertEqual(done["FRONT_DIFFERENCE_M"], said["front_difference_m"])
        self.assertTrue(0 < done["FIT"] < 1)

    def test_polygons_come_to_the_system_that_only_a_raster_layer_has(self):
        words = ["run", DEM, "--lava", "etna-basalt", "--voxel-size", "20", "--vent", f"map:{X},{Y}@5m3/s"]
        self.program(*words, "--duration", "10min", "--map", "thickness=a.asc", "--map", "footprint=b.geojson")
        (self.folder / "a.prj").unlink()
        raster = QgsRasterLayer(str(self.folder / "a.asc"), "a")
        raster.setCrs(crs(27200))
        for pair in ({"A": raster, "B": "b.geojson"}, {"A": "b.geojson", "B": raster}):
            pair = {k: str(self.folder / v) if isinstance(v, str) else v for k, v in pair.items()}
            self.assertEqual(self.run_algorithm("compare", **pair)["FIT"], 1.0)

    def test_polygons_beside_polygons_and_wrong_files(self):
        square = f"POLYGON(({X} {Y},{X + 60} {Y},{X + 60} {Y + 60},{X} {Y + 60},{X} {Y}))"
        one, other = (layer("Polygon", "EPSG:27200", (square, {"a": 1.0}), name=name) for name in "ab")
        self.assertEqual(self.run_algorithm("compare", A=one, B=other, CELL_SIZE=5.0)["FIT"], 1.0)
        with self.assertRaisesRegex(QgsProcessingException, "^lavoxel: "):
            self.run_algorithm("compare", A=one, B=other, UNTIL="6h")
        with self.assertRaisesRegex(QgsProcessingException, "has no feature"):
            empty = QgsVectorLayer("Polygon?crs=EPSG:27200", "empty", "memory")
            self.run_algorithm("compare", A=one, B=empty)


class Calibrate(Case):
    def test_it_is_there_where_the_program_has_it(self):
        lists = f'for w in "$@"; do echo "$w" >> {self.folder}/words; done'
        use(self.stub(f'case "$1" in --version) echo lavoxel 9.0.0;; scene) exit 1;; calibrate) {lists};; esac'))
        observed = layer(
            "Polygon", "EPSG:27200", (f"POLYGON(({X} {Y},{X + 60} {Y},{X + 60} {Y + 60},{X} {Y}))", {"a": 1.0})
        )
        (self.folder / "words").unlink(missing_ok=True)
        self.run_algorithm(
            "calibrate",
            DEM=str(DEM),
            LAVA="kilauea",
            OBSERVED=observed,
            VARY="yield_pa=1..5\nvent_k=1300..1400",
            RUNS=9,
            SEED=3,
            DURATION="2h",
            OUTPUT=str(self.folder / "out"),
        )
        words = shlex.split((self.folder / "words").read_text())
        self.assertEqual(words[:2], ["calibrate", str(DEM)])
        for flag, value in (
            ("--runs", "9"),
            ("--seed", "3"),
            ("--duration", "2h"),
            ("--out", str(self.folder / "out")),
            ("--lava", "kilauea"),
        ):
            self.assertEqual(words[words.index(flag) + 1], value)
        self.assertEqual(
            [words[i + 1] for i, word in enumerate(words) if word == "--vary"], ["yield_pa=1..5", "vent_k=1300..1400"]
        )


if __name__ == "__main__":
    unittest.main()
