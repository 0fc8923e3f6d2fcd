"""A flow beside an observed one: `lavoxel compare`."""

from __future__ import annotations

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingOutputNumber,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterNumber,
    QgsProcessingParameterPoint,
    QgsProcessingParameterString,
    QgsRasterLayer,
)

from . import layers, program
from .algorithm import DOUBLE, Algorithm, advanced

MEASURES = [
    ("FIT", ("fit",), "Fit √(∩/∪)"),
    ("JACCARD", ("jaccard",), "Jaccard ∩/∪"),
    ("PRECISION", ("precision",), "Precision ∩/A"),
    ("RECALL", ("recall",), "Recall ∩/B"),
    ("AREA_A_M2", ("a", "area_m2"), "Area of A in m²"),
    ("AREA_B_M2", ("b", "area_m2"), "Area of B in m²"),
    ("AREA_BOTH_M2", ("intersection", "area_m2"), "Area of both in m²"),
    ("LENGTH_A_M", ("a", "length_m"), "Length of A in m"),
    ("LENGTH_B_M", ("b", "length_m"), "Length of B in m"),
    ("LENGTH_DIFFERENCE_M", ("length_difference_m",), "Length of A less that of B in m"),
    ("FRONT_A_M", ("a", "front_m"), "Front of A from the point in m"),
    ("FRONT_B_M", ("b", "front_m"), "Front of B from the point in m"),
    ("FRONT_DIFFERENCE_M", ("front_difference_m",), "Front of A less that of B in m"),
]
"""Measures: output, place in the report of the program, and words."""


class Compare(Algorithm):
    """Measures of how well two footprints agree."""

    NAME, TITLE = "compare", "Compare two footprints"
    TAGS = ("lava", "volcano", "fit", "jaccard", "validation")
    HELP = (
        "How well a flow A agrees with one that was observed, B: <code>lavoxel compare</code>. Cells "
        "of rasters count where their value is above the "
        "limit, cells under polygons where their middle is inside. In a map of arrival all cells "
        "with a value count, or those up to a time.\n\n"
        "Polygons are brought to the system of the raster; two rasters must be in one. The measures "
        "are outputs, and a table in the log; 1 is the best for "
        "fit, Jaccard, precision and recall. The front is the largest distance from the point, such as the vent."
    )

    def initAlgorithm(self, config=None):  # noqa: N802
        kinds = [QgsProcessing.TypeRaster, QgsProcessing.TypeVectorPolygon]
        self.add(
            QgsProcessingParameterMapLayer("A", "Footprint A, to judge", types=kinds),
            QgsProcessingParameterMapLayer("B", "Footprint B, to judge it by", types=kinds),
            QgsProcessingParameterNumber("ABOVE", "Limit: cells of rasters count above it", DOUBLE, 0.05),
            QgsProcessingParameterString(
                "UNTIL", "Time up to which cells of a map of arrival count, such as 6h", optional=True
            ),
            QgsProcessingParameterPoint("FROM", "Point from which fronts are measured", optional=True),
            advanced(
                QgsProcessingParameterNumber(
                    "CELL_SIZE", "Cell size in map units where both have polygons", DOUBLE, None, True, 0.0
                )
            ),
        )
        for output, _, text in MEASURES:
            self.addOutput(QgsProcessingOutputNumber(output, text))

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        pair = [self.held[name][0] for name in "AB"]
        for name, layer in zip("AB", pair):
            if layer is None:
                raise QgsProcessingException(f"footprint {name} is no layer")
        # Polygons take the system of a raster.
        systems = [layer.crs() if isinstance(layer, QgsRasterLayer) else layer.sourceCrs() for layer in pair]
        crs = next((system for layer, system in zip(pair, systems) if isinstance(layer, QgsRasterLayer)), systems[0])
        files = [footprint(layer, name, crs, context, feedback) for name, layer in zip("ab", pair)]
        words = [
            "compare",
            *files,
            *self.text_words(parameters, context, {"ABOVE": "--above", "UNTIL": "--until", "CELL_SIZE": "--cell-size"}),
        ]
        if parameters.get("FROM"):
            point = self.parameterAsPoint(parameters, "FROM", context, crs)
            words += ["--from", f"{layers.number(point.x())},{layers.number(point.y())}"]
        outcome = program.call([*words, "--json"], feedback)
        if outcome is None:
            return {}
        feedback.pushConsoleInfo(outcome.text)
        results = {}
        for output, place, text in MEASURES:
            value = outcome.report()
            for key in place:
                value = value[key]
            results[output] = value
            feedback.pushInfo(f"{text:32} {'' if value is None else format(value, '.6g')}")
        return results


def footprint(layer, name, crs, context, feedback) -> str:
    """File of a raster or of polygons."""
    if isinstance(layer, QgsRasterLayer):
        return layers.raster(layer)
    return str(layers.geojson(layer, layers.temporary(f"{name}.geojson"), crs, context, feedback))
