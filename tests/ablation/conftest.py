"""Makes the SIMT shim of tests/simt importable: it stands in for the device."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "simt"))
