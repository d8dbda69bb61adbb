"""A suite with the ways to choose the app: an app for a module, a web application of the same name, a wrong mark."""

import os
from pathlib import Path

import pytest

CATALOG = Path(os.environ["CATALOG"])


class TestOneAppForAClass:
    @pytest.fixture(scope="class")
    def app(self, till):
        with till.app(CATALOG) as app:
            yield app

    @pytest.fixture(autouse=True)
    def restored(self, app):
        with app.snapshot():
            yield

    @pytest.mark.parametrize("number", range(2))
    def test_has_the_same_state_each_time(self, app, endpoint, clock, number):
        assert app.control.list_customers().customers == []
        assert clock is app.clock
        app.customer("ann").buy("pro.month")
        endpoint.expect("SUBSCRIBED")
        clock.advance("1w")


class TestAProjectWithAnotherFixtureApp:
    @pytest.fixture
    def app(self):
        return "a web application"

    def test_uses_till_app(self, app, till_app, endpoint, clock):
        assert app == "a web application" and clock is till_app.clock
        assert [item.url for item in till_app.control.list_endpoints()] == [endpoint.url]


@pytest.mark.till(catalog=CATALOG, start="2025-01-31T12:00:00Z")
class TestMarks:
    @pytest.mark.till(environment="production")
    def test_the_nearest_counts(self, app, clock, endpoint):
        assert (app.environment, clock.now.isoformat()) == ("production", "2025-01-31T12:00:00+00:00")
        app.customer("ann").buy("pro.month")
        assert endpoint.expect("SUBSCRIBED").payload.data.appAppleId == app.app_apple_id

    @pytest.mark.till(catalogue="Shop.storekit")
    def test_a_wrong_keyword(self, app):
        pass

    @pytest.mark.till(catalog="Missing.storekit")
    def test_a_missing_catalog(self, app):
        pass
