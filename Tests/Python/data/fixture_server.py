"""A server with the data directory of a fixture. Its control API requires a token."""

from shop_helpers import Till

# The retention period is long, so that no data of a fixture is deleted.
FOR_EVER = "36500"


class FixtureServer(Till):
    """A `till serve` process whose control API listens on an address that requires a token."""

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
