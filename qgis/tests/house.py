"""QGIS without a window, the provider in its registry, and small layers; shared by all tests."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEM = ROOT / "terrains" / "maunga_whau.asc"
VENTS = ROOT / "terrains" / "hazard_vents.geojson"
PLACE = (2667735.0, 6479125.0)


def missing(what: str):
    """Skips the tests, or fails them where none may be skipped."""
    if os.environ.get("LAVOXEL_SKIP") == "never":
        raise RuntimeError(what)
    raise unittest.SkipTest(what)


def built() -> str:
    """Path of the program."""
    files = [ROOT / "target" / kind / "lavoxel" for kind in ("debug", "release")]
    return next((str(file) for file in files if file.exists()), None) or missing(
        "the program is not built: cargo build"
    )


os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Settings of tests are not those of a person.
HOME = tempfile.TemporaryDirectory()
atexit.register(HOME.cleanup)
os.environ["QGIS_CUSTOM_CONFIG_PATH"] = HOME.name
sys.path[:0] = [str(ROOT / "qgis"), "/usr/share/qgis/python/plugins"]
try:
    from osgeo import gdal
    from qgis.core import (
        QgsApplication,
        QgsCoordinateReferenceSystem,
        QgsFeature,
        QgsGeometry,
        QgsProcessingContext,
        QgsProcessingFeedback,
        QgsProject,
        QgsVectorLayer,
    )
except ImportError:
    missing("QGIS is not installed: apt-get install --no-install-recommends python3-qgis qgis-providers")

# Rasters get no files of statistics beside them.
gdal.SetConfigOption("GDAL_PAM_ENABLED", "NO")
QgsApplication.setPrefixPath("/usr", True)
APPLICATION = QgsApplication([], False)
APPLICATION.initQgis()

import processing  # noqa: E402
from lavoxel_processing import classFactory  # noqa: E402
from processing.core.Processing import Processing  # noqa: E402
from processing.core.ProcessingConfig import ProcessingConfig  # noqa: E402

Processing.initialize()
PLUGIN = classFactory(None)
PLUGIN.initProcessing()


def use(program: str):
    """Names the program, as the options of QGIS do."""
    ProcessingConfig.setSettingValue("LAVOXEL_PROGRAM", program)
    PLUGIN.provider.refreshAlgorithms()


class Feedback(QgsProcessingFeedback):
    """Keeps all that an algorithm says."""

    def __init__(self):
        super().__init__(False)
        self.commands, self.lines, self.warnings = [], [], []

    def pushCommandInfo(self, info):  # noqa: N802
        self.commands.append(info)

    def pushConsoleInfo(self, info):  # noqa: N802
        self.lines.append(info)

    def pushWarning(self, warning):  # noqa: N802
        self.warnings.append(warning)


class Case(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.context, self.feedback = QgsProcessingContext(), Feedback()
        self.context.setProject(QgsProject.instance())
        use(built())

    def run_algorithm(self, name, **parameters):
        """Results of an algorithm."""
        return processing.run(f"lavoxel:{name}", parameters, context=self.context, feedback=self.feedback)

    def program(self, *words, cwd=None) -> str:
        """Standard output of the program."""
        done = subprocess.run(
            [built(), *map(str, words)], capture_output=True, check=False, text=True, cwd=cwd or self.folder
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def stub(self, text: str) -> str:
        """Path of a script in place of the program."""
        path = self.folder / "stub"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)


def layer(kind: str, system: str, *features: tuple[str, dict], name="layer"):
    """A layer in memory: its kind, system, and features of well-known text and attributes."""
    fields = "".join(f"&field={key}:{_type(value)}" for key, value in features[0][1].items())
    made = QgsVectorLayer(f"{kind}?crs={system}{fields}", name, "memory")
    for text, attributes in features:
        feature = QgsFeature(made.fields())
        feature.setGeometry(QgsGeometry.fromWkt(text))
        feature.setAttributes(list(attributes.values()))
        made.dataProvider().addFeature(feature)
    made.updateExtents()
    return made


def _type(value):
    return "string(50)" if isinstance(value, str) else "double"


def crs(code: int):
    """A system by its EPSG number."""
    return QgsCoordinateReferenceSystem(f"EPSG:{code}")


def digest(path) -> str:
    """Fingerprint of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def read(path):
    """A JSON file."""
    return json.loads(Path(path).read_text())
