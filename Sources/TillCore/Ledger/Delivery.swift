/// What the app and its server do with a purchased transaction: finish it and set its account token.
extension Ledger {
    /// The app finished the purchase. No payload shows it, so the order of the history does not change; repeating is
    /// harmless.
    mutating func finish(_ id: TransactionID) throws(Refusal) {
        let transaction = try transaction(id)
        guard !transaction.isFinished else { return }
        amend(transaction, movesHistory: false) { $0.isFinished = true }
        note(.finished(id))
    }

    /// Sets the app account token of a purchase, named by its original id.
    ///
    /// For a subscription the token applies to the current and all later transactions; earlier ones keep theirs.
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
