"""Apple's library for Python, which only a part of this library needs."""

from __future__ import annotations

import importlib

from .transport import TillError


def apple(module: str, name: str, purpose: str):
    """A name from a module of Apple's library."""
    try:
        return getattr(importlib.import_module(f"appstoreserverlibrary.{module}"), name)
    except ImportError as missing:
        raise TillError(
            f"{purpose} needs Apple's library: pip install app-store-server-library ({missing})"
        ) from missing
