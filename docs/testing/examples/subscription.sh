#!/usr/bin/env bash
set -euo pipefail
source "$(dirname "$0")/till.sh"
start_till
create_app com.example.shop "$(dirname "$0")/Shop.storekit"

# The server under test: it decides from a transaction, on its standard input, who has access at this time.
has_access() {
    jq --argjson now "$1" '.revocationDate == null and .expiresDate > $now'
}

# payments TRANSACTION_ID: the prices in the transaction history.
payments() {
    apple "/inApps/v2/history/$1" | jq -r '.signedTransactions[]' | payload | jq -rs 'map(.price) | join(" ")'
}

# Ann subscribes. The first week is free.
purchase=$(control POST "$sandbox/customers/ann/purchases" '{"productId": "pro.month"}')
id=$(jq -r .transaction.transactionId <<<"$purchase")
trial=$(expect SUBSCRIBED/INITIAL_BUY)
check true "$(has_access "$(now)" <<<"$trial")"
check 0 "$(payments "$id")"

# After the week, she pays for the first month.
control POST "$sandbox/clock/advance" '{"by": "1w"}' >/dev/null
check false "$(has_access "$(now)" <<<"$trial")"
renewal=$(expect DID_RENEW)
check true "$(has_access "$(now)" <<<"$renewal")"
check "0 4990" "$(payments "$id")"

# The App Store refunds the month.
control POST "$sandbox/transactions/$(jq -r .transactionId <<<"$renewal")/refund" >/dev/null
refund=$(expect REFUND)
check true "$(jq 'has("revocationDate")' <<<"$refund")"
check false "$(has_access "$(now)" <<<"$refund")"
statuses=$(apple "/inApps/v1/subscriptions/$id")
check 5 "$(jq '.data[0].lastTransactions[0].status' <<<"$statuses")" # revoked
echo "from trial to refund: passed"
