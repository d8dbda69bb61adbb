"""`till doctor` on the data of notifications of version 1 and of receipts. Tests/TillServerTests/API checks both."""

from catalog_of_everything import BASIC, CATALOG
from listening_post import ListeningPost
from notification_checks import listen
from process_helpers import assert_healthy, doctor
from shop_helpers import App


def test_doctor_checks_version_one_and_reports_a_missing_receipt_certificate(serve):
    till = serve()
    sandbox = App(till, "com.example.doctor", 1, None, CATALOG).sandbox
    post = ListeningPost()
    listen(sandbox, post, name="old", version=1)
    sandbox.buy_many("ann", BASIC, 1)
    post.wait_for(1)
    post.close()
    assert sandbox.control("getReceipt", customer="ann")["receipt"]
    till.kill()
    assert_healthy(till.data, "after notifications of version 1 and receipts")
    (till.data / "ca/receipts/leaf.key").unlink()
    found = doctor(till.data)
    assert found.returncode == 3 and "The receipt keys cannot be used" in found.stdout
