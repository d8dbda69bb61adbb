"""The command that deletes old notifications, and the settings that limit retention. Which notifications are deleted
is tested in Tests/TillServerTests/Control/RetentionControlTests.swift."""

from catalog_of_everything import CATALOG, COINS
from process_helpers import run_till
from shop_helpers import App


def notifications(shop):
    return shop.sandbox.control("listNotifications", query={"limit": "100"})["notifications"]


def test_the_command_counts_and_deletes_notifications(serve):
    till = serve()
    shop = App(till, "com.example.shop", 1234567890, None, CATALOG)
    shop.sandbox.buy_many("ann", COINS, 5)
    before = notifications(shop)
    assert len(before) == 5
    here = ["--data", till.data]
    dry = run_till("notification", "delete", "--yes", "--days", "0", "--dry-run", *here, code=0)
    assert "Nothing was changed" in dry.stdout and "5" in dry.stdout
    assert notifications(shop) == before
    assert "Nothing was changed" not in run_till("notification", "delete", "--yes", "--days", "0", *here, code=0).stdout
    assert notifications(shop) == []
    assert till.stop() == 0
    run_till("doctor", *here, code=0)


def test_without_reset_permission_pruning_is_limited_by_the_setting(serve):
    till = serve("--demo", "--allow-reset", "false", "--notification-days", "90")
    here = ["--data", till.data]
    assert "--allow-reset" in run_till("notification", "delete", "--yes", "--days", "89", *here, code=1).stderr
    run_till("notification", "delete", "--yes", "--days", "90", "--dry-run", *here, code=0)
    outcome = run_till("notification", "delete", "--yes", "--json", *here, code=0)
    assert '"sandboxDays":90' in outcome.stdout.replace(" ", "")
    assert '"notifications":0' in outcome.stdout.replace(" ", ""), "notifications of the demo are new in real time"
