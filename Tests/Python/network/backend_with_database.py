"""A backend that does not know Till, and stores purchases in PostgreSQL on localhost.

It asks Apple about one transaction of each environment, checks the receipts, and stores all of these over one
connection that stays open. Its arguments are those of unchanged_backend.py. Its environment variables are DATABASE_PORT
and optionally DATABASE_HOST (default: localhost).
"""

import json
import os
import sys

import pg8000.dbapi

import unchanged_backend
from unchanged_receipts import verify_receipt


def main():
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    database = pg8000.dbapi.connect(
        user="backend", database="postgres", host=os.environ.get("DATABASE_HOST", "localhost"),
        port=int(os.environ["DATABASE_PORT"]), timeout=20,
    )
    cursor = database.cursor()
    cursor.execute("create table if not exists bought (transaction_id text primary key, environment text, receipt int)")
    found = {}
    for name, environment in unchanged_backend.ENVIRONMENTS.items():
        found[name] = unchanged_backend.look_up(os.environ, environment, given[name])
        with open(given[f"{name}-receipt"]) as file:
            found[name]["receipt"] = verify_receipt(file.read().strip())
        row = (found[name]["transactionId"], found[name]["environment"], found[name]["receipt"]["answer"]["status"])
        cursor.execute("insert into bought values (%s, %s, %s)", row)
    database.commit()
    database.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
