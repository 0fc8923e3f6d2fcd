"""Lavoxel in the Processing toolbox of QGIS: eruptions, hazard maps and comparisons by the program `lavoxel`."""


def classFactory(iface):  # noqa: N802, a name that QGIS calls
    """The plugin, for QGIS. iface: the window, None in `qgis_process`."""
    from .plugin import Plugin

    return Plugin(iface)
