"""Draws layers of an eruption and of a hazard map as QGIS loads them: `python3 qgis/picture.py docs/qgis.png`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tests"))
from house import DEM, VENTS, Feedback, built, layer, processing, use
from lavoxel_processing import styles
from qgis.core import (
    QgsBilinearRasterResampler,
    QgsHillshadeRenderer,
    QgsLayoutExporter,
    QgsLayoutItemLabel,
    QgsLayoutItemLegend,
    QgsLayoutItemMap,
    QgsLayoutPoint,
    QgsLayoutSize,
    QgsLegendStyle,
    QgsMapLayerLegendUtils,
    QgsMarkerSymbol,
    QgsPrintLayout,
    QgsProcessingContext,
    QgsProject,
    QgsRasterLayer,
    QgsRectangle,
    QgsSingleSymbolRenderer,
    QgsUnitTypes,
    QgsVectorLayer,
)
from qgis.PyQt.QtGui import QFont

X, Y = 2667705.0, 6479145.0
MM = QgsUnitTypes.LayoutMillimeters
SIZE = (228.0, 122.0)
MAP = (70.0, 99.8)


def huts():
    """Buildings, made up."""
    near = [(0, 100), (60, 130), (-60, 60), (-60, 14), (140, 40), (-150, 100)]
    far = [(-45, 195), (50, 225), (-215, 48), (190, -80), (120, 310), (-190, -60)]
    return layer(
        "Point",
        "EPSG:27200",
        *((f"POINT({X + x} {Y + y})", {"name": f"hut {i}"}) for i, (x, y) in enumerate(near + far)),
        name="huts",
    )


def ground():
    """The shaded elevation model."""
    shaded = QgsRasterLayer(str(DEM), "Elevation model")
    renderer = QgsHillshadeRenderer(shaded.dataProvider(), 1, 315.0, 45.0)
    renderer.setZFactor(1.5)
    shaded.setRenderer(renderer)
    shaded.resampleFilter().setZoomedInResampler(QgsBilinearRasterResampler())
    shaded.setOpacity(0.8)
    return shaded


def loaded(path, name):
    """A layer as QGIS loads it after an algorithm."""
    made = QgsRasterLayer(path, name) if path.endswith(".tif") else QgsVectorLayer(path, name)
    styles.style(made)
    return made


def eruption(folder):
    """Thickness, contours and exposure of one eruption, and its vent."""
    vent = layer("Point", "EPSG:27200", (f"POINT({X} {Y})", {"rate": 3.0}), name="Vent")
    vent.setRenderer(
        QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"name": "triangle", "color": "#20d0e0", "size": "4"}))
    )
    done = processing.run(
        "lavoxel:run",
        {
            "DEM": str(DEM),
            "LAVA": "etna-basalt",
            "CELL_SIZE": 5.0,
            "VENTS": vent,
            "RATE": 3.0,
            "DURATION": "2h",
            "EXPOSURE": [huts()],
            "EXPOSED": f"{folder}/exposed",
            "THICKNESS": f"{folder}/thickness.tif",
            "CONTOURS": f"{folder}/lines.gpkg",
            "FLAGS": "--smooth-dem",
        },
        context=QgsProcessingContext(),
        feedback=Feedback(),
    )
    named = [
        (done["EXPOSED_LAYERS"][0], "Exposure: huts"),
        (done["CONTOURS"], "Contour lines (m)"),
        (done["THICKNESS"], "Thickness in m"),
    ]
    return [vent, *(loaded(*pair) for pair in named)]


def hazard(folder):
    """Probability, contours and exposure of many eruptions."""
    done = processing.run(
        "lavoxel:hazard",
        {
            "DEM": str(DEM),
            "LAVA": "etna-basalt",
            "CELL_SIZE": 10.0,
            "VENTS": str(VENTS),
            "RATES": "log-uniform:1,10",
            "VOLUMES": "log-normal:15000,2",
            "RUNS": 100,
            "DURATION": "6h",
            "EXPOSURE": [huts()],
            "LEVELS": "0.05,0.1,0.25",
            "OUTPUT": f"{folder}/hazard",
            "FLAGS": "--smooth-dem",
        },
        context=QgsProcessingContext(),
        feedback=Feedback(),
    )
    exposed = next(path for path in done["LAYERS"] if "exposure" in path)
    named = [(exposed, "Exposure: huts"), (done["CONTOURS"], "Contours"), (done["PROBABILITY"], "Probability")]
    return [loaded(*pair) for pair in named]


def place(layout, item, x, y, width, height):
    """Puts an item into the layout."""
    layout.addLayoutItem(item)
    item.attemptMove(QgsLayoutPoint(x, y, MM))
    item.attemptResize(QgsLayoutSize(width, height, MM))


def half(layout, left, title, shown):
    """Title, map and legend of some layers."""
    label = QgsLayoutItemLabel(layout)
    label.setText(title)
    label.setFont(QFont("DejaVu Sans", 12))
    place(layout, label, left + 4, 5, 100, 8)
    view = QgsLayoutItemMap(layout)
    place(layout, view, left + 4, 15, *MAP)
    view.setLayers(shown)
    extent = shown[-1].extent()
    middle, height = extent.center(), extent.height()
    view.setExtent(QgsRectangle.fromCenterAndSize(middle, height * MAP[0] / MAP[1], height))
    view.setFrameEnabled(True)
    legend = QgsLayoutItemLegend(layout)
    legend.setAutoUpdateModel(False)
    legend.model().rootGroup().clear()
    for one in shown[:-1]:
        node = legend.model().rootGroup().addLayer(one)
        if isinstance(one, QgsRasterLayer):
            # Colours without the name of the band above them.
            colours = range(1, len(legend.model().layerOriginalLegendNodes(node)))
            QgsMapLayerLegendUtils.setLegendNodeOrder(node, list(colours))
            legend.model().refreshLayerLegend(node)
    for style, size in ((QgsLegendStyle.Subgroup, 9), (QgsLegendStyle.SymbolLabel, 8)):
        legend.setStyleFont(style, QFont("DejaVu Sans", size))
    legend.setSymbolHeight(3.5)
    place(layout, legend, left + 4 + MAP[0], 13, 40, MAP[1])


def main(path):
    """Makes the layers and draws them."""
    use(built())
    project = QgsProject.instance()
    with tempfile.TemporaryDirectory() as folder:
        layout = QgsPrintLayout(project)
        layout.initializeDefaults()
        layout.pageCollection().page(0).setPageSize(QgsLayoutSize(*SIZE, MM))
        for left, title, layers_ in (
            (0, "Run an eruption", eruption(folder)),
            (SIZE[0] / 2, "Hazard map", hazard(folder)),
        ):
            shown = [*layers_, ground()]
            project.addMapLayers(shown, False)
            half(layout, left, title, shown)
        settings = QgsLayoutExporter.ImageExportSettings()
        settings.dpi = 130
        QgsLayoutExporter(layout).exportToImage(str(path), settings)


if __name__ == "__main__":
    main(sys.argv[1])
