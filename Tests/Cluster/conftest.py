"""The cluster tests are not part of `make test`: they need Patroni and etcd. They share its helpers."""

import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1] / "Python"
sys.path.insert(0, str(PYTHON))
