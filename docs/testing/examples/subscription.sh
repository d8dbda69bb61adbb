#!/usr/bin/env bash
set -euo pipefail
source "$(dirname "$0")/till.sh"
start_till
create_app com.example.shop "$(dirname "$0")/Shop.storekit"

# The backend under test: it decides from Apple's transaction, on its standard input, who may use Pro at this time.
is_active() {
    jq --argjson time "$1" '.revocationDate == null and .expiresDate > $time'
}

# Ann buys Pro, and gets the free week.
purchase=$(control POST "$sandbox/customers/ann/purchases" '{"productId": "pro.month"}')
id=$(jq -r .transaction.originalTransactionId <<<"$purchase")
trial=$(expect SUBSCRIBED/INITIAL_BUY)
check FREE_TRIAL "$(jq -r .offerDiscountType <<<"$trial")"
check true "$(is_active "$(now)" <<<"$trial")"

# A week later, the first paid month begins.
control POST "$sandbox/clock/advance" '{"by": "7d"}' >/dev/null
check false "$(is_active "$(now)" <<<"$trial")"
renewal=$(expect DID_RENEW)
check true "$(is_active "$(now)" <<<"$renewal")"
history=$(apple "/inApps/v2/history/$id" | jq -r '.signedTransactions[]' | payload)
check "0 4990" "$(jq -rs 'map(.price) | join(" ")' <<<"$history")"

# Ann gets her money back, and loses access.
control POST "$sandbox/transactions/$(jq -r .transactionId <<<"$renewal")/refund" >/dev/null
refund=$(expect REFUND)
check false "$(is_active "$(now)" <<<"$refund")"
statuses=$(apple "/inApps/v1/subscriptions/$id")
check 5 "$(jq '.data[0].lastTransactions[0].status' <<<"$statuses")" # revoked
echo "from trial to refund: passed"
