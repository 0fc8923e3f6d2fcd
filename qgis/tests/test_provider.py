"""The provider with every program that it may find, and the plugin as QGIS installs it."""

import configparser
import re
import subprocess
import unittest
import zipfile

from house import PLUGIN, ROOT, Case, built, use
from lavoxel_processing import program
from qgis.core import QgsApplication, QgsProcessingContext, QgsProcessingException


class Provided(Case):
    def test_algorithms_are_in_the_registry_and_well_formed(self):
        registry = QgsApplication.processingRegistry()
        for name in ("run", "hazard", "compare"):
            algorithm = registry.algorithmById(f"lavoxel:{name}")
            self.assertEqual(algorithm.canExecute(), (True, ""), name)
            self.assertTrue(algorithm.shortHelpString() and algorithm.displayName() and not algorithm.icon().isNull())
            self.assertFalse(algorithm.checkParameterValues({}, QgsProcessingContext())[0], "layers are missing")
            for parameter in algorithm.parameterDefinitions():
                usual = parameter.defaultValue()
                optional = bool(parameter.flags() & parameter.FlagOptional)
                is_layer = parameter.type() in ("raster", "source", "layer", "multilayer") or parameter.isDestination()
                self.assertTrue(
                    optional or is_layer or parameter.checkValueIsAcceptable(usual), f"{name}: {parameter.name()}"
                )
        self.assertEqual(registry.algorithmById("lavoxel:calibrate") is not None, program.has("calibrate"))

    def test_lavas_are_those_of_the_program(self):
        options = QgsApplication.processingRegistry().algorithmById("lavoxel:run").parameterDefinition("LAVA").options()
        said = re.search(r"kelvin: (.*?)\. A bare", " ".join(self.program("run", "--help").split()))[1]
        self.assertEqual(options, re.split(r", | or ", said))
        self.assertEqual(options, list(program.LAVAS), "those that forms show without a program")

    def test_a_missing_wrong_or_old_program_is_named(self):
        gone = self.folder / "gone"
        gone.touch()
        for wish, words in (
            (str(gone), "gone is not found: install Lavoxel, or name its program in Settings"),
            (self.stub("echo lavoxel 0.0.9"), "is version 0.0.9, and the plugin needs 0.1.0 or later"),
            ("/bin/true", "is not the program lavoxel"),
            ("/bin/false", "is not the program lavoxel"),
        ):
            use(wish)
            can, fault = QgsApplication.processingRegistry().algorithmById("lavoxel:run").canExecute()
            self.assertFalse(can)
            self.assertIn(words, fault)
            with self.assertRaisesRegex(QgsProcessingException, words):
                program.found()

    def test_all_algorithms_are_of_one_provider(self):
        use(built())
        self.assertEqual({a.name() for a in PLUGIN.provider.algorithms()} - {"calibrate"}, {"run", "hazard", "compare"})
        self.assertTrue(PLUGIN.provider.svgIconPath() and not PLUGIN.provider.icon().isNull())


class Packaged(Case):
    def test_the_archive_holds_the_plugin_alone(self):
        path = self.folder / "plugin.zip"
        subprocess.run([ROOT / "qgis" / "package.sh", path], check=True, capture_output=True)
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
        sources = {
            p.relative_to(ROOT / "qgis").as_posix()
            for p in (ROOT / "qgis" / "lavoxel_processing").iterdir()
            if p.is_file()
        }
        licences = {f"lavoxel_processing/LICENSE-{name}" for name in ("MIT", "APACHE")}
        self.assertEqual(set(names), sources | licences)

    def test_metadata_goes_with_the_program(self):
        metadata = configparser.ConfigParser()
        metadata.read(ROOT / "qgis" / "lavoxel_processing" / "metadata.txt")
        version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
        self.assertEqual(metadata["general"]["version"], version)
        self.assertEqual(metadata["general"]["hasProcessingProvider"], "yes")

    def test_the_plugin_adds_and_removes_its_provider(self):
        registry = QgsApplication.processingRegistry()
        PLUGIN.unload()
        self.assertIsNone(registry.providerById("lavoxel"))
        PLUGIN.unload()
        PLUGIN.initGui()
        self.assertIsNotNone(registry.algorithmById("lavoxel:run"))


if __name__ == "__main__":
    unittest.main()
