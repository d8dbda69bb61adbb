"""The console in a browser: a whole story by clicking, every page checked on the way."""

import pytest
import requests

from console_browser import REPOSITORY, Browser
from listening_post import ListeningPost
from shop_helpers import ControlClient, Till

BUNDLE = "com.example.console"
FILE = "What it sells: a .storekit file of Xcode's"
HOSTILE = "<script>alert(1)</script>"
TEXTS = [("ar_SA", "مجموعة النباتات"), ("ja_JP", "植物標本集"), ("en_US", "Herbarium 🌿🍂")]
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

    def test_a_environment_is_set_up(self, browser, post):
        browser.click("sandbox")
        browser.see("Clock of the environment")
        browser.act("Freeze")
        browser.see("stands still")
        browser.act("Set", {"Address": post.url})
        browser.see(post.url, "#endpoints")
        browser.act("Change", {"Grace period": "16 days"})
        browser.see("16 days", "#rules")
        browser.examine("environment")

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
        verbs.call("advanceClock", {"by": "P1M"}, bundleId=BUNDLE, environment="sandbox")
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
        browser.act("The card is accepted")
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

    def test_a_mark_leads_to_the_notification_with_its_layers_and_attempts(self, browser):
        browser.follow(browser.mark_of("DID_FAIL_TO_RENEW/GRACE_PERIOD"))
        assert browser.heading == "DID_FAIL_TO_RENEW / GRACE_PERIOD"
        browser.see("Unsuccessful HTTP response code 500", "#deliveries")
        browser.see("next attempt", "#deliveries")
        for layer in ("transactionId", "autoRenewProductId", "notificationUUID"):
            browser.see(layer)
        browser.examine("notification")

    def test_it_is_sent_again_and_its_arrival_appears_without_a_reload(self, browser, post):
        post.answer = 200
        before = len(post.received)
        browser.act("Send again everywhere")
        browser.see("Success 200", "#deliveries")
        assert len(post.wait_for(before + 1)) > before
        browser.click("ann")
        browser.see("arrived DID_FAIL_TO_RENEW/GRACE_PERIOD", "#told")

    def test_notifications_are_listed(self, browser):
        browser.click("Notifications")
        browser.see("DID_RENEW")
        browser.examine("notifications")

    def test_a_transaction_is_refunded_in_part(self, browser):
        browser.click("Customers")
        browser.click("ann")
        newest = browser.one("#rows tbody tr:first-child th a")
        browser.follow(newest)
        browser.examine("transaction")
        browser.act("Refund", {"How much": "A part", "Percent, of a part": "25"})
        browser.see("REFUND", "#effect")
        browser.see("refund prorated")
        browser.click("ann")
        assert browser.visible(".tl-revoked")
        browser.see("revoked", ".subscription h3")

    def test_a_parent_is_asked_and_a_family_shares(self, browser):
        browser.act("Must ask to buy")
        browser.act("Buy", {"Product": "Herbarium (com.example.till.demo.herbarium)"})
        browser.see("a parent", "#waiting")
        browser.examine("customer-waiting")
        browser.act("Approve")
        browser.see("ONE_TIME_CHARGE", "#effect")
        browser.act("May buy without asking")
        browser.act("Buy", {"Product": "Gardener monthly (com.example.till.demo.gardener.month)"})
        browser.act("Let them join", {"A customer of the environment": "ann"})
        browser.see("refused", "#effect")

    def test_what_was_refused_is_explained(self, browser, till):
        answer = requests.get(f"{till.address('sandbox')}/inApps/v1/subscriptions/1", timeout=20)
        assert answer.status_code == 401
        browser.open()
        browser.see("/inApps/v1/subscriptions/1")
        browser.click("Requests")
        browser.examine("requests")
        browser.follow(browser.one("#requests tbody tr:first-child th a"))
        browser.see("401")
        browser.examine("request")

    def test_something_goes_wrong_on_demand(self, browser):
        browser.click("Faults")
        browser.examine("faults")

    def test_a_secret_is_shown_once(self, browser):
        browser.click("Keys and certificates")
        browser.act("Make a key", {"What it is for": "backend"})
        secret = browser.one("textarea[readonly]").get_attribute("value")
        assert secret.startswith("-----BEGIN PRIVATE KEY-----")
        browser.examine("keys")
        browser.open("/console/keys")
        assert secret.splitlines()[1] not in browser.source()

    def test_what_is_pasted_is_taken_apart(self, browser, verbs):
        scope = {"bundleId": BUNDLE, "environment": "sandbox"}
        row = verbs.call("listTransactions", customer="ann", **scope)["transactions"][0]
        signed = verbs.call("getTransaction", transactionId=row["transactionId"], **scope)["signedTransactionInfo"]
        browser.click("Decoder")
        browser.fill("decode-text", signed)
        browser.send("Take it apart")
        browser.see(row["transactionId"])
        browser.unfold(f"The signed text ({len(signed)} bytes)")
        browser.one("button.copy").click()
        browser.wait(lambda: browser.text("button.copy") == "Copied", "that it was copied")
        browser.examine("decoder")

    def test_names_and_texts_are_shown_as_they_are(self, browser, verbs):
        catalog = verbs.call("getCatalog", bundleId=BUNDLE)
        product = next(product for product in catalog["products"] if product["productId"].endswith("herbarium"))
        product["localizations"] = [
            {"locale": locale, "displayName": name, "description": f"{name} <b>&amp;</b>"} for locale, name in TEXTS
        ]
        verbs.call("putCatalog", catalog, bundleId=BUNDLE)
        browser.open(f"/console/apps/{BUNDLE}/sandbox/catalog")
        for _, name in TEXTS:
            browser.see(name)
        browser.click("Herbarium")
        for _, name in TEXTS:
            browser.see(f"{name} <b>&amp;</b>")
        browser.examine("product-texts")
        browser.click("Customers")
        browser.act("Make a customer", {"Name": HOSTILE})
        browser.click(HOSTILE)
        assert browser.heading == HOSTILE
        browser.act("Buy", {"Product": MONTHLY})
        browser.examine("customer-hostile")

    def test_all_of_it_can_be_done_with_the_keyboard(self, browser):
        browser.open(f"/console/apps/{BUNDLE}/sandbox/customers/ann")
        browser.press("TAB")
        assert browser.focused.text == "Skip to the content"
        browser.press("ENTER")
        browser.focus("Decline everything")
        browser.settle_after("ENTER")
        browser.see("declined", "#about")
        assert browser.focused.get_attribute("id") == "effect", "what was caused is not where the reader is"

    def test_all_of_it_can_be_done_without_script(self, browser):
        browser.without_script(True)
        try:
            browser.open(f"/console/apps/{BUNDLE}/sandbox/customers/ann")
            browser.one("#card-setCard-accepted").click()
            browser.wait(lambda: "Done." in browser.text("#effect"), "what was caused")
        finally:
            browser.without_script(False)

    def test_the_shop_begins_again(self, browser):
        browser.open()
        browser.click("Snapshots")
        browser.act("Save", {"Name": "before"})
        browser.examine("snapshots")
        browser.act("Reset", {"Erase it": True})
        browser.click("Overview")
        browser.click("sandbox")
        browser.see("Nobody yet.")


def test_who_comes_from_elsewhere_signs_in(serve):
    till = serve("--control-address", "127.0.0.2")
    token = (till.data / "control-token").read_text().strip()
    browser = Browser(till.address("control"))
    browser.open("/console/snapshots")
    assert browser.heading == "Sign in"
    browser.examine("sign-in")
    browser.fill("token", token[:-1] + "_")
    browser.send("Sign in")
    browser.see("Sign in", "h1")
    browser.fill("token", token)
    browser.send("Sign in")
    assert browser.heading == "Snapshots", "who signs in comes to where they wanted to go"
    browser.send("Sign out")
    browser.open("/console/snapshots")
    assert browser.heading == "Sign in"
    browser.close()
