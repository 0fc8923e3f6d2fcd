"""An eruption from QGIS is that of the command line, wherever its layers come from."""

import shlex
import threading
import unittest

from house import DEM, PLACE, Case, built, crs, digest, layer, read, use
from osgeo import gdal
from qgis.core import (
    QgsCoordinateTransform,
    QgsPointXY,
    QgsProcessingException,
    QgsProcessingOutputLayerDefinition,
    QgsProject,
    QgsRasterLayer,
    QgsSingleBandPseudoColorRenderer,
    QgsVectorLayer,
)

X, Y = PLACE
SMALL = {"DEM": str(DEM), "LAVA": "etna-basalt", "DURATION": "20min", "CELL_SIZE": 20.0}
NZMG = "EPSG:27200"


def vent(*features, kind="Point", system=NZMG):
    return layer(kind, system, *(features or [(f"POINT({X} {Y})", {"rate": 5.0})]), name="vents")


class Maps(Case):
    def path(self, name):
        return str(self.folder / name)

    def test_rasters_have_the_bytes_of_the_command_line(self):
        names = {"THICKNESS": "thickness", "ARRIVAL": "arrival", "TEMPERATURE": "temperature", "MAX_SPEED": "max-speed"}
        extent = "2667500,2667900,6479000,6479400 [EPSG:27200]"
        outputs = {output: self.path(f"{name}.tif") for output, name in names.items()}
        done = self.run_algorithm("run", **SMALL, VENTS=vent(), RATE_FIELD="rate", EXTENT=extent, **outputs)
        words = [
            "run",
            DEM,
            "--lava",
            "etna-basalt",
            "--vent",
            f"map:{X},{Y}@5m3/s",
            "--duration",
            "20min",
            "--voxel-size",
            "20",
        ]
        words += ["--bounds", "2667500,6479000,2667900,6479400"]
        for name in names.values():
            words += ["--map", f"{name}=by_hand_{name}.tif"]
        self.program(*words)
        for output, name in names.items():
            self.assertEqual(digest(done[output]), digest(self.folder / f"by_hand_{name}.tif"), name)
        self.assertEqual(done["VOLUME_M3"], 6000.0)

    def test_the_log_has_command_report_and_warnings(self):
        done = self.run_algorithm(
            "run", **SMALL, VENTS=vent(), RATE=5.0, REPORT=self.path("report.json"), ARRIVAL=self.path("a.tif")
        )
        self.assertEqual(len(self.feedback.commands), 1)
        self.assertIn(f"--vent map:{X:.0f},{Y:.0f}@5m3/s", self.feedback.commands[0])
        self.assertTrue(any('"poured_m3": 6000.0' in line for line in self.feedback.lines))
        self.assertTrue(any("cells wide" in line for line in self.feedback.warnings), self.feedback.warnings)
        self.assertEqual(read(done["REPORT"])["flow"]["area_m2"], done["AREA_M2"])
        again = shlex.split(self.feedback.commands[0])
        self.assertEqual(again[0], built())
        before = digest(done["ARRIVAL"])
        self.program(*again[1:])
        self.assertEqual(digest(done["ARRIVAL"]), before, "the command of the log does it again")

    def test_a_scene_is_the_flow_of_the_flags(self):
        rates = self.folder / "rates.csv"
        rates.write_text("time_s,rate_m3_s\n0,5\n")
        flags = self.run_algorithm("run", **SMALL, VENTS=vent(), RATE=5.0, SEED=7, THICKNESS=self.path("flags.tif"))
        scene = self.run_algorithm(
            "run", **SMALL, VENTS=vent(), RATES=str(rates), SEED=7, THICKNESS=self.path("scene.tif")
        )
        self.assertIn(".toml", self.feedback.commands[-1])
        self.assertEqual(digest(flags["THICKNESS"]), digest(scene["THICKNESS"]))
        line = f"LINESTRING({X} {Y},{X + 40} {Y + 40},{X + 40} {Y + 90})"
        bent = self.run_algorithm(
            "run", **SMALL, VENTS=vent((line, {"rate": 8.0}), kind="LineString"), RATE_FIELD="rate", FLAGS="--threads 1"
        )
        self.assertAlmostEqual(bent["VOLUME_M3"], 9600.0, places=2)
        summit = self.run_algorithm("run", **SMALL, RATES=str(rates))
        self.assertEqual(summit["VOLUME_M3"], 6000.0)

    def test_fissures_of_two_points_are_flags(self):
        line = vent(
            (f"LINESTRING({X} {Y},{X + 40} {Y + 40})", {"rate": 8.0}),
            (f"LINESTRING({X} {Y},{X} {Y - 60})", {"rate": None}),
            kind="LineString",
        )
        done = self.run_algorithm("run", **SMALL, VENTS=line, RATE_FIELD="rate", RATE=2.0)
        self.assertAlmostEqual(done["VOLUME_M3"], 12000.0, places=2)
        self.assertIn(f"map:{X:.0f},{Y:.0f}..{X:.0f},{Y - 60:.0f}@2m3/s", self.feedback.commands[0])

    def test_barriers_and_exposure_come_back_as_layers(self):
        dam = layer(
            "LineString", NZMG, (f"LINESTRING({X - 80} {Y + 60},{X + 80} {Y + 60})", {"crest": 8.0, "call": "dam"})
        )
        huts = layer(
            "Point",
            "EPSG:4326",
            (self.degrees(X, Y), {"name": "hut"}),
            (self.degrees(X + 200, Y - 300), {"name": "far"}),
            name="Huts & co",
        )
        roads = layer("LineString", NZMG, (f"LINESTRING({X - 50} {Y},{X + 50} {Y})", {"name": "road"}), name="roads")
        done = self.run_algorithm(
            "run",
            **SMALL,
            VENTS=vent(),
            RATE=5.0,
            BARRIERS=dam,
            BARRIER_HEIGHT="crest",
            BARRIER_NAME="call",
            EXPOSURE=[huts, roads],
            EXPOSED=self.path("exposed"),
            BARRIER_TABLE=self.path("dams.geojson"),
            FOOTPRINT=self.path("area.gpkg"),
            CONTOURS=self.path("lines.gpkg"),
        )
        self.assertEqual(
            [path.rsplit("/", 1)[1] for path in done["EXPOSED_LAYERS"]],
            ["exposure_Huts_co.geojson", "exposure_roads.geojson"],
        )
        reached = {f["name"]: f["reached"] for f in QgsVectorLayer(done["EXPOSED_LAYERS"][0]).getFeatures()}
        self.assertEqual(reached, {"hut": "yes", "far": "no"})
        table = read(done["BARRIER_TABLE"])["features"]
        self.assertEqual(table[0]["properties"]["name"], "dam")
        for path in (done["FOOTPRINT"], done["CONTOURS"], *done["EXPOSED_LAYERS"], done["BARRIER_TABLE"]):
            made = QgsVectorLayer(path)
            self.assertTrue(made.isValid() and made.featureCount() > 0, path)
            self.assertEqual(self.context.willLoadLayerOnCompletion(path), "exposure" in path or "dams" in path)

    def test_maps_are_loaded_with_the_style_beside_them(self):
        path = self.path("thickness.tif")
        self.run_algorithm(
            "run", **SMALL, VENTS=vent(), THICKNESS=QgsProcessingOutputLayerDefinition(path, QgsProject.instance())
        )
        details = self.context.layerToLoadOnCompletionDetails(path)
        options = QgsRasterLayer.LayerOptions()
        options.loadDefaultStyle = False
        loaded = QgsRasterLayer(path, "thickness", "gdal", options)
        self.assertNotIsInstance(loaded.renderer(), QgsSingleBandPseudoColorRenderer)
        details.postProcessor().postProcessLayer(loaded, self.context, self.feedback)
        self.assertIsInstance(loaded.renderer(), QgsSingleBandPseudoColorRenderer)
        self.assertEqual(loaded.crs().authid(), NZMG)

    def degrees(self, x, y):
        point = QgsCoordinateTransform(crs(27200), crs(4326), QgsProject.instance()).transform(QgsPointXY(x, y))
        return f"POINT({point.x()!r} {point.y()!r})"


