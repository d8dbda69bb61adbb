extension SourceSubscription {
    /// The keys of renewal info in which a subscription of Till differs from this one of the source.
    func differences(
        from own: RenewalInfo,
        _ ownStatus: SubscriptionStatus,
        shown original: String
    ) -> [ImportedAccount.Finding] {
        var found: [ImportedAccount.Finding] = []
        func differ(_ key: String, _ theirs: Any?, _ mine: Any?) {
            let texts = [theirs, mine].map { $0.map { "\($0)" } ?? "absent" }
            guard texts[0] != texts[1] else { return }
            let words = "\(key) is \(texts[0]), and \(texts[1]) in Till"
            found.append(ImportedAccount.Finding("subscription \(original)", words))
        }
        differ("status", status.rawValue, ownStatus.rawValue)
        differ("autoRenewProductId", renewal.autoRenewProductID, own.autoRenewProductID)
        differ("autoRenewStatus", renewal.autoRenews, own.autoRenews)
        differ("renewalPrice", renewal.renewalPrice?.milliunits, own.renewalPrice?.milliunits)
        differ("currency", renewal.renewalPrice?.currency, own.renewalPrice?.currency)
        differ("expirationIntent", renewal.expirationIntent?.rawValue, own.expirationIntent?.rawValue)
        differ("gracePeriodExpiresDate", renewal.graceUntil?.milliseconds, own.graceUntil?.milliseconds)
        differ("priceIncreaseStatus", renewal.priceIncreaseStatus, own.priceIncreaseStatus)
        differ("offerIdentifier", renewal.offer?.id, own.offer?.id)
        differ("offerType", renewal.offer?.kind.rawValue, own.offer?.kind.rawValue)
        differ("renewalBillingPlanType", renewal.billingPlan?.rawValue, own.billingPlan?.rawValue)
        differ("recentSubscriptionStartDate", renewal.recentStart?.milliseconds, own.recentStart.milliseconds)
        return found
    }
}
