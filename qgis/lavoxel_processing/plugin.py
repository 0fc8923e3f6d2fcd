"""The plugin: it puts the provider into the registry, and takes it out again."""

from qgis.core import QgsApplication

from .provider import Provider


class Plugin:
    """Plugin of QGIS, with a window or in `qgis_process`."""

    def __init__(self, iface):
        self.iface = iface
        self.provider = None

    def initProcessing(self):  # noqa: N802
        """Adds the provider."""
        self.provider = Provider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):  # noqa: N802
        """Adds the provider, in a window."""
        self.initProcessing()

    def unload(self):
        """Removes the provider."""
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
