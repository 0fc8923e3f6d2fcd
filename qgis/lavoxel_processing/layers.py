"""Layers of QGIS as files in the forms that the program reads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from osgeo import gdal
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeatureRequest,
    QgsProcessingException,
    QgsProcessingUtils,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)
from qgis.PyQt.QtCore import QVariant

HEIGHTMAPS = (".tif", ".tiff", ".asc", ".hgt", ".dem")
"""Endings of rasters that the program reads as they are."""

DIGITS = 12
"""Decimal places of coordinates, so that degrees keep their last metre's parts."""


def number(value: float) -> str:
    """A number as the program reads it, without digits that say nothing."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def temporary(name: str) -> Path:
    """Path of a new file with this name, in a folder of its own that goes with the session of QGIS."""
    path = Path(QgsProcessingUtils.generateTempFilename(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def plain(name: str) -> str:
    """Name of a layer as part of the name of a file."""
    return re.sub(r"[^\w-]+", "_", name).strip("_") or "layer"


def epsg(crs: QgsCoordinateReferenceSystem) -> int | None:
    """Number of a system in the EPSG registry."""
    authority, _, code = crs.authid().partition(":")
    return int(code) if authority == "EPSG" and code.isdigit() else None


@dataclass(frozen=True)
class Ground:
    """Elevation model: its file, the system of its coordinates, and the flags that go with the file."""

    file: str
    crs: QgsCoordinateReferenceSystem
    words: list[str]

    @classmethod
    def of(cls, layer) -> Ground:
        """From a raster layer; what the program does not read as it is becomes a temporary file."""
        file, crs, data = layer.source(), layer.crs(), _open(layer)
        code = epsg(crs)
        if code is None and crs.isValid():
            # The program knows a system without a number by its text, and an ESRI grid has that beside it.
            said = QgsCoordinateReferenceSystem.fromWkt(data.GetProjection())
            is_asc = file.lower().endswith(".asc") and said == crs
            return cls(file if is_asc else _copy(layer, data, ".asc"), crs, [])
        if not _is_plain(file, data):
            return cls(_copy(layer, data, ".tif"), crs, [])
        return cls(file, crs, ["--crs", f"EPSG:{code}"] if code not in (None, _code(data)) else [])


def raster(layer) -> str:
    """File of a raster layer whose values count; one whose system the file does not say becomes a temporary GeoTIFF."""
    data = _open(layer)
    says = not layer.crs().isValid() or _code(data) == epsg(layer.crs())
    return layer.source() if says and _is_plain(layer.source(), data) else _copy(layer, data, ".tif")


def _is_plain(file, data) -> bool:
    """Whether the program reads a raster as it is."""
    return Path(file).suffix.lower() in HEIGHTMAPS and Path(file).is_file() and data.RasterCount == 1


def _open(layer):
    """The data of a raster layer."""
    try:
        data = gdal.Open(layer.source()) if layer.providerType() == "gdal" else None
    except RuntimeError:  # where another plugin asked for exceptions
        data = None
    if data is None:
        raise QgsProcessingException(f"{layer.name()} is no raster file: save it as GeoTIFF")
    return data


def _copy(layer, data, ending) -> str:
    """Path of a temporary copy of the first band, in the system of the layer."""
    copy, crs = str(temporary(plain(layer.name()) + ending)), layer.crs()
    form = {".asc": {"format": "AAIGrid", "creationOptions": ["FORCE_CELLSIZE=NO"]}, ".tif": {"format": "GTiff"}}[
        ending
    ]
    try:
        made = gdal.Translate(copy, data, bandList=[1], outputSRS=crs.toWkt() if crs.isValid() else None, **form)
    except RuntimeError:
        made = None
    if made is None:
        raise QgsProcessingException(f"{layer.name()} cannot be copied to {copy}: {gdal.GetLastErrorMsg()}")
    return copy


def _code(data) -> int | None:
    """EPSG number that a raster file says itself."""
    system = data.GetSpatialRef()
    code = system and system.GetAuthorityName(None) == "EPSG" and system.GetAuthorityCode(None)
    return int(code) if code else None


class Held:
    """Features of a vector layer as they are now, for another thread than the one that owns the layer."""

    def __init__(self, layer):
        self.name, self.source = layer.name(), QgsVectorLayerFeatureSource(layer)

    def sourceName(self):  # noqa: N802
        return self.name

    def sourceCrs(self):  # noqa: N802
        return self.source.crs()

    def fields(self):
        return self.source.fields()

    def getFeatures(self):  # noqa: N802
        return self.source.getFeatures(QgsFeatureRequest())


def held(layer):
    """A layer as an algorithm may read it: a vector layer held, a raster layer itself for its file."""
    return Held(layer) if isinstance(layer, QgsVectorLayer) else layer


def moved(source, crs: QgsCoordinateReferenceSystem, context, feedback):
    """Features of a layer or of the source of a parameter, brought to a system: pairs of feature and geometry."""
    name, transform = source.sourceName(), None
    if crs.isValid() and source.sourceCrs().isValid():
        transform = QgsCoordinateTransform(source.sourceCrs(), crs, context.transformContext())
    elif crs.isValid() or source.sourceCrs().isValid():
        feedback.pushWarning(
            f"{name}: its coordinates are taken for those of the raster, since one of both has no coordinate system"
        )
    for feature in source.getFeatures():
        geometry = feature.geometry()
        if geometry.isEmpty():
            continue
        if transform is not None:
            try:
                geometry.transform(transform)
            except QgsCsException as error:
                raise QgsProcessingException(
                    f"{name}: feature {feature.id()} cannot be brought to {crs.authid()}: {error}"
                ) from error
        yield feature, geometry


def geojson(source, path: Path, crs, context, feedback, renamed: dict[str, str] | None = None) -> Path:
    """Writes features as GeoJSON in a system, or in degrees where it has no number that the member `crs` can say.

    renamed: for properties of the program the fields that hold them, such as `{"height_m": "crest"}`.
    """
    degrees = QgsCoordinateReferenceSystem("EPSG:4326") if crs.isValid() and epsg(crs) is None else None
    # From the system of the raster to degrees, as the program goes back: another way may have another shift of datum.
    onward = degrees and QgsCoordinateTransform(crs, degrees, context.transformContext())
    fields = [field.name() for field in source.fields()]
    features = []
    for feature, geometry in moved(source, crs, context, feedback):
        properties = {name: _value(feature[name]) for name in fields}
        for name, field in (renamed or {}).items():
            properties[name] = _value(feature[field])
        if onward is not None:
            geometry.transform(onward)
        shape = json.loads(geometry.asJson(DIGITS))
        features.append({"type": "Feature", "properties": properties, "geometry": shape})
    if not features:
        raise QgsProcessingException(f"{source.sourceName()} has no feature with a geometry")
    collection = {"type": "FeatureCollection", "crs": _member(degrees or crs), "features": features}
    path.write_text(json.dumps(collection, ensure_ascii=False), encoding="utf-8")
    return path


def _member(crs):
    """Member `crs` of the older edition of GeoJSON, which the program reads and writes."""
    return {"type": "name", "properties": {"name": f"urn:ogc:def:crs:EPSG::{epsg(crs)}"}} if crs.isValid() else None


def _value(value):
    """An attribute as JSON has it."""
    if value is None or (isinstance(value, QVariant) and value.isNull()):
        return None
    if isinstance(value, (bool, int, float, str)):
        return value
    return value.toString(1) if hasattr(value, "toString") else str(value)  # 1: ISO 8601, of dates and times


def lines_of(source, crs, context, feedback):
    """Vents of a layer of points or lines: pairs of feature and its points, of which a fissure has several."""
    for feature, geometry in moved(source, crs, context, feedback):
        parts = list(geometry.constParts())
        if len(parts) > 1:
            raise QgsProcessingException(
                f"{source.sourceName()}: feature {feature.id()} has {len(parts)} parts, and a vent is one point "
                "or line: Multipart to singleparts takes them apart"
            )
        points = [(point.x(), point.y()) for point in parts[0].vertices()]
        yield feature, points
