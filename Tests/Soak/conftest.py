"""The soak stands apart from `make test`: it takes ten minutes for each engine. It shares the tests' helpers."""

import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1] / "Python"
sys.path.insert(0, str(PYTHON))
