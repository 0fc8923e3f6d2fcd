"""Styles of layers that an algorithm loads: the files beside rasters, and plain ones for lines and exposure."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsFillSymbol,
    QgsGraduatedSymbolRenderer,
    QgsLineSymbol,
    QgsMarkerSymbol,
    QgsPalLayerSettings,
    QgsProcessingContext,
    QgsProcessingLayerPostProcessorInterface,
    QgsProject,
    QgsRasterLayer,
    QgsRendererCategory,
    QgsRendererRange,
    QgsSingleSymbolRenderer,
    QgsTextBufferSettings,
    QgsTextFormat,
    QgsVectorLayerSimpleLabeling,
    QgsWkbTypes,
)
from qgis.PyQt.QtGui import QColor

SHARES = [
    (0.0, "#ffffff"),
    (0.05, "#c6dbef"),
    (0.25, "#6baed6"),
    (0.5, "#2171b5"),
    (0.75, "#08306b"),
    (1.0, "#000000"),
]
"""Probabilities up to which a colour goes: blues, which stand out from the map of probability."""


class Styled(QgsProcessingLayerPostProcessorInterface):
    """Gives a layer its style when QGIS has loaded it."""

    kept: list[Styled] = []
    """QGIS does not keep what Python made."""

    def postProcessLayer(self, layer, context, feedback):  # noqa: N802
        style(layer)
        Styled.kept.remove(self)


def load(path: Path, name: str, output: str, context: QgsProcessingContext, group: str = ""):
    """Has QGIS load a file when the algorithm has ended."""
    details = QgsProcessingContext.LayerDetails(name, context.project() or QgsProject.instance(), output)
    if group and hasattr(details, "groupName"):
        details.groupName = group
    context.addLayerToLoadOnCompletion(str(path), details)
    dress(str(path), context)


def dress(path: str, context: QgsProcessingContext):
    """Styles a layer that will be loaded."""
    if context.willLoadLayerOnCompletion(path):
        processor = Styled()
        Styled.kept.append(processor)
        context.layerToLoadOnCompletionDetails(path).setPostProcessor(processor)


def style(layer):
    """Styles a layer by the file beside it, or by its fields."""
    if isinstance(layer, QgsRasterLayer):
        beside = Path(layer.source()).with_suffix(".qml")
        if beside.is_file():
            layer.loadNamedStyle(str(beside))
    else:
        fields = layer.fields().names()
        if "probability" in fields and "in_box" in fields:
            layer.setRenderer(_by_probability(layer))
        elif "reached" in fields:
            layer.setRenderer(_by_reached(layer))
        elif "level" in fields or "probability" in fields:
            _contours(layer, "level" if "level" in fields else "probability")
        elif layer.geometryType() == QgsWkbTypes.PolygonGeometry:
            layer.setRenderer(QgsSingleSymbolRenderer(_outline()))
    layer.triggerRepaint()


def _symbol(layer, colour: str):
    """A symbol for points, lines or areas in a colour, with a dark rim so that it shows on lava and ground."""
    kind = layer.geometryType()
    if kind == QgsWkbTypes.PointGeometry:
        return QgsMarkerSymbol.createSimple(
            {"name": "circle", "color": colour, "outline_color": "#202020", "size": "2.8"}
        )
    if kind == QgsWkbTypes.LineGeometry:
        return QgsLineSymbol.createSimple({"color": colour, "width": "0.8"})
    symbol = QgsFillSymbol.createSimple({"color": colour, "outline_color": colour, "outline_width": "0.5"})
    symbol.setOpacity(0.7)
    return symbol


def _outline():
    return QgsFillSymbol.createSimple({"style": "no", "outline_color": "#7a1010", "outline_width": "0.6"})


def _by_reached(layer):
    colours = [
        ("yes", "#e83ef0", "reached"),
        ("in part", "#a98be8", "reached in part"),
        ("no", "#5a8a5a", "not reached"),
    ]
    return QgsCategorizedSymbolRenderer(
        "reached", [QgsRendererCategory(v, _symbol(layer, c), t) for v, c, t in colours]
    )


def _by_probability(layer):
    ranges, low = [], -1.0
    for high, colour in SHARES:
        text = "0" if high == 0.0 else f"{max(low, 0.0):g} to {high:g}"
        ranges.append(QgsRendererRange(low, high, _symbol(layer, colour), text))
        low = high
    return QgsGraduatedSymbolRenderer("probability", ranges)


def _contours(layer, field: str):
    """Dark lines with their level along them."""
    layer.setRenderer(QgsSingleSymbolRenderer(QgsLineSymbol.createSimple({"color": "#301020", "width": "0.35"})))
    buffer, text, labels = QgsTextBufferSettings(), QgsTextFormat(), QgsPalLayerSettings()
    buffer.setEnabled(True)
    buffer.setColor(QColor("white"))
    text.setSize(7)
    text.setBuffer(buffer)
    labels.fieldName = field
    labels.placement = QgsPalLayerSettings.Line
    labels.setFormat(text)
    layer.setLabeling(QgsVectorLayerSimpleLabeling(labels))
    layer.setLabelsEnabled(True)
