"""`App`: an app for one test or one suite, with an API key and a catalog of its own."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Union

from .apple import apple
from .cleanup import delete_app
from .clock import Clock, milliseconds
from .customer import Customer
from .endpoint import Endpoint
from .operations import AppOperations
from .transport import ServerEnded, TillError

if TYPE_CHECKING:
    from .server import Till


class App:
    """An app in one environment. Its clock is frozen: time passes only when a test advances it."""

    def __init__(self, till: Till, bundle_id: str, catalog=None, environment: str = "sandbox", start=None):
        if environment not in ("sandbox", "production"):
            raise TillError(f'There is no environment "{environment}": use "sandbox" or "production".')
        self.till = till
        self.bundle_id = bundle_id
        self.environment = environment
        self.control = AppOperations(till.connection, bundle_id, environment)
        self.issuer_id: str = till.facts["issuerId"]
        content = None if catalog is None else _content(catalog)
        start = None if start is None else milliseconds(start, "start")
        self.app_apple_id: int = till.control.create_app(bundle_id, issuerId=self.issuer_id).appAppleId
        # The key is deleted with the app.
        key = self.control.create_key(name=bundle_id, issuerId=self.issuer_id)
        self.key_id: str = key.keyId
        # The text of the .p8 file.
        self.private_key: str = key.privateKey
        # The open receivers.
        self._receivers: list = []
        till.apps.append(self)
        try:
            if content is not None:
                self.control.import_store_kit_file(content)
            # Whatever the profile of a running server is, time passes as on the calendar.
            self.control.update_settings(rate="calendar")
            self.clock = self._clock(start)
        except BaseException:
            self.delete()
            raise

    def _clock(self, start) -> Clock:
        if start is None:
            # A whole second, as in most tests and in many backends.
            now = self.control.set_clock("frozen").now
            self.control.set_clock("frozen", at=-(-now // 1000) * 1000)
            return Clock(self, None)
        # The environment's clock cannot go back; a clock of customers can begin at any time.
        return Clock(self, self.control.create_clock("tests", mode="frozen", at=start).name)

    @property
    def address(self) -> str:
        """The address of the App Store Server API."""
        return self.till.sandbox if self.environment == "sandbox" else self.till.production

    def customer(self, name: str, **options) -> Customer:
        """A customer of the app. Options for a new customer: `storefront`, `platform`, `downloadsApp`."""
        self.control.create_customer(name, clock=self.clock.name, **options)
        return Customer(self, name)

    def endpoint(self) -> Endpoint:
        """Starts a receiver, and sends the app's notifications to it."""
        return Endpoint(self)

    def send_notifications_to(self, url: str, name: str = "primary"):
        """Sends the app's notifications to your server, too. It becomes the endpoint "primary", which Apple's
        notification history is about; a receiver that has this name so far becomes the endpoint "test"."""
        used = {item.name: item.url for item in self.control.list_endpoints()}
        if name == "primary" and used.get(name) in [receiver.url for receiver in self._receivers]:
            self.control.set_endpoint(_free_name(used), used[name])
        self.control.set_endpoint(name, url)

    def _add(self, receiver: Endpoint):
        """Sends the notifications to a receiver, too. It is the primary endpoint if there is no other one."""
        self.control.set_endpoint(_free_name({item.name for item in self.control.list_endpoints()}), receiver.url)
        self._receivers.append(receiver)

    def _remove(self, receiver: Endpoint):
        if receiver in self._receivers:
            self._receivers.remove(receiver)
        for item in self.control.list_endpoints():
            if item.url == receiver.url:
                self.control.remove_endpoint(item.name)

    def _restored(self):
        """Forgets what arrived in the time that was undone."""
        for receiver in self._receivers:
            receiver.clear()

    # Apple's library

    def api_client(self, kind=None):
        """Apple's client, unchanged, with the address, the key and the bundle id of this app. `kind` is another class
        with the same arguments, such as AsyncAppStoreServerAPIClient."""
        kind = kind or apple("api_client", "AppStoreServerAPIClient", "app.api_client()")
        client = kind(
            self.private_key.encode(), self.key_id, self.issuer_id, self.bundle_id, self.library_environment()
        )
        # The library has no argument for the address.
        client._base_url = self.address
        return client

    def verifier(self):
        """Apple's verifier, unchanged, which trusts the root certificate of this server."""
        kind = apple("signed_data_verifier", "SignedDataVerifier", "app.verifier()")
        apple_id = self.app_apple_id if self.environment == "production" else None
        return kind([self.till.root_certificate], False, self.library_environment(), self.bundle_id, apple_id)

    def library_environment(self):
        """The environment as Apple's library names it."""
        return apple("models.Environment", "Environment", "app.library_environment()")(self.environment.capitalize())

    def signature_creator(self, kind):
        """One of the signature creators of Apple's library for offers, with the key of this app."""
        return kind(self.private_key.encode(), self.key_id, self.issuer_id, self.bundle_id)

    # State

    def snapshot(self):
        """Restores the state of this app at the end of a `with` block."""
        return self.till.snapshot(self)

    def delete(self):
        """Deletes the app with its customers, its notifications and its key."""
        if self in self.till.apps:
            self.till.apps.remove(self)
            # Without its server, the app does not exist either.
            with contextlib.suppress(ServerEnded):
                delete_app(self.till.control, self.bundle_id)

    def __enter__(self) -> App:
        return self

    def __exit__(self, *_):
        self.delete()


def _free_name(used) -> str:
    """The first name of an endpoint that is not used: "primary", "test", "test-2" and so on."""
    names = itertools.chain(["primary", "test"], (f"test-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in used)


def _content(catalog: Union[dict, str, os.PathLike]) -> dict:
    if isinstance(catalog, dict):
        return catalog
    try:
        return json.loads(Path(catalog).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TillError(f"There is no catalog {Path(catalog).resolve()}") from None
    except ValueError as error:
        raise TillError(f"The catalog {catalog} is not JSON: {error}") from error
