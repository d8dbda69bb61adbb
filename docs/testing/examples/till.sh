# Functions for tests with curl, jq and openssl, for bash. Source this file, and call start_till and create_app.
# shellcheck shell=bash

# Starts a server with its data in memory, on free ports. It ends with the script.
start_till() {
    work=$(mktemp -d)
    "${TILL_BIN:-till}" serve --ephemeral --production-port 0 --sandbox-port 0 --control-port 0 \
        --ready-file "$work/ready.json" >"$work/log" 2>&1 &
    till=$!
    trap 'kill $till 2>/dev/null; wait $till; rm -r "$work"' EXIT
    until [ -e "$work/ready.json" ]; do
        kill -0 $till 2>/dev/null || { cat "$work/log" >&2; exit 1; }
        sleep 0.05
    done
}

# create_app BUNDLE_ID STOREKIT_FILE: an app with products, an API key, a frozen clock, and a listener, which
# gets the notifications as an endpoint would. Sets `app` and `sandbox`, the beginning of the paths below.
create_app() {
    app=$1 sandbox=/v1/apps/$1/sandbox
    control POST /v1/apps "{\"bundleId\": \"$app\"}" >"$work/app.json"
    control PUT "/v1/apps/$app/catalog/storekit" "@$2" >"$work/catalog.json"
    control POST /v1/keys '{"name": "test"}' >"$work/key.json"
    control PUT "$sandbox/clock" '{"mode": "frozen"}' >"$work/clock.json"
    control GET "$sandbox/listen?wait=0" >"$work/listen.json"
}

# control METHOD PATH [BODY]: a request to the control API. A body that begins with @ is the name of a file.
control() {
    curl -sS --fail-with-body -X "$1" "$(jq -r .control "$work/ready.json")$2" \
        -H 'Content-Type: application/json' ${3:+--data-binary "$3"}
}

# apple PATH: a request to the App Store Server API.
apple() {
    curl -sS --fail-with-body "$(jq -r .sandbox "$work/ready.json")$1" -H "Authorization: Bearer $(token)"
}

# The current time of the app's clock, in milliseconds since 1970.
now() {
    control GET "$sandbox/clock" | jq .now
}

# expect TYPE[/SUBTYPE]: waits for the next notification, checks its type, and prints its transaction.
expect() {
    local delivery notification
    delivery=$(control GET "$sandbox/listen?wait=30")
    control POST "$sandbox/listen/$(jq -r .deliveryToken <<<"$delivery")" '{"status": 200}' >"$work/answer.json"
    notification=$(jq -r '.body | fromjson | .signedPayload' <<<"$delivery" | payload)
    check "$1" "$(jq -r '[.notificationType, .subtype // empty] | join("/")' <<<"$notification")"
    jq -r .data.signedTransactionInfo <<<"$notification" | payload
}

# check EXPECTED FOUND: ends the script if they differ.
check() {
    [ "$1" = "$2" ] || { echo "expected $1, found $2" >&2; exit 1; }
}

# The payload of signed data. These tests trust their own server; a backend must verify the signature.
payload() {
    jq -R 'split(".")[1] | gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson'
}

# A bearer token. openssl signs in DER; a token has the two numbers of the signature, each with 32 bytes.
token() {
    local header claims content signature
    header=$(jq -jc '{alg: "ES256", kid: .keyId, typ: "JWT"}' "$work/key.json" | base64url)
    claims=$(jq -jc --arg app "$app" '{iss: .issuerId, iat: (now | floor), exp: (now + 300 | floor),
        aud: "appstoreconnect-v1", bid: $app}' "$work/key.json" | base64url)
    content=$header.$claims
    signature=$(printf %s "$content" | openssl dgst -sha256 -sign <(jq -r .privateKey "$work/key.json") |
        openssl asn1parse -inform DER | awk -F: '/INTEGER/ { printf "%64s", $NF }' | tr ' ' 0)
    # shellcheck disable=SC2059
    printf '%s.%s' "$content" "$(printf "$(sed 's/../\\x&/g' <<<"$signature")" | base64url)"
}

base64url() {
    base64 | tr -d '\n=' | tr '+/' '-_'
}