class Systems(Case):
    def utm(self, **options):
        """The mountain as if it lay in UTM zone 60 south."""
        path = str(self.folder / "utm.tif")
        gdal.Translate(
            path, str(DEM), outputBounds=(300000, 5920870, 300610, 5920000), **{"outputSRS": "EPSG:32760", **options}
        )
        return path

    def to_degrees(self, x, y):
        return QgsCoordinateTransform(crs(32760), crs(4326), QgsProject.instance()).transform(QgsPointXY(x, y))

    def test_vents_in_degrees_are_brought_to_utm(self):
        point = self.to_degrees(300335.0, 5920425.0)
        vents = vent((f"POINT({point.x()!r} {point.y()!r})", {"rate": 5.0}), system="EPSG:4326")
        degrees = self.run_algorithm(
            "run", **{**SMALL, "DEM": self.utm()}, VENTS=vents, THICKNESS=str(self.folder / "a.tif")
        )
        words = shlex.split(self.feedback.commands[0])
        x, y = map(float, words[words.index("--vent") + 1][4:].split("@")[0].split(","))
        self.assertAlmostEqual(x, 300335.0, places=3)
        self.assertAlmostEqual(y, 5920425.0, places=3)
        metres = vent(("POINT(300335 5920425)", {"rate": 5.0}), system="EPSG:32760")
        utm = self.run_algorithm(
            "run", **{**SMALL, "DEM": self.utm()}, VENTS=metres, THICKNESS=str(self.folder / "b.tif")
        )
        self.assertEqual(digest(degrees["THICKNESS"]), digest(utm["THICKNESS"]))

    def test_a_system_that_only_the_layer_says_goes_with_the_file(self):
        bare = self.folder / "bare.asc"
        bare.write_text(DEM.read_text())
        dem = QgsRasterLayer(str(bare), "bare")
        dem.setCrs(crs(27200))
        done = self.run_algorithm("run", **{**SMALL, "DEM": dem}, VENTS=vent(), THICKNESS=str(self.folder / "a.tif"))
        self.assertIn("--crs EPSG:27200", self.feedback.commands[0])
        self.assertEqual(QgsRasterLayer(done["THICKNESS"]).crs().authid(), NZMG)

    def test_degrees_and_systems_without_a_number_do(self):
        laea = "+proj=laea +lat_0=-36.88 +lon_0=174.76 +ellps=GRS80 +units=m"
        spot = f"POINT({X} {Y})"
        for name, system in (("degrees", "EPSG:4326"), ("laea", laea)):
            path = str(self.folder / f"{name}.tif")
            gdal.Warp(path, str(DEM), dstSRS=system, dstNodata=-9999)
            exposure = layer("Point", NZMG, (spot, {"name": "hut"}), name="hut")
            given = {**SMALL, "DEM": path, "VENTS": vent(), "RATE": 5.0, "EXPOSURE": [exposure]}
            done = self.run_algorithm("run", **given, EXPOSED=str(self.folder / name))
            reached = [f["reached"] for f in QgsVectorLayer(done["EXPOSED_LAYERS"][0]).getFeatures()]
            self.assertEqual(reached, ["yes"], name)

    def test_other_rasters_are_copied(self):
        source = self.utm()
        virtual = str(self.folder / "two.vrt")
        gdal.BuildVRT(virtual, [source, source], separate=True)
        self.run_algorithm(
            "run",
            **{**SMALL, "DEM": virtual},
            VENTS=vent(("POINT(300335 5920425)", {"rate": 5.0}), system="EPSG:32760"),
        )
        self.assertNotIn(".vrt", self.feedback.commands[0])


