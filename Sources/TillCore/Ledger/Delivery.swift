/// What the app and its backend do with a transaction once it is sold: deliver it, and say whose it is.
extension Ledger {
    /// The app has delivered the purchase. Shows in no payload, so the history keeps its order; repeating is harmless.
    mutating func finish(_ id: TransactionID) throws(Refusal) {
        let row = try row(id)
        guard !row.isFinished else { return }
        amend(row, movesHistory: false) { $0.isFinished = true }
        note(.finished(id))
    }

    /// Sets the app account token of a purchase, named by its original id.
    ///
    /// For a subscription the token goes on the running transaction and on all later ones; earlier ones keep theirs.
    mutating func setAppAccountToken(_ text: String, on id: TransactionID) throws(Refusal) {
        guard let token = UUIDText.canonical(text) else { throw .badAppAccountToken(text) }
        var target = try row(id)
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
