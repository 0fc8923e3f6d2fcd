"""The provider `lavoxel`: its algorithms, and the setting that says where the program is."""

from pathlib import Path

from processing.core.ProcessingConfig import ProcessingConfig, Setting, settingsWatcher
from qgis.core import QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from . import program
from .calibrate import Calibrate
from .compare import Compare
from .hazard import Hazard
from .run import Run

ICON = str(Path(__file__).parent / "icon.svg")


class Provider(QgsProcessingProvider):
    """Algorithms over the program `lavoxel`."""

    def id(self):
        return "lavoxel"

    def name(self):
        return "Lavoxel"

    def icon(self):
        return QIcon(ICON)

    def svgIconPath(self):  # noqa: N802
        return ICON

    def load(self):
        ProcessingConfig.settingIcons[self.name()] = self.icon()
        # The dialog refuses a text that is no file, so that a bare name cannot be the default.
        text = "Program lavoxel (that on PATH when empty)"
        ProcessingConfig.addSetting(Setting(self.name(), program.SETTING, text, "", valuetype=Setting.FILE))
        ProcessingConfig.readSettings()
        # Another program may have other algorithms and lavas.
        settingsWatcher.settingsChanged.connect(self.refreshAlgorithms)
        self.refreshAlgorithms()
        return True

    def unload(self):
        settingsWatcher.settingsChanged.disconnect(self.refreshAlgorithms)
        ProcessingConfig.removeSetting(program.SETTING)

    def loadAlgorithms(self):  # noqa: N802
        for algorithm in (Run, Hazard, Compare):
            self.addAlgorithm(algorithm())
        if program.has("calibrate"):
            self.addAlgorithm(Calibrate())

    def supportsNonFileBasedOutput(self):  # noqa: N802
        return False

    def supportedOutputRasterLayerExtensions(self):  # noqa: N802
        return ["tif", "asc"]

    def supportedOutputVectorLayerExtensions(self):  # noqa: N802
        return ["gpkg", "geojson"]

    def defaultRasterFileExtension(self):  # noqa: N802
        return "tif"

    def defaultVectorFileExtension(self, hasGeometry=True):  # noqa: N802, N803
        return "gpkg"