class Faults(Case):
    def fault(self, name="run", **parameters):
        with self.assertRaises(QgsProcessingException) as raised:
            self.run_algorithm(name, **parameters)
        return str(raised.exception)

    def test_the_words_of_the_program_are_raised(self):
        away = vent(("POINT(0 0)", {"rate": 5.0}))
        self.assertEqual(
            self.fault(**SMALL, VENTS=away, RATE=5.0),
            "lavoxel: --vent map:0,0@5m3/s: must be within the box: x 2667405 to 2668005, y 6478705 to 6479565",
        )
        self.assertRegex(self.fault(**{**SMALL, "DURATION": "soon"}), r"^(lavoxel|error): .*soon")
        self.assertIn("--nonsense", self.fault(**SMALL, FLAGS="--nonsense"))
        self.assertIn("Further flags", self.fault(**SMALL, FLAGS='"'))

    def test_layers_that_are_no_vents_are_refused(self):
        parts = layer("MultiPoint", NZMG, (f"MULTIPOINT({X} {Y},{X + 20} {Y})", {"rate": 5.0}))
        self.assertIn("Multipart to singleparts", self.fault(**SMALL, VENTS=parts))
        two = vent((f"POINT({X} {Y})", {"rate": 5.0}), (f"POINT({X + 20} {Y})", {"rate": 5.0}))
        rates = self.folder / "rates.csv"
        rates.write_text("time_s,rate_m3_s\n0,5\n")
        self.assertIn("the layer has 2", self.fault(**SMALL, VENTS=two, RATES=str(rates)))

    def test_a_cancelled_run_ends_the_program(self):
        threading.Timer(1.0, self.feedback.cancel).start()
        path = self.folder / "thickness.tif"
        done = self.run_algorithm(
            "run", **{**SMALL, "CELL_SIZE": 2.0, "DURATION": "30d"}, VENTS=vent(), THICKNESS=str(path)
        )
        self.assertNotIn("VOLUME_M3", done)

    def test_progress_comes_from_the_lines_of_the_program(self):
        says = 'echo "step 1 of 4, 10 s so far" >&2; echo "lavoxel: enough" >&2; exit 2'
        use(self.stub(f'if [ "$1" = --version ]; then echo lavoxel 9.0.0; exit; fi; {says}'))
        self.assertEqual(self.fault(**SMALL), "lavoxel: enough")
        self.assertEqual(self.feedback.progress(), 25.0)


if __name__ == "__main__":
    unittest.main()
