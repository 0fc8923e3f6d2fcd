"""Vents of a layer, as flags of the program where flags can say them, else as a scene."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterFile,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from . import layers, program
from .algorithm import DOUBLE, Algorithm, advanced


@dataclass(frozen=True)
class Vent:
    """A vent of one point or a fissure of several, in coordinates of the map, and its rate in m³/s."""

    points: list[tuple[float, float]]
    rate: float

    def flag(self) -> str:
        """Value of the flag `--vent`, for at most two points."""
        return (
            "map:"
            + "..".join(f"{layers.number(x)},{layers.number(y)}" for x, y in self.points)
            + f"@{layers.number(self.rate)}m3/s"
        )

    def table(self, rates: list[str]) -> list[str]:
        """Lines of its table in a scene; rates: the lines that say them."""
        (x, y), *more = self.points
        to = [f"to = {json.dumps([list(point) for point in more])}"] if more else []
        return ["", "[[vent]]", f"map_x = {x!r}", f"map_y = {y!r}", *to, "radius = 0.0", *rates]


class Eruption(Algorithm):
    """An algorithm with vents that pour."""

    def add_vents(self):
        """Vents and their rates."""
        kinds = [QgsProcessing.TypeVectorPoint, QgsProcessing.TypeVectorLine]
        numeric = QgsProcessingParameterField.Numeric
        self.add(
            QgsProcessingParameterFeatureSource(
                "VENTS", "Vents: points, or lines for fissures (the summit without)", kinds, optional=True
            ),
            QgsProcessingParameterField(
                "RATE_FIELD", "Rate of each vent in m³/s", parentLayerParameterName="VENTS", type=numeric, optional=True
            ),
            QgsProcessingParameterNumber("RATE", "Rate in m³/s, where no field has one", DOUBLE, 10.0, False, 0.0),
            QgsProcessingParameterFile(
                "RATES", "Table of rates of one vent (.csv), in place of a rate", extension="csv", optional=True
            ),
            advanced(
                QgsProcessingParameterString(
                    "RATES_START", "Date at which the run starts, for a table with dates", optional=True
                )
            ),
            QgsProcessingParameterString("DURATION", "Duration, such as 10d, 6h, 30min", "6h"),
        )

    def vents(self, ground, parameters, context, feedback) -> list[Vent]:
        """Vents of the layer; none without one."""
        source = self.parameterAsSource(parameters, "VENTS", context)
        if source is None:
            return []
        usual = self.parameterAsDouble(parameters, "RATE", context)
        field = self.parameterAsString(parameters, "RATE_FIELD", context)

        def rate(feature):
            try:
                return float(feature[field]) if field else usual
            except TypeError:  # empty
                return usual

        found = [
            Vent(points, rate(feature)) for feature, points in layers.lines_of(source, ground.crs, context, feedback)
        ]
        if not found:
            raise QgsProcessingException(f"{source.sourceName()} has no feature with a geometry")
        return found

    def start(self, ground, parameters, context, feedback) -> tuple[str, list[str]]:
        """File with which the program begins, and the flags of lava, cells and vents that go with it."""
        words = self.ground_words(ground, parameters, context)
        vents = self.vents(ground, parameters, context, feedback)
        rates = self.parameterAsFile(parameters, "RATES", context)
        if rates and len(vents) > 1:
            raise QgsProcessingException(f"a table of rates is of one vent or fissure, and the layer has {len(vents)}")
        if not rates and all(len(vent.points) <= 2 for vent in vents):
            rate = layers.number(self.parameterAsDouble(parameters, "RATE", context))
            flags = [vent.flag() for vent in vents] or [f"summit@{rate}m3/s"]
            return ground.file, [
                *words,
                *self.lava_words(parameters, context),
                *(w for flag in flags for w in ("--vent", flag)),
            ]
        start = self.parameterAsString(parameters, "RATES_START", context)
        return self.scene(ground, words, (vents, rates, start), parameters, context, feedback), words

    def scene(self, ground, words, pouring, parameters, context, feedback) -> str:
        """Path of a temporary scene with the box that the program chooses for the elevation model by itself."""
        rest = self.rest_words(parameters, context)
        trial = [
            "run",
            ground.file,
            *words,
            *self.lava_words(parameters, context),
            *rest,
            "--steps",
            "0",
            "--json",
            "--quiet",
        ]
        outcome = program.call(trial, feedback)
        if outcome is None:
            raise QgsProcessingException("stopped")
        chosen, (vents, rates, start) = outcome.report(), pouring
        lines = [
            f"name = {_text(Path(ground.file).stem)}",
            f"seed = {chosen['seed']}",
            'model = "flow"',
            "",
            "[flow]",
            f"lava = {_text(self.parameterAsEnumString(parameters, 'LAVA', context))}",
            f"step_s = {chosen['flow']['step_s']}",
            "",
            "[grid]",
            f"size = {chosen['dims']}",
            f"cell_size_m = {chosen['cell_size_m']}",
            f"cell_height_m = {chosen['flow']['cell_height_m']}",
            "",
            "[rules]",
            'walls = "open"',
            "",
            "[terrain]",
            'kind = "heightmap"',
            f"file = {_text(str(Path(ground.file).absolute()))}",
            "base_cells = 4",
            'fill_no_data = "nearest"',
        ]
        table = [f"rates_files = [{_text(str(Path(rates).absolute()))}]"] if rates else []
        table += [f"rates_start = {_text(start)}"] if rates and start else []
        for vent in vents:
            lines += vent.table(table or [f"rate_m3_s = {vent.rate!r}"])
        if not vents:
            lines += ["", "[[vent]]", 'at = "summit"', "radius = 0.0", *table]
        path = layers.temporary(f"{layers.plain(Path(ground.file).stem)}.toml")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        feedback.pushConsoleInfo(f"{path}:\n" + "\n".join(lines))
        return str(path)


def _text(text: str) -> str:
    """A text as TOML has it."""
    return json.dumps(text, ensure_ascii=False)
