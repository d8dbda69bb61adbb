/// The invalid files in `Tests/Fixtures/storekit/refused` by name, each with the complete list of its errors.
enum CatalogRefusals {
    static let expected: [String: String] = [
        "another-file": #"""
        $: expected a StoreKit configuration with products, nonRenewingSubscriptions, subscriptionGroups, found an object with none of them
        """#,
        "billing-plans": #"""
        $.subscriptionGroups[0].subscriptions[0].billingPlans[0].billingPlanType: expected "MONTHLY" only on a subscription of P1Y, found one of P1M
        $.subscriptionGroups[0].subscriptions[1].billingPlans[0].billingPlanType: expected one of "BILLED_UPFRONT", "MONTHLY", found the string "WEEKLY"
        $.subscriptionGroups[0].subscriptions[1].billingPlans[1].displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found nothing
        $.subscriptionGroups[0].subscriptions[1].billingPlans[2].isEnabled: expected true or false, found the string "yes"
        $.subscriptionGroups[0].subscriptions[1].billingPlans[3].billingPlanType: expected each billing plan once, found "MONTHLY" again
        """#,
        "byte-order-mark": #"""
        $: expected UTF-8 without a byte order mark, found a byte order mark in front of the text
        """#,
        "duplicate-key": #"""
        $.products[0].productID: expected each key once, found the key twice
        $.products: expected each key once, found the key twice
        """#,
        "duplicate-productID": #"""
        $.products[2].productID: expected a unique identifier for each product, found "p" after $.products[0]
        """#,
        "empty": #"""
        $: expected a JSON object, found an empty file
        """#,
        "family-sharing": #"""
        $.products[0].familyShareable: expected false, since a Consumable cannot be shared, found true
        $.products[1].familyShareable: expected true or false, found the string "yes"
        """#,
        "familySharable": #"""
        $.products[0].familySharable: expected the key "familyShareable", found the key "familySharable"
        """#,
        "freeTrial": #"""
        $.subscriptionGroups[0].subscriptions[0].introductoryOffer.paymentMode: expected one of "free", "payAsYouGo", "payUpFront", found the string "freeTrial"
        """#,
        "git-lfs-pointer": #"""
        $: expected a JSON object, found a Git LFS pointer instead of the file; `git lfs pull` fetches the file itself
        """#,
        "groups": #"""
        $.subscriptionGroups[0].subscriptions[0].subscriptionGroupID: expected the group that holds it, "G", found the string "H"
        $.subscriptionGroups[1].id: expected a unique identifier for each group, found the string "G" again
        $.subscriptionGroups[2].id: expected a string of 1 to 255 characters, found nothing
        $.subscriptionGroups[3].id: expected a string of 1 to 255 characters, found the string ""
        $.subscriptionGroups[3].name: expected a string, found the number 5
        """#,
        "half-a-surrogate": #"""
        $: expected an escaped Unicode character, found `\ud83d"}]}` at line 1, column 32
        """#,
        "id-for-productID": #"""
        $.products[0].id: expected the key "productID", found the key "id"
        """#,
        "invalid-utf-8": #"""
        $: expected UTF-8, found bytes that are not valid UTF-8
        """#,
        "key-pair": #"""
        $.subscriptionOffersKeyPair.id: expected a string of 1 to 255 characters, found the string ""
        $.subscriptionOffersKeyPair.privateKey: expected Base64 of a PKCS#8 private key, found something else
        """#,
        "leading-zero": #"""
        $: expected `,` or `}` after a value, found `1}]}` at line 1, column 35
        """#,
        "levels": #"""
        $.subscriptionGroups[0].subscriptions[0].groupNumber: expected a whole number from 1 to 1000000, found the number 0
        $.subscriptionGroups[0].subscriptions[1].groupNumber: expected a whole number from 1 to 1000000, found the string "1"
        $.subscriptionGroups[0].subscriptions[2].groupNumber: expected a whole number from 1 to 1000000, found the number 1.5
        $.subscriptionGroups[0].subscriptions[3].groupNumber: expected a whole number from 1 to 1000000, found nothing
        """#,
        "localizations": #"""
        $.products[0].localizations[0].locale: expected a string of 1 to 255 characters, found nothing
        $.products[0].localizations[1].displayName: expected a string, found the number 5
        $.products[1].localizations: expected an array, found an object
        """#,
        "no-object": #"""
        $: expected an object, found an array
        """#,
        "non-renewing": #"""
        $.nonRenewingSubscriptions[0].type: expected "NonRenewingSubscription", found the string "Consumable"
        """#,
        "not-a-number": #"""
        $: expected a JSON value, found `NaN}]}` at line 1, column 34
        """#,
        "not-json": #"""
        $: expected a JSON value, found `<?xml versio` at line 1, column 1
        """#,
        "offer-identifiers": #"""
        $.subscriptionGroups[0].subscriptions[0].adHocOffers[0].offerID: expected a string of 1 to 255 characters, found nothing
        $.subscriptionGroups[0].subscriptions[0].codeOffers[0].eligibility[1]: expected one of "new", "existing", "expired", found the string "old"
        $.subscriptionGroups[0].subscriptions[0].winbackOffers[0].offerID: expected a string of 1 to 255 characters, found nothing
        $.subscriptionGroups[0].subscriptions[0].introductoryOffers[1]: expected one introductory offer, found another after $.subscriptionGroups[0].subscriptions[0].introductoryOffers[0]
        $.subscriptionGroups[0].subscriptions[0].adHocOffers[2]: expected a unique identifier for each offer, found "twice" after $.subscriptionGroups[0].subscriptions[0].adHocOffers[1]
        """#,
        "offer-lengths": #"""
        $.subscriptionGroups[0].subscriptions[0].introductoryOffer.subscriptionPeriod: expected one of P3D, P1W, P2W, P1M, P2M, P3M, P6M, P1Y, found the string "P5D"
        $.subscriptionGroups[0].subscriptions[0].adHocOffers[0].subscriptionPeriod: expected P1M, the subscription's own period, found the string "P1W"
        $.subscriptionGroups[0].subscriptions[0].adHocOffers[1].numberOfPeriods: expected a whole number from 1 to 12, found the number 13
        $.subscriptionGroups[0].subscriptions[0].adHocOffers[2].numberOfPeriods: expected 1, or a number that makes one of P3D, P1W, P2W, P1M, P2M, P3M, P6M, P1Y, found 5 times P1M
        """#,
        "offer-without-price": #"""
        $.subscriptionGroups[0].subscriptions[0].introductoryOffer.displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found nothing
        $.subscriptionGroups[0].subscriptions[0].codeOffers[0].displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found nothing
        """#,
        "periods": #"""
        $.subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod: expected one of P1W, P1M, P2M, P3M, P6M, P1Y, found the string "P2W"
        $.subscriptionGroups[0].subscriptions[1].recurringSubscriptionPeriod: expected one of P1W, P1M, P2M, P3M, P6M, P1Y, found the string "P3D"
        $.subscriptionGroups[0].subscriptions[2].recurringSubscriptionPeriod: expected one of P1W, P1M, P2M, P3M, P6M, P1Y, found nothing
        $.subscriptionGroups[0].subscriptions[3].recurringSubscriptionPeriod: expected one of P1W, P1M, P2M, P3M, P6M, P1Y, found the string "monthly"
        """#,
        "prices": #"""
        $.products[0].displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found the string "4,99"
        $.products[1].displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found the string "-1.00"
        $.products[2].displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found the string "0.9999"
        $.products[3].displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found nothing
        $.products[4].displayPrice: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found true
        """#,
        "sections": #"""
        $.products: expected an array, found an object
        $.nonRenewingSubscriptions: expected an array, found the string "none"
        $.subscriptionGroups[0]: expected an object, found an empty array
        """#,
        "settings": #"""
        $.settings._storefront: expected the three capital letters of a storefront, such as "USA", found the string "US"
        $.settings._locale: expected a string of 1 to 255 characters, found the number 5
        $.settings._timeRate: expected one of 0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15, 1000, 1001, 1002, 1003, 1004, 1005, found the number 14
        $.settings._billingIssuesEnabled: expected true or false, found the string "no"
        $.settings._askToBuyEnabled: expected true or false, found the number 1
        $.settings._applicationInternalID: expected a string, found the number 5
        """#,
        "too-deep": #"""
        $: expected at most 64 levels, found one more at line 1, column 78
        """#,
        "trailing-comma": #"""
        $: expected a key in double quotes, found `}` at line 1, column 18
        """#,
        "truncated": #"""
        $: expected `,` or `}` after a value, found the end of the text at line 4, column 1
        """#,
        "types": #"""
        $.products[4]: expected an object, found the string "not an object"
        $.products[0].type: expected one of "Consumable", "NonConsumable", "NonRenewingSubscription", found the string "Gadget"
        $.products[1].type: expected one of "Consumable", "NonConsumable", "NonRenewingSubscription", found the string "RecurringSubscription"
        $.products[2].type: expected one of "Consumable", "NonConsumable", "NonRenewingSubscription", found nothing
        $.products[3].productID: expected a string of 1 to 255 characters, found the number 7
        """#,
        "utf-16": #"""
        $: expected UTF-8, found UTF-16
        """#,
        "version": #"""
        $.version: expected a version from 1.0 to 5.0, found 6.0
        """#,
        "version-without-major": #"""
        $.version.major: expected a whole number of at least 0, found nothing
        """#,
    ]
}
