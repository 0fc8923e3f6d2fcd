"""Parameters of a lava by an observed flow: `lavoxel calibrate`, where the program has that command."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    QgsProcessing,
    QgsProcessingOutputMultipleLayers,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from . import program, styles
from .algorithm import INTEGER
from .compare import footprint
from .eruption import Eruption


class Calibrate(Eruption):
    """The parameters with which a flow comes nearest to an observed one."""

    NAME, TITLE = "calibrate", "Calibrate by an observed flow"
    TAGS = ("lava", "volcano", "calibration")
    HELP = (
        "Runs with parameters from ranges, and those whose footprints agree best with an observed "
        "flow: <code>lavoxel calibrate</code>.\n\n"
        "A <b>range</b> is NAME=LOW..HIGH, one a line. A scene file takes the place of lava, vents and duration."
    )

    def initAlgorithm(self, config=None):  # noqa: N802
        kinds = [QgsProcessing.TypeRaster, QgsProcessing.TypeVectorPolygon]
        self.add_ground()
        self.add(
            QgsProcessingParameterFile(
                "SCENE", "Scene, in place of lava, vents and duration", extension="toml", optional=True
            ),
            QgsProcessingParameterMapLayer("OBSERVED", "Observed flow", types=kinds),
            QgsProcessingParameterString("VARY", "Ranges NAME=LOW..HIGH, one a line", multiLine=True),
            QgsProcessingParameterNumber("RUNS", "Number of runs", INTEGER, 100, False, 1),
        )
        self.add_vents()
        self.add_rest()
        self.add(QgsProcessingParameterFolderDestination("OUTPUT", "Folder of runs and results"))
        self.addOutput(QgsProcessingOutputMultipleLayers("LAYERS", "Layers of the folder"))

    def words(self, parameters, context, feedback) -> list[str]:
        """The whole command: the one place that knows its arguments."""
        ground = self.ground(parameters, context)
        scene = self.parameterAsFile(parameters, "SCENE", context)
        if scene:
            file, words = scene, []
        else:
            file, words = self.start(ground, parameters, context, feedback)
            words += self.text_words(parameters, context, {"DURATION": "--duration"})
        ranges = self.parameterAsString(parameters, "VARY", context).split()
        return [
            *("calibrate", file, *words),
            *("--observed", footprint(self.held["OBSERVED"][0], "observed", ground.crs, context, feedback)),
            *(word for one in ranges for word in ("--vary", one)),
            *self.text_words(parameters, context, {"RUNS": "--runs", "OUTPUT": "--out"}),
            *self.rest_words(parameters, context),
        ]

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        folder = Path(self.parameterAsString(parameters, "OUTPUT", context)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        outcome = program.call(self.words(parameters, context, feedback), feedback)
        if outcome is None:
            return {}
        feedback.pushConsoleInfo(outcome.text)
        made = [path for path in outcome.files(folder) if path.suffix in (".tif", ".gpkg", ".geojson")]
        for path in made:
            styles.load(path, path.stem, "LAYERS", context, "Lavoxel")
        return {"OUTPUT": str(folder), "LAYERS": [str(path) for path in made]}
