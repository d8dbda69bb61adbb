/// Actions of the app and its server on a purchased transaction: finishing it and setting its app account token.
extension Ledger {
    /// Marks the purchase as finished by the app. No payload contains this mark, so the order of the transaction
    /// history stays the same. The app may finish a transaction more than once.
    mutating func finish(_ id: TransactionID) throws(Refusal) {
        let transaction = try transaction(id)
        guard !transaction.isFinished else { return }
        amend(transaction, movesHistory: false) { $0.isFinished = true }
        note(.finished(id))
    }

    /// Sets the app account token of a purchase, which the original transaction id identifies.
    ///
    /// For a subscription, the token applies to the current transaction and all later ones. Earlier transactions keep
    /// their token.
    mutating func setAppAccountToken(_ text: String, on id: TransactionID) throws(Refusal) {
        guard let token = UUIDText.canonical(text) else { throw .badAppAccountToken(text) }
        var target = try transaction(id)
        guard target.isOriginal else { throw .notOriginal(id, original: target.originalID) }
        guard target.ownership == .purchased else { throw .familyShared(id) }
        if let group = target.groupID, var subscription = self[target.account].subscription(toGroup: group) {
            subscription.appAccountToken = token
            self[target.account].put(subscription)
            target = subscription.latestTransaction
        }
        guard target.appAccountToken != token else { return }
        amend(target, movesHistory: policy.tokenChangeMovesHistory) { $0.appAccountToken = token }
        note(.appAccountTokenSet(target.id))
    }

    mutating func downloadApp(_ download: AppTransaction, by id: AccountID) {
        var present = self[id].appTransaction ?? download
        present.applicationVersion = download.applicationVersion
        self[id].appTransaction = present
        touch(id)
        note(.appDownloaded(id))
    }
}
