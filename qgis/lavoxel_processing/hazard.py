"""Hazard maps of many sampled eruptions: `lavoxel hazard`."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    QgsProcessing,
    QgsProcessingOutputFile,
    QgsProcessingOutputMultipleLayers,
    QgsProcessingOutputNumber,
    QgsProcessingOutputRasterLayer,
    QgsProcessingOutputVectorLayer,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from . import layers, program, styles
from .algorithm import DOUBLE, INTEGER, Algorithm, advanced

LAWS = ["5", "uniform:1,10", "log-uniform:1,100", "log-normal:5,2", "power-law:1e5,1e8,1.5", "list:1=3,5=2"]
"""One of each law, for the help."""


class Hazard(Algorithm):
    """Probability of inundation, arrival and thickness."""

    NAME, TITLE = "hazard", "Hazard map"
    TAGS = ("lava", "volcano", "hazard", "probability")
    HELP = (
        "Hundreds of eruptions, each with a vent, a rate and a volume drawn by laws, and maps of "
        "what they have in common: <code>lavoxel hazard</code>.\n\n"
        f"<b>Laws</b>: {'; '.join(f'<code>{law}</code>' for law in LAWS)}. Durations have units: "
        "<code>uniform:6h,10d</code>. <b>Vents</b> open in "
        "points, lines and polygons, a feature with weight 2 "
        "twice as often as one with 1.\n\n"
        "The folder keeps all runs: the same algorithm in the same folder goes on after a stop, and "
        "makes only the missing ones when more are asked for. "
        "Probabilities are conditional on all that was chosen, not those of an eruption."
    )

    def initAlgorithm(self, config=None):  # noqa: N802
        self.add_ground()
        anything, numeric = QgsProcessing.TypeVectorAnyGeometry, QgsProcessingParameterField.Numeric
        self.add(
            QgsProcessingParameterFeatureSource("VENTS", "Where vents open: points, lines, polygons", [anything]),
            QgsProcessingParameterField(
                "WEIGHT", "Weight of a feature", parentLayerParameterName="VENTS", type=numeric, optional=True
            ),
            QgsProcessingParameterString("RATES", "Law of the rate in m³/s", "log-uniform:1,50"),
            QgsProcessingParameterString("VOLUMES", "Law of the volume in m³", "log-normal:1e6,3", optional=True),
            QgsProcessingParameterString("DURATIONS", "Law of the duration, in place of a volume", optional=True),
            QgsProcessingParameterNumber("RUNS", "Number of runs", INTEGER, 100, False, 1),
            QgsProcessingParameterString(
                "BEFORE", "Also the probability before these times, such as 6h,1d", optional=True
            ),
        )
        self.add_exposure()
        self.add_barriers()
        self.add(
            advanced(
                QgsProcessingParameterString(
                    "DURATION", "Time after which a run ends, if it is not at rest", optional=True
                )
            ),
            advanced(
                QgsProcessingParameterNumber(
                    "ABOVE", "Thickness that counts as inundated in m", DOUBLE, 0.05, False, 0.0
                )
            ),
            advanced(QgsProcessingParameterString("QUANTILES", "Quantiles of arrival and thickness", "0.1,0.5,0.9")),
            advanced(
                QgsProcessingParameterString(
                    "LEVELS", "Levels of the contours of probability", "0.05,0.1,0.25,0.5,0.75,0.9"
                )
            ),
            advanced(
                QgsProcessingParameterBoolean("PICTURES", "Also pictures (.png) and a map for globes (.kmz)", False)
            ),
            advanced(QgsProcessingParameterBoolean("FORCE", "Remove runs of another plan from the folder", False)),
        )
        self.add_rest()
        self.add(QgsProcessingParameterFolderDestination("OUTPUT", "Folder of runs and maps"))
        for output in (
            QgsProcessingOutputRasterLayer("PROBABILITY", "Probability of inundation"),
            QgsProcessingOutputRasterLayer("THICKNESS_MAX", "Largest thickness of all runs"),
            QgsProcessingOutputVectorLayer("CONTOURS", "Contours of probability"),
            QgsProcessingOutputMultipleLayers("LAYERS", "All maps and exposure layers"),
            QgsProcessingOutputFile("TABLE", "Table of the runs"),
            QgsProcessingOutputNumber("AREA_M2", "Area that any run inundates in m²"),
            QgsProcessingOutputNumber("CUT_SHORT", "Runs that were cut short"),
            QgsProcessingOutputNumber("LEFT_THE_BOX", "Runs whose lava left the map"),
        ):
            self.addOutput(output)

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        folder = Path(self.parameterAsString(parameters, "OUTPUT", context)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        ground = self.ground(parameters, context)
        outcome = program.call(
            ["hazard", ground.file, *self.words(ground, folder, parameters, context, feedback)], feedback
        )
        if outcome is None:
            return {}
        feedback.pushConsoleInfo(outcome.text)
        report = outcome.report()
        made = [
            path
            for path in outcome.files(folder)
            if path.suffix in (".tif", ".gpkg") or path.name.startswith("exposure_")
        ]
        made = [path for path in made if path.suffix != ".csv"]
        for path in made:
            styles.load(path, title(path), "LAYERS", context, "Lavoxel")
        outputs = {
            "PROBABILITY": "probability.tif",
            "THICKNESS_MAX": "thickness_max.tif",
            "CONTOURS": "probability.gpkg",
            "TABLE": "runs.csv",
        }
        return {
            "OUTPUT": str(folder),
            "LAYERS": [str(path) for path in made],
            **{output: str(folder / name) for output, name in outputs.items() if (folder / name).is_file()},
            **{output: report[output.lower()] for output in ("AREA_M2", "CUT_SHORT", "LEFT_THE_BOX")},
        }

    def words(self, ground, folder, parameters, context, feedback) -> list[str]:
        """Flags of the command."""
        source = self.parameterAsSource(parameters, "VENTS", context)
        weight = self.parameterAsString(parameters, "WEIGHT", context)
        vents = layers.temporary("vents.geojson")
        layers.geojson(source, vents, ground.crs, context, feedback, {"weight": weight} if weight else {})
        texts = {
            "RATES": "--rates",
            "VOLUMES": "--volumes",
            "DURATIONS": "--durations",
            "RUNS": "--runs",
            "BEFORE": "--before",
            "DURATION": "--duration",
            "ABOVE": "--above",
            "QUANTILES": "--quantiles",
            "LEVELS": "--levels",
        }
        # Forms fill in a law of the volume, and a law of the duration is in its place.
        if parameters.get("DURATIONS"):
            del texts["VOLUMES"]
        exposed = self.exposure_files(ground, context, feedback)
        return [
            *self.ground_words(ground, parameters, context),
            *self.lava_words(parameters, context),
            *("--vent-area", str(vents)),
            *self.text_words(parameters, context, texts),
            *self.barrier_words(ground, parameters, context, feedback),
            *(word for path in exposed for word in ("--exposure", str(path))),
            *self.rest_words(parameters, context),
            *(["--picture"] if self.parameterAsBool(parameters, "PICTURES", context) else []),
            *(["--force"] if self.parameterAsBool(parameters, "FORCE", context) else []),
            *("--out", str(folder), "--json"),
        ]


def title(path: Path) -> str:
    """Name of a layer by that of its file."""
    if path.suffix == ".gpkg":
        return "Contours of probability"
    if path.stem.startswith("exposure_"):
        return f"Exposure: {path.stem[9:]}"
    kind, _, rest = path.stem.partition("_")
    words = {
        "probability": "Probability of inundation",
        "arrival": "Arrival in hours",
        "thickness": "Thickness in m",
    }.get(kind, kind)
    if rest == "max":
        return f"{words}, largest"
    if rest.startswith("q"):
        return f"{words}, quantile 0.{rest[1:]}"
    return f"{words} before {rest}" if rest else words
