"""The console in a browser: a whole story by clicking, every page checked on the way."""

import pytest

from console_browser import REPOSITORY, Browser
from shop_helpers import ControlClient, Till

BUNDLE = "com.example.console"
STOREKIT = REPOSITORY / "Sources/TillShop/Resources/demo.storekit"


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    """A server whose only visitor is the browser of this file."""
    till = Till(tmp_path_factory.mktemp("console"))
    yield till
    assert till.stop() == 0, "till serve did not end well on SIGTERM"


@pytest.fixture(scope="module")
def verbs(till):
    return ControlClient(till.address("control"))


@pytest.fixture(scope="module")
def browser(till):
    browser = Browser(till.address("control"))
    yield browser
    browser.close()


class TestStory:
    """Each test goes on where the one before it ended."""

    def test_the_port_leads_a_browser_to_the_overview(self, browser):
        browser.open("/")
        assert browser.path == "/console/"
        assert browser.heading == "Overview"
        browser.see("There is no app yet")
        browser.examine("overview-empty")

    def test_an_app_is_made_of_a_storekit_file(self, browser):
        browser.act("Make the app", {"Bundle identifier": BUNDLE, "What it sells: a .storekit file of Xcode's": STOREKIT})
        browser.see("Done.", "#effect")
        browser.see(BUNDLE)
        browser.examine("overview")

    def test_the_realm_shows_its_clock(self, browser):
        browser.click("sandbox")
        browser.see("Clock of the realm")
        browser.act("Freeze")
        browser.see("stands still")
        browser.examine("realm")

    def test_a_customer_is_made(self, browser):
        browser.click("All customers")
        browser.act("Make a customer", {"Name": "ann"})
        browser.examine("customers")
        browser.click("ann")
        assert browser.heading == "ann"
        browser.examine("customer-empty")

    def test_a_trial_is_bought(self, browser):
        browser.act("Buy", {"Product": "Balcony monthly (com.example.till.demo.balcony.month)"})
        browser.see("SUBSCRIBED/INITIAL_BUY", "#effect")
        browser.see("active", ".subscription")
        browser.examine("customer-trial")

    def test_a_month_passes_and_the_renewal_appears_without_a_reload(self, browser):
        browser.act("Advance", {"By": "1mo"})
        browser.examine("customer-renewed")
