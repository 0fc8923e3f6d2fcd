"""OpenVDB's module under either of its names; status 77 where there is none."""

import sys

try:
    import pyopenvdb as openvdb
except ImportError:
    try:
        import openvdb
    except ImportError as error:
        print("missing:", error)
        sys.exit(77)
