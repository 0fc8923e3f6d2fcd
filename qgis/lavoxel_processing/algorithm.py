"""Parameters and steps that the algorithms share."""

from __future__ import annotations

import shlex
from pathlib import Path

from qgis.core import (
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterExtent,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterMultipleLayers,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
)
from qgis.PyQt.QtGui import QIcon

from . import layers, program

INTEGER, DOUBLE = QgsProcessingParameterNumber.Integer, QgsProcessingParameterNumber.Double


def advanced(parameter):
    """The parameter, shown among the advanced ones."""
    parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
    return parameter


class Algorithm(QgsProcessingAlgorithm):
    """An algorithm over one command of the program; a class of its own says NAME, TITLE and HELP."""

    NAME = TITLE = HELP = ""
    TAGS = ("lava", "volcano")

    def name(self):
        return self.NAME

    def displayName(self):  # noqa: N802
        return self.TITLE

    def shortHelpString(self):  # noqa: N802
        return self.HELP

    def tags(self):
        return list(self.TAGS)

    def icon(self):
        return QIcon(str(Path(__file__).parent / "icon.svg"))

    def createInstance(self):  # noqa: N802
        return type(self)()

    def canExecute(self):  # noqa: N802
        fault = program.problem()
        return not fault, fault

    def prepareAlgorithm(self, parameters, context, feedback):  # noqa: N802
        """Takes hold of layers in the thread that owns them."""
        self.held = {}
        for parameter in self.parameterDefinitions():
            name, kind = parameter.name(), parameter.type()
            if kind == "multilayer":
                found = self.parameterAsLayerList(parameters, name, context) or []
            elif kind == "layer":
                found = [self.parameterAsLayer(parameters, name, context)]
            else:
                continue
            self.held[name] = [layers.held(layer) for layer in found]
        return True

    def add(self, *parameters):
        """Adds parameters in their order."""
        for parameter in parameters:
            self.addParameter(parameter)

    def add_ground(self):
        """Elevation model, lava and cell."""
        lavas = program.lavas()
        self.add(
            QgsProcessingParameterRasterLayer("DEM", "Elevation model"),
            QgsProcessingParameterEnum(
                "LAVA",
                "Lava",
                options=lavas,
                usesStaticStrings=True,
                defaultValue="etna-basalt" if "etna-basalt" in lavas else lavas[0],
            ),
            QgsProcessingParameterNumber(
                "CELL_SIZE", "Cell size in metres (that of the elevation model when empty)", DOUBLE, None, True, 0.001
            ),
        )

    def add_barriers(self):
        """Dams and ditches."""
        self.add(
            advanced(
                QgsProcessingParameterFeatureSource(
                    "BARRIERS", "Barriers: dams and ditches", [QgsProcessing.TypeVectorLine], optional=True
                )
            ),
            advanced(
                _field(
                    "BARRIER_HEIGHT",
                    "Height of a barrier in metres, below 0 a ditch (5 without)",
                    "BARRIERS",
                    numeric=True,
                )
            ),
            advanced(_field("BARRIER_WIDTH", "Width of a barrier in metres", "BARRIERS", numeric=True)),
            advanced(_field("BARRIER_NAME", "Name of a barrier", "BARRIERS")),
        )

    def add_exposure(self):
        """Buildings, roads and areas."""
        kind = QgsProcessing.TypeVectorAnyGeometry
        self.add(
            QgsProcessingParameterMultipleLayers("EXPOSURE", "Exposure: buildings, roads, areas", kind, optional=True)
        )

    def add_rest(self):
        """Part of the map, seed and flags that no parameter has."""
        self.add(
            advanced(QgsProcessingParameterExtent("EXTENT", "Part of the elevation model", optional=True)),
            advanced(QgsProcessingParameterNumber("SEED", "Seed", INTEGER, None, True, 0)),
            advanced(
                QgsProcessingParameterString(
                    "FLAGS", "Further flags of the program, such as --smooth-dem", optional=True
                )
            ),
        )

    def ground(self, parameters, context) -> layers.Ground:
        """The elevation model."""
        layer = self.parameterAsRasterLayer(parameters, "DEM", context)
        if layer is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, "DEM"))
        return layers.Ground.of(layer)

    def ground_words(self, ground, parameters, context) -> list[str]:
        """Flags of the elevation model, its part, and its cells."""
        words = list(ground.words)
        if parameters.get("EXTENT"):
            box = self.parameterAsExtent(parameters, "EXTENT", context, ground.crs)
            words += [
                "--bounds",
                ",".join(map(layers.number, (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()))),
            ]
        if parameters.get("CELL_SIZE") is not None:
            words += ["--voxel-size", layers.number(self.parameterAsDouble(parameters, "CELL_SIZE", context))]
        return words

    def lava_words(self, parameters, context) -> list[str]:
        """The flag of the lava."""
        return ["--lava", self.parameterAsEnumString(parameters, "LAVA", context)]

    def rest_words(self, parameters, context) -> list[str]:
        """Seed and further flags."""
        words = []
        if parameters.get("SEED") is not None:
            words += ["--seed", str(self.parameterAsInt(parameters, "SEED", context))]
        try:
            return words + shlex.split(self.parameterAsString(parameters, "FLAGS", context))
        except ValueError as error:
            raise QgsProcessingException(f"Further flags: {error}") from error

    def text_words(self, parameters, context, flags: dict[str, str]) -> list[str]:
        """Flags with the texts or numbers of parameters, those without a value left out."""
        words = []
        for name, flag in flags.items():
            text = self.parameterAsString(parameters, name, context).strip() if parameters.get(name) is not None else ""
            words += [flag, text] if text else []
        return words

    def barrier_words(self, ground, parameters, context, feedback) -> list[str]:
        """The flag of the barriers."""
        source = self.parameterAsSource(parameters, "BARRIERS", context)
        if source is None:
            return []
        renamed = {"height_m": "BARRIER_HEIGHT", "width_m": "BARRIER_WIDTH", "name": "BARRIER_NAME"}
        fields = {name: self.parameterAsString(parameters, field, context) for name, field in renamed.items()}
        fields = {name: field for name, field in fields.items() if field}
        path = layers.temporary("barriers.geojson")
        return ["--barrier", str(layers.geojson(source, path, ground.crs, context, feedback, fields))]

    def exposure_files(self, ground, context, feedback) -> list[Path]:
        """Files of the layers of buildings, roads and areas, each with the name of its layer."""
        files, folder = [], layers.temporary("exposure")
        folder.mkdir()
        for layer in self.held["EXPOSURE"]:
            name = layers.plain(layer.sourceName())
            taken = {path.stem for path in files}
            name = next(n for n in (name, *(f"{name}_{i}" for i in range(2, 1000))) if n not in taken)
            path = folder / f"{name}.geojson"
            files.append(layers.geojson(layer, path, ground.crs, context, feedback))
        return files


def _field(name, text, parent, numeric=False):
    kind = QgsProcessingParameterField.Numeric if numeric else QgsProcessingParameterField.Any
    return QgsProcessingParameterField(name, text, parentLayerParameterName=parent, type=kind, optional=True)
