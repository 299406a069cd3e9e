"""Makes the helpers of this folder importable by its tests, in pytest's importlib mode."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
