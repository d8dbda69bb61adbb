"""A server on a data directory that is kept as a fixture: its control port asks for a token."""

from shop_helpers import Till

# Retention must not remove what a fixture holds, however long ago it was made.
FOR_EVER = "36500"


class FixtureServer(Till):
    """A process of `till serve` whose control listens where it asks for a token."""

    def __init__(self, folder, *arguments, data=None, address="127.0.0.2"):
        super().__init__(
            folder, "--control-address", address, "--notification-days", FOR_EVER, "--node-name", "fixture",
            *arguments, data=data,
        )

    @property
    def addresses(self) -> dict:
        return {face: self.address(face) for face in ("production", "sandbox", "control")}

    @property
    def admin_token(self) -> str:
        return (self.data / "control-token").read_text().strip()
