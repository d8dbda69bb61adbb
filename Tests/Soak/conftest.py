"""The soak test is not part of `make test`, because it takes ten minutes per engine. It uses the helpers of
Tests/Python."""

import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1] / "Python"
sys.path.insert(0, str(PYTHON))
