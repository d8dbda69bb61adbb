"""A catalog with every product type and every kind of offer, and the prices of its products."""

ONE, TWO = "20450880", "20450881"

COINS = "com.example.shop.coins"
TICKETS = "com.example.shop.tickets"
SEASON = "com.example.shop.season"
FOREVER = "com.example.shop.forever"
SOLO = "com.example.shop.solo"
BASIC = "com.example.shop.basic.month"
BASIC_YEAR = "com.example.shop.basic.year"
PRO = "com.example.shop.pro.month"
EXTRA = "com.example.shop.extra.week"

# These prices are in thousandths of the currency unit.
PRICES = {COINS: 990, TICKETS: 1990, SEASON: 4990, FOREVER: 9990, SOLO: 2990, BASIC: 4990, BASIC_YEAR: 39990,
          PRO: 9990, EXTRA: 1490}


def product(product_id, type_, price, **more):
    return {"productId": product_id, "type": type_, "referenceName": product_id, "price": price, "currency": "USD",
            "familyShareable": False, "forSale": True, "localizations": [], "offers": [], **more}


def plan(group, level, period):
    return {"groupId": group, "level": level, "period": period}


def _paid(kind, mode, price, period, count=1, **more):
    return {"kind": kind, "mode": mode, "price": price, "currency": "USD", "period": period, "periodCount": count,
            **more}


CATALOG = {
    "groups": [
        {"groupId": ONE, "name": "One", "localizations": []},
        {"groupId": TWO, "name": "Two", "localizations": []},
    ],
    "products": [
        product(COINS, "CONSUMABLE", "0.99", prices={
            "DEU": {"price": "1.09", "currency": "EUR"}, "JPN": {"price": "160", "currency": "JPY"},
        }),
        product(TICKETS, "CONSUMABLE", "1.99", offers=[
            {"kind": "CODE", "id": "GIFT", "mode": "ONE_TIME", "price": "0.49", "currency": "USD"},
            {"kind": "CODE", "id": "RARE", "mode": "ONE_TIME", "price": "0.99", "currency": "USD",
             "redemptionLimit": 2},
        ]),
        product(SEASON, "NON_RENEWABLE", "4.99"),
        product(FOREVER, "NON_CONSUMABLE", "9.99", familyShareable=True),
        product(SOLO, "NON_CONSUMABLE", "2.99"),
        product(BASIC, "AUTO_RENEWABLE", "4.99", familyShareable=True, subscription=plan(ONE, 2, "P1M"), offers=[
            {"kind": "INTRODUCTORY", "mode": "FREE_TRIAL", "period": "P1W", "periodCount": 1},
            _paid("PROMOTIONAL", "PAY_AS_YOU_GO", "2.99", "P1M", 3, id="stay3"),
            _paid("PROMOTIONAL", "PAY_UP_FRONT", "9.99", "P6M", id="half"),
            {"kind": "PROMOTIONAL", "mode": "FREE_TRIAL", "period": "P1M", "periodCount": 1, "id": "month"},
            {"kind": "CODE", "mode": "FREE_TRIAL", "period": "P2M", "periodCount": 1, "id": "SPRING",
             "audience": ["NEW"], "stackable": True},
            _paid("CODE", "PAY_UP_FRONT", "3.99", "P3M", id="BACK", audience=["EXPIRED"]),
            _paid("CODE", "PAY_AS_YOU_GO", "1.99", "P1M", 2, id="STAYING", audience=["EXISTING"]),
            {"kind": "CODE", "mode": "FREE_TRIAL", "period": "P1W", "periodCount": 1, "id": "FEW",
             "redemptionLimit": 3},
            _paid("WIN_BACK", "PAY_UP_FRONT", "6.99", "P3M", id="return"),
        ]),
        product(BASIC_YEAR, "AUTO_RENEWABLE", "39.99", subscription=plan(ONE, 2, "P1Y")),
        product(PRO, "AUTO_RENEWABLE", "9.99", familyShareable=True, subscription=plan(ONE, 1, "P1M")),
        product(EXTRA, "AUTO_RENEWABLE", "1.49", subscription=plan(TWO, 1, "P1W"), offers=[
            _paid("INTRODUCTORY", "PAY_AS_YOU_GO", "0.49", "P1W", 4),
        ]),
    ],
}
