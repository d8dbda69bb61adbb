"""The console in a browser, checked page by page in one long scenario."""

import pytest
import requests

from console_browser import LOOKS, REPOSITORY, Browser
from listening_post import ListeningPost
from shop_helpers import Till

BUNDLE = "com.example.console"
FILE = "Xcode .storekit file with the products (optional)"
HOSTILE = "<script>alert(1)</script>"
TEXTS = [("ar_SA", "مجموعة النباتات"), ("ja_JP", "植物標本集"), ("en_US", "Herbarium 🌿🍂")]
MONTHLY = "Balcony monthly"
SERVER_PAGES = ["/console/search?q=e", "/console/comparison", "/console/decoder"]
STOREKIT = REPOSITORY / "Sources/TillShop/Resources/demo.storekit"


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    """A server for the browser of this module."""
    with Till(tmp_path_factory.mktemp("console")) as till:
        yield till


@pytest.fixture(scope="module")
def verbs(till):
    return till.client


@pytest.fixture(scope="module")
def browser(till):
    browser = Browser(till.address("control"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def post():
    """The developer's server, which receives notifications."""
    post = ListeningPost()
    yield post
    post.close()


class TestStory:
    """The tests run in this order, and each continues from the state that the previous test left."""

    def test_the_root_path_redirects_to_the_overview(self, browser):
        browser.open("/")
        assert browser.path == "/console/"
        assert browser.heading == "Overview"
        browser.see("No apps yet.")
        browser.examine("overview-empty")

    def test_an_app_is_created_from_a_storekit_file(self, browser):
        browser.act("Create app", {"Bundle ID": BUNDLE, FILE: STOREKIT})
        browser.see(": done", "#effect")
        browser.see(BUNDLE)
        browser.examine("overview")

    def test_an_environment_is_configured(self, browser, post):
        browser.click("sandbox")
        browser.see("Sandbox clock")
        browser.act("Freeze")
        browser.see("Frozen")
        browser.act("Set endpoint", {"URL": post.url})
        browser.see(post.url, "#endpoints")
        browser.act("Save", {"Notification types, one per line (empty: all)": ""}, "#edit-primary")
        browser.see(post.url, "#endpoints")
        browser.act("Save settings", {"Grace period": "16 days"})
        browser.see("Grace period: 16 days", "#effect")
        assert browser.one("#updateSettings-grace-days").get_attribute("value") == "16"
        browser.examine("environment")

    def test_live_updates_do_not_wipe_a_rejected_form(self, browser, verbs):
        browser.act("Advance", {"Advance by": "soon"})
        browser.see("Advance by must be a duration", ".clock-actions")
        # The update of another region shows that the page has been updated since then.
        verbs.call("createCustomer", {"customer": "waiting"}, bundleId=BUNDLE, environment="sandbox")
        browser.see("waiting", "#customers")
        field = browser.one(".clock-actions input[name=by]")
        assert field.get_attribute("value") == "soon" and field.get_attribute("aria-invalid") == "true"
        browser.examine("rejected")
        verbs.call("eraseCustomer", bundleId=BUNDLE, environment="sandbox", customer="waiting")

    def test_the_catalog_is_shown(self, browser):
        browser.click("Catalog")
        browser.see("Balcony monthly")
        browser.examine("catalog")
        browser.click("Balcony monthly")
        browser.examine("product")

    def test_a_customer_is_created(self, browser):
        browser.click("Customers")
        browser.act("Create customer", {"Name": "ann"})
        browser.examine("customers")
        browser.click("ann")
        assert browser.heading == "ann"
        browser.examine("customer-empty")

    def test_only_the_offers_of_the_selected_product_are_shown(self, browser):
        def shown():
            groups = browser.all("#buyProduct optgroup")
            return {group.get_attribute("data-of") for group in groups if group.is_enabled()}

        browser.choose("#buyProduct", "Product", MONTHLY)
        assert shown() == {"com.example.till.demo.balcony.month"}
        browser.choose("#buyProduct", "Product", "Herbarium")
        assert not shown()

    def test_a_trial_is_bought(self, browser, post):
        browser.act("Buy", {"Product": MONTHLY})
        browser.see("SUBSCRIBED/INITIAL_BUY", "#effect")
        browser.see("active", ".subscription")
        assert browser.periods() == ["trial"]
        post.wait_for(1)
        browser.see("delivered", "#notifications")
        browser.examine("customer-trial")

    def test_a_month_passes_and_the_renewal_appears_without_a_reload(self, browser, verbs, post):
        browser.mark()
        verbs.call("advanceClock", {"by": "P1M"}, bundleId=BUNDLE, environment="sandbox")
        browser.wait(lambda: browser.periods() == ["trial", "paid"], "the renewal on the timeline")
        browser.see("DID_RENEW", "#notifications")
        assert browser.is_marked(), "the page was reloaded"
        browser.examine("customer-renewed")

    def test_the_clock_is_advanced_by_clicking(self, browser):
        browser.act("Advance", {"Advance by": "1mo"})
        browser.see("DID_RENEW", "#effect")
        assert browser.periods() == ["trial", "paid", "paid"]

    def test_a_declined_card_leads_to_a_grace_period(self, browser, post):
        browser.act("Payment method: decline renewals")
        browser.see("declined for renewals", "#about")
        post.wait_for(3)
        post.answer = 500
        browser.act("Advance", {"Advance by": "12d"})
        browser.see("DID_FAIL_TO_RENEW/GRACE_PERIOD", "#effect")
        browser.see("grace period", ".subscription")
        assert browser.visible(".tl-grace")
        browser.wait(lambda: browser.visible(".tl-pending"), "the mark of an undelivered notification")
        browser.see("retrying", "#notifications")
        browser.examine("customer-grace")

    def test_the_renewal_info_is_shown_in_words_and_as_json(self, browser):
        browser.unfold("Renewal details")
        browser.see("billing failed", ".subscription")
        browser.see('"gracePeriodExpiresDate"', ".subscription")

    def test_a_valid_card_recovers_the_subscription(self, browser):
        browser.act("Payment method: accept payments")
        browser.see("DID_RENEW/BILLING_RECOVERY", "#effect")
        assert browser.periods() == ["trial", "paid", "paid", "paid"]
        # The bars of the grace period and of the paid period overlap.
        assert browser.visible(".tl-grace")
        browser.examine("customer-recovered")

    def test_a_plan_is_changed_for_the_next_period(self, browser):
        browser.act("Change plan", {"New plan": "Single pot weekly (level 3)", "Offer": "None"}, ".subscription")
        browser.see("DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "#effect")
        assert browser.visible(".tl-planned")
        browser.examine("customer-changed")

    def test_a_mark_links_to_the_notification_with_its_layers_and_attempts(self, browser):
        browser.follow(browser.mark_of("DID_FAIL_TO_RENEW/GRACE_PERIOD"))
        assert browser.heading == "DID_FAIL_TO_RENEW / GRACE_PERIOD"
        browser.see("Unsuccessful HTTP response code 500", "#deliveries")
        browser.see("next attempt", "#deliveries")
        for layer in ("transactionId", "autoRenewProductId", "notificationUUID"):
            browser.see(layer)
        browser.examine("notification")

    def test_it_is_resent_and_its_delivery_appears_without_a_reload(self, browser, post):
        post.answer = 200
        before = len(post.received)
        browser.act("Resend to all endpoints")
        browser.see("Success 200", "#deliveries")
        assert len(post.wait_for(before + 1)) > before
        browser.click("ann")
        browser.see("delivered DID_FAIL_TO_RENEW/GRACE_PERIOD", "#notifications")

    def test_notifications_are_listed(self, browser):
        browser.click("Notifications")
        browser.see("DID_RENEW")
        browser.examine("notifications")

    def test_a_transaction_is_partially_refunded(self, browser):
        browser.click("Customers")
        browser.click("ann")
        newest = browser.one("#rows tbody tr:first-child th a")
        browser.follow(newest)
        browser.examine("transaction")
        browser.act("Refund", {"Amount": "Percentage", "Percent": "25"})
        browser.see("REFUND", "#effect")
        browser.see("refund prorated")
        browser.click("ann")
        assert browser.visible(".tl-revoked")
        browser.see("revoked", ".subscription h3")

    def test_ask_to_buy_and_family_sharing(self, browser):
        browser.act("Require Ask to Buy")
        browser.act("Buy", {"Product": "Herbarium"})
        browser.see("parental approval", "#waiting")
        browser.examine("customer-waiting")
        browser.act("Approve")
        browser.see("ONE_TIME_CHARGE", "#effect")
        browser.act("Turn off Ask to Buy")
        browser.act("Buy", {"Product": "Gardener monthly"})
        browser.act("Add a family member", {"Customer": "ann"})
        browser.see("failed", "#effect")

    def test_a_family_is_drawn_as_a_tree(self, browser, verbs):
        scope = {"bundleId": BUNDLE, "environment": "sandbox"}
        verbs.call("createFamily", {"organizer": "carla", "members": ["dora", "emil"]}, **scope)
        verbs.call("buyProduct", {"productId": "com.example.till.demo.herbarium"}, customer="carla", **scope)
        browser.open(f"/console/apps/{BUNDLE}/sandbox/customers/dora")
        tree = browser.text("#family ul.family")
        assert "carla organizer" in tree and tree.count("from carla") == 2, tree
        browser.examine("customer-family")

    def test_a_rejected_request_is_explained(self, browser, till):
        answer = requests.get(f"{till.address('sandbox')}/inApps/v1/subscriptions/1", timeout=20)
        assert answer.status_code == 401
        browser.open()
        browser.see("/inApps/v1/subscriptions/1")
        browser.click("Requests")
        browser.examine("requests")
        browser.follow(browser.one("#requests tbody tr:first-child th a"))
        browser.see("401")
        browser.examine("request")

    def test_the_faults_page_is_shown(self, browser):
        browser.click("Faults")
        browser.examine("faults")

    def test_a_private_key_is_shown_once(self, browser):
        browser.click("Keys and certificates")
        browser.act("Create API key", {"Name": "backend"})
        secret = browser.one("textarea[readonly]").get_attribute("value")
        assert secret.startswith("-----BEGIN PRIVATE KEY-----")
        browser.examine("keys")
        browser.open("/console/keys")
        assert secret.splitlines()[1] not in browser.source()

    def test_a_pasted_text_is_decoded(self, browser, verbs):
        scope = {"bundleId": BUNDLE, "environment": "sandbox"}
        row = verbs.call("listTransactions", customer="ann", **scope)["transactions"][0]
        signed = verbs.call("getTransaction", transactionId=row["transactionId"], **scope)["signedTransactionInfo"]
        browser.click("Decoder")
        browser.fill("decode-text", signed)
        browser.send("Decode")
        browser.see(row["transactionId"])
        browser.unfold(f"JWS ({len(signed)} bytes)")
        browser.one("button.copy").click()
        browser.wait(lambda: browser.text("button.copy") == "Copied", "the copied text")
        browser.examine("decoder")

    def test_names_and_localizations_are_shown_as_text(self, browser, verbs):
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
        browser.act("Create customer", {"Name": HOSTILE})
        browser.click(HOSTILE)
        assert browser.heading == HOSTILE
        browser.act("Buy", {"Product": MONTHLY})
        browser.examine("customer-hostile")

    def test_an_exact_match_of_the_search_leads_straight_to_its_page(self, browser, verbs):
        scope = {"bundleId": BUNDLE, "environment": "sandbox"}
        row = verbs.call("listTransactions", customer="ann", **scope)["transactions"][0]
        sent = verbs.call("listNotifications", **scope)["notifications"][0]["notificationUUID"]
        for page, value, target in [
            ("/console/faults", "ann", "customers/ann"),
            (f"/console/apps/{BUNDLE}/sandbox/catalog", row["orderId"], f"transactions/{row['transactionId']}"),
            ("/console/", sent.upper(), f"notifications/{sent}"),
        ]:
            browser.open(page)
            browser.fill("search-value", value)
            browser.send("Search")
            assert browser.path == f"/console/apps/{BUNDLE}/sandbox/{target}"

    def test_several_matches_and_no_match_are_shown(self, browser, verbs):
        for environment in ("sandbox", "production"):
            verbs.call("createCustomer", {"customer": "annabel"}, bundleId=BUNDLE, environment=environment)
        browser.fill("search-value", "anna")
        browser.send("Search")
        browser.see("Customers", "#found-customer")
        assert len(browser.all(".found li")) == 2
        browser.examine("search-several")
        browser.fill("search-value", "nobody")
        browser.send("Search")
        browser.see("Nothing found")
        browser.see("What you can search for")
        browser.examine("search-none")

    def test_a_snapshot_is_compared_with_the_current_state(self, browser, verbs):
        verbs.call("saveSnapshot", name="compared")
        verbs.call("updateCustomer", {"card": "declined"}, customer="ann", bundleId=BUNDLE, environment="sandbox")
        verbs.call("createCustomer", {"customer": "zoe"}, bundleId=BUNDLE, environment="sandbox")
        browser.open("/console/snapshots")
        browser.send("Compare")
        browser.see("zoe", ".differences")
        browser.see("declined", ".differences dl")
        browser.examine("comparison")
        browser.click("zoe", ".differences")
        assert browser.heading == "zoe"
        verbs.call("removeSnapshot", name="compared")
        verbs.call("updateCustomer", {"card": "accepted"}, customer="ann", bundleId=BUNDLE, environment="sandbox")

    def test_a_phone_searches_with_the_enter_key(self, browser):
        with browser.on_a_phone():
            browser.open("/console/keys")
            browser.fill("search-value", "ann")
            browser.one("#search-value").click()
            browser.settle_after("ENTER")
            assert browser.heading == "ann"

    def test_the_console_works_with_the_keyboard(self, browser):
        browser.open(f"/console/apps/{BUNDLE}/sandbox/customers/ann")
        browser.press("TAB")
        assert browser.focused.text == "Skip to content"
        browser.press("ENTER")
        browser.focus("Payment method: decline all payments")
        browser.settle_after("ENTER")
        browser.see("declined", "#about")
        assert browser.focused.get_attribute("id") == "effect", "the result does not have the focus"

    def test_the_navigation_is_one_row_on_a_phone(self, browser):
        with browser.on_a_phone():
            browser.open(f"/console/apps/{BUNDLE}/sandbox/customers/ann")
            assert not browser.visible("header nav a"), "the places are in the menu"
            assert browser.one("header .bar:first-child").size["height"] < 60
            browser.one(".menu summary").click()
            browser.examine_now("menu")
            browser.click("Snapshots", ".menu")
            assert browser.heading == "Snapshots"

    def test_the_console_works_without_script(self, browser):
        browser.without_script(True)
        try:
            browser.open(f"/console/apps/{BUNDLE}/sandbox/customers/ann")
            browser.one("#card-updateCustomer-accepted").click()
            browser.wait(lambda: ": done" in browser.text("#effect"), "the result")
        finally:
            browser.without_script(False)

    def test_the_shop_is_reset(self, browser):
        browser.open()
        browser.click("Snapshots")
        browser.act("Save snapshot", {"Name": "before"})
        browser.examine("snapshots")
        browser.act("Reset", {"Delete this data": True})
        browser.click("Overview")
        browser.click("sandbox")
        browser.see("No customers yet.")


def test_a_remote_user_signs_in(serve):
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
    assert browser.heading == "Snapshots", "the sign-in does not return to the requested page"
    with browser.on_a_phone():
        assert browser.one("header .bar:first-child").size["height"] < 60
        assert browser.one("#search-value").size["width"] > 80
        browser.examine_now("signed-in")
    browser.send("Sign out")
    browser.open("/console/snapshots")
    assert browser.heading == "Sign in"
    browser.close()


def test_a_production_server_has_its_band_on_every_page(serve):
    till = serve("--demo", "--production-guard", "true")
    browser = Browser(till.address("control"))
    environment = "/console/apps/com.example.till.demo/production"
    till.client.call("createCustomer", {"customer": "eva"}, bundleId="com.example.till.demo", environment="production")
    pages = set(SERVER_PAGES) | {f"{environment}/customers/eva"}
    for start in ["/console/", environment]:
        browser.open(start)
        # A live update may replace a link after the test has found it.
        links = browser.wait(
            lambda: [link.get_attribute("href") for link in browser.all("header nav.places a, main a")], "links"
        )
        pages |= {link.removeprefix(browser.address) for link in links if link}
    pages = {page for page in pages if page.startswith(("/console/", environment)) and "sandbox" not in page}
    assert len(pages) > 14
    for page in sorted(pages):
        browser.open(page)
        expected = "Production, guarded:" if page.startswith(environment) else "This server guards"
        for look in LOOKS[0], LOOKS[2]:
            browser._look(*look[1:])
            band = browser.one("#production-band")
            assert band.is_displayed() and band.text.startswith(expected), page
            box = band.rect
            assert box["y"] == 0 and box["width"] >= look[1][0] - 20, f"{page}: {box}"
    browser.open(f"{environment}/customers/eva")
    browser.examine("production")
    browser.close()


def test_the_tour_of_the_demo_shop_works(serve):
    """Follows the sentences of the tour, which name links and buttons."""
    till = serve("--demo")
    browser = Browser(till.address("control"))
    browser.open("/")
    browser.see("What to click first", ".tour")
    assert len(browser.all(".tour li")) == 5
    browser.examine("tour")
    browser.click("ann", ".tour")
    assert browser.periods(), "the timeline is empty"
    browser.act("Advance to next event")
    browser.see("DID_RENEW", "#effect")
    browser.act("Payment method: decline renewals")
    browser.act("Advance to next event")
    browser.see("DID_FAIL_TO_RENEW", "#effect")
    browser.open()
    browser.click("set an endpoint", ".tour")
    browser.see("Set endpoint", "main")
    browser.open()
    browser.click("snapshot", ".tour")
    assert browser.heading == "Snapshots"
    browser.close()
