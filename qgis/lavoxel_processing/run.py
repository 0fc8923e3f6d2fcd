"""One eruption: `lavoxel run`."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    QgsProcessing,
    QgsProcessingOutputMultipleLayers,
    QgsProcessingOutputNumber,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterRasterDestination,
    QgsProcessingParameterVectorDestination,
)

from . import layers, program, styles
from .algorithm import advanced
from .eruption import Eruption

RASTERS = [
    ("THICKNESS", "thickness", "Thickness at the end in m", True),
    ("ARRIVAL", "arrival", "Arrival in hours", True),
    ("MAX_THICKNESS", "max-thickness", "Largest thickness in m", True),
    ("SET_THICKNESS", "set-thickness", "Thickness that has set in m", False),
    ("TEMPERATURE", "temperature", "Temperature of the uppermost liquid in K", False),
    ("VISCOSITY", "viscosity", "Viscosity of the uppermost liquid in Pa s", False),
    ("MAX_SPEED", "max-speed", "Largest speed in m/s", False),
    ("SURFACE", "surface", "Elevation of the surface at the end in m", False),
    ("GROUND", "ground", "Elevation of the ground in m", False),
]
"""Maps of the program: output, name of the map, words, and whether it is made when nothing is chosen."""

VECTORS = [
    ("FOOTPRINT", "max-thickness.footprint", "Area that lava covered", QgsProcessing.TypeVectorPolygon),
    ("CONTOURS", "thickness", "Contour lines of thickness", QgsProcessing.TypeVectorLine),
]
"""Maps of lines and outlines: output, name of the map, words, and kind."""

NUMBERS = [
    ("VOLUME_M3", "poured_m3", "Volume poured in m³"),
    ("OUT_M3", "out_m3", "Volume that left the map in m³"),
    ("AREA_M2", "area_m2", "Area in m²"),
    ("REACH_M", "reach_m", "Longest way from the vent in m"),
    ("MEAN_THICKNESS_M", "mean_thickness_m", "Mean thickness in m"),
    ("MAX_THICKNESS_M", "max_thickness_m", "Largest thickness in m"),
]
"""Numbers of the report: output, key in the JSON object `flow`, and words."""


class Run(Eruption):
    """Lava of one eruption."""

    NAME, TITLE = "run", "Run an eruption"
    HELP = (
        "Lava pours from vents over an elevation model, cools, sets, and comes to rest: <code>lavoxel run</code>.\n\n"
        "<b>Vents</b> are points, or lines for fissures; their rate is that of a field, or one for "
        "all. A <b>table of rates</b> (.csv: a date or a time, "
        "and rate_m3_s) is of one vent. <b>Exposure</b> layers come back with what lava reaches, "
        "when, how thick and how hot. Layers in other systems "
        "are brought to that of the elevation model.\n\n"
        "The report in the log says where a result is not to be relied on. A run that is stopped loads no maps."
    )

    def initAlgorithm(self, config=None):  # noqa: N802
        self.add_ground()
        self.add_vents()
        self.add_exposure()
        self.add_barriers()
        self.add_rest()
        for output, _, text, usual in RASTERS:
            self.add(QgsProcessingParameterRasterDestination(output, text, optional=True, createByDefault=usual))
        for output, _, text, kind in VECTORS:
            self.add(QgsProcessingParameterVectorDestination(output, text, kind, optional=True, createByDefault=False))
        self.add(
            QgsProcessingParameterFolderDestination(
                "EXPOSED", "Folder of the exposure layers (a temporary one without)", optional=True
            ),
            advanced(
                _file("BARRIER_TABLE", "Effect of each barrier (a second run without them)", "GeoJSON (*.geojson)")
            ),
            advanced(_file("REPORT", "Report", "JSON (*.json)")),
        )
        self.addOutput(QgsProcessingOutputMultipleLayers("EXPOSED_LAYERS", "Exposure layers"))
        for output, _, text in NUMBERS:
            self.addOutput(QgsProcessingOutputNumber(output, text))

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        ground = self.ground(parameters, context)
        file, words = self.start(ground, parameters, context, feedback)
        words += self.text_words(parameters, context, {"DURATION": "--duration"})
        words += self.barrier_words(ground, parameters, context, feedback)
        results, asked = self.maps(parameters, context)
        exposed, more = self.exposed(ground, parameters, context, feedback)
        words += [*asked, *more, *self.rest_words(parameters, context), "--force", "--json"]
        outcome = program.call(["run", file, *words], feedback)
        if outcome is None:
            return {}
        feedback.pushConsoleInfo(outcome.text)
        report = outcome.report()
        for line in warnings(report):
            feedback.pushWarning(line)
        if results.get("REPORT"):
            Path(results["REPORT"]).write_text(outcome.text, encoding="utf-8")
        if results.get("BARRIER_TABLE"):
            styles.load(Path(results["BARRIER_TABLE"]), "Barriers", "BARRIER_TABLE", context, "Lavoxel")
        for path in results.values():
            styles.dress(path, context)
        for path in exposed:
            styles.load(path, f"Exposure: {path.stem[9:]}", "EXPOSED_LAYERS", context, "Lavoxel")
        if exposed:
            results |= {"EXPOSED_LAYERS": [str(path) for path in exposed], "EXPOSED": str(exposed[0].parent)}
        return results | {output: report["flow"][key] for output, key, _ in NUMBERS}

    def maps(self, parameters, context):
        """Files of the maps by output, and the flags that ask for them."""
        results, words = {}, []
        for output, name, *_ in RASTERS + VECTORS:
            path = self.parameterAsOutputLayer(parameters, output, context)
            if path:
                results[output] = path
                words += ["--map", f"{name}={path}"]
        for output in ("BARRIER_TABLE", "REPORT"):
            path = self.parameterAsFileOutput(parameters, output, context)
            results |= {output: path} if path else {}
        words += ["--barrier-table", results["BARRIER_TABLE"]] if "BARRIER_TABLE" in results else []
        for path in results.values():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        return results, words

    def exposed(self, ground, parameters, context, feedback):
        """Files of the exposure layers that are made, and the flags that ask for them."""
        folder = self.parameterAsString(parameters, "EXPOSED", context) or str(layers.temporary("exposed"))
        files = self.exposure_files(ground, context, feedback)
        if not files:
            return [], []
        made = [Path(folder) / f"exposure_{file.name}" for file in files]
        made[0].parent.mkdir(parents=True, exist_ok=True)
        return made, [word for file, path in zip(files, made) for word in ("--exposure", f"{file}={path}")]


def _file(name, text, kinds):
    return QgsProcessingParameterFileDestination(name, text, kinds, optional=True, createByDefault=False)


def warnings(report: dict) -> list[str]:
    """Lines on where the numbers of a run are not to be relied on, by the limits of its report without `--json`."""
    flow, reynolds = report["flow"], report["flow"]["reynolds"]
    across = flow["cells_across"]
    lines = [
        (flow["blocked_m3"] > 0, f"{flow['blocked_m3']:g} m³ found no room under the top of the box"),
        (
            flow["out_m3"] > 0,
            f"{flow['out_m3']:g} m³ of {flow['poured_m3']:g} left by the sides of the map; take in more of the terrain",
        ),
        (
            reynolds["max"] > 1,
            f"the Reynolds number comes to {reynolds['max']:.3g}, where inertia counts and the model has none",
        ),
        (
            flow["capped_share"] > 1e-3,
            f"{flow['capped_share']:.1e} of the fluxes were held back; make the cells larger",
        ),
        (
            across is not None and across < 5,
            f"the flow is {across:.1f} cells wide on average, and with fewer than 5 its run-out follows the cells",
        ),
    ]
    return [line for is_so, line in lines if is_so]
