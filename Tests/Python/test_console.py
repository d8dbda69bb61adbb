"""The console in a browser: a whole story by clicking, every page checked on the way."""

import pytest

from console_browser import REPOSITORY, Browser
from listening_post import ListeningPost
from shop_helpers import ControlClient, Till

BUNDLE = "com.example.console"
FILE = "What it sells: a .storekit file of Xcode's"
MONTHLY = "Balcony monthly (com.example.till.demo.balcony.month)"
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


@pytest.fixture(scope="module")
def post():
    """The developer's server."""
    post = ListeningPost()
    yield post
    post.close()


class TestStory:
    """Each test goes on where the one before it ended."""

    def test_the_port_leads_a_browser_to_the_overview(self, browser):
        browser.open("/")
        assert browser.path == "/console/"
        assert browser.heading == "Overview"
        browser.see("There is no app yet")
        browser.examine("overview-empty")

    def test_an_app_is_made_of_a_storekit_file(self, browser):
        browser.act("Make the app", {"Bundle identifier": BUNDLE, FILE: STOREKIT})
        browser.see("Done.", "#effect")
        browser.see(BUNDLE)
        browser.examine("overview")

    def test_a_realm_is_set_up(self, browser, post):
        browser.click("sandbox")
        browser.see("Clock of the realm")
        browser.act("Freeze")
        browser.see("stands still")
        browser.act("Set", {"Address": post.url})
        browser.see(post.url, "#endpoints")
        browser.act("Change", {"Grace period": "16 days"})
        browser.see("16 days", "#rules")
        browser.examine("realm")

    def test_what_is_sold_is_shown(self, browser):
        browser.click("Catalogue")
        browser.see("Balcony monthly")
        browser.examine("catalogue")
        browser.click("Balcony monthly")
        browser.examine("product")

    def test_a_customer_is_made(self, browser):
        browser.click("Customers")
        browser.act("Make a customer", {"Name": "ann"})
        browser.examine("customers")
        browser.click("ann")
        assert browser.heading == "ann"
        browser.examine("customer-empty")

    def test_a_trial_is_bought(self, browser, post):
        browser.act("Buy", {"Product": MONTHLY})
        browser.see("SUBSCRIBED/INITIAL_BUY", "#effect")
        browser.see("active", ".subscription")
        assert browser.periods() == ["trial"]
        post.wait_for(1)
        browser.see("arrived", "#told")
        browser.examine("customer-trial")

    def test_a_month_passes_and_the_renewal_appears_without_a_reload(self, browser, verbs, post):
        browser.mark()
        verbs.call("advanceClock", {"by": "P1M"}, bundleId=BUNDLE, realm="sandbox")
        browser.wait(lambda: browser.periods() == ["trial", "paid"], "the renewal on the timeline")
        browser.see("DID_RENEW", "#told")
        assert browser.is_marked(), "the page was loaded again"
        browser.examine("customer-renewed")

    def test_time_is_moved_by_clicking(self, browser):
        browser.act("Advance", {"By": "1mo"})
        browser.see("DID_RENEW", "#effect")
        assert browser.periods() == ["trial", "paid", "paid"]

    def test_a_declined_card_leads_into_grace(self, browser, post):
        browser.act("Decline renewals")
        browser.see("declined for renewals", "#about")
        post.wait_for(3)
        post.answer = 500
        browser.act("Advance", {"By": "12d"})
        browser.see("DID_FAIL_TO_RENEW/GRACE_PERIOD", "#effect")
        browser.see("grace period", ".subscription")
        assert browser.visible(".tl-grace")
        browser.wait(lambda: browser.visible(".tl-owed"), "a mark of what has not arrived")
        browser.see("not arrived yet", "#told")
        browser.examine("customer-grace")

    def test_the_renewal_info_is_shown_in_words_and_as_it_is_signed(self, browser):
        browser.unfold("How it renews")
        browser.see("it could not be charged", ".subscription")
        browser.see('"gracePeriodExpiresDate"', ".subscription")

    def test_a_good_card_pays_within_the_grace(self, browser):
        browser.act("The card is good")
        browser.see("DID_RENEW/BILLING_RECOVERY", "#effect")
        assert browser.periods() == ["trial", "paid", "paid", "paid"]
        # The grace lies over what was paid for it.
        assert browser.visible(".tl-grace")
        browser.examine("customer-recovered")

    def test_a_plan_is_changed_for_the_next_period(self, browser):
        browser.act("Change", {"To": "Single pot weekly (level 3)", "Offer": "None"}, ".subscription")
        browser.see("DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "#effect")
        assert browser.visible(".tl-planned")
        browser.examine("customer-changed")
