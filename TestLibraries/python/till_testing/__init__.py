"""Test a server for in-app purchases against Till. docs/testing/python.md describes the fixtures."""

from .app import App
from .clock import Clock
from .customer import Customer, Purchase
from .endpoint import Endpoint, Notification
from .server import Till
from .transport import ControlError, ServerEnded, TillError

__all__ = [
    "App", "Clock", "ControlError", "Customer", "Endpoint", "Notification", "Purchase", "ServerEnded", "Till",
    "TillError",
]
