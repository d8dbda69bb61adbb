"""A backend that does not know Till, and stores purchases in PostgreSQL on localhost.

It asks Apple about one transaction of each environment, checks the receipts, and stores all of these over one
connection that stays open. Its arguments are those of unchanged_backend.py. Its environment variables are DATABASE_PORT
and optionally DATABASE_HOST (default: localhost).
"""

import json
import os
import sys

import pg8000.dbapi

from unchanged_backend import look_up_all


def main():
    database = pg8000.dbapi.connect(
        user="till", database="till", host=os.environ.get("DATABASE_HOST", "localhost"),
        port=int(os.environ["DATABASE_PORT"]), timeout=20,
    )
    cursor = database.cursor()
    cursor.execute("create table if not exists bought (transaction_id text primary key, environment text, receipt int)")
    found = look_up_all(sys.argv[1:])
    for each in found.values():
        row = (each["transactionId"], each["environment"], each["receipt"]["answer"]["status"])
        cursor.execute("insert into bought values (%s, %s, %s)", row)
    database.commit()
    database.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
