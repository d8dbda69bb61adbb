"""The cluster tests are not part of `make test`, because they need Patroni and etcd. They use the helpers of
Tests/Python."""

import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1] / "Python"
sys.path.insert(0, str(PYTHON))
