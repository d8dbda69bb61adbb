/// Applies a job to one account. A repeated attempt does not apply the job again.
extension Ledger {
    mutating func perform(_ job: Job, by id: AccountID) {
        guard !self[id].jobsDone.contains(where: { $0.job == job.id }) else { return }
        let succeeded: Bool? =
            switch job.task {
            case .raisePrice(let price): raise(price, by: id) ? true : nil
            case .extend(let wanted): extend(wanted, by: id)
            case .shareProduct(let product): shareOwnedProducts(of: product, by: id)
            }
        // An account that the job does not affect is not written.
        guard let succeeded else { return }
        self[id].jobsDone.append(JobResult(job: job.id, succeeded: succeeded))
        if self[id].jobsDone.count > 32 { self[id].jobsDone.removeFirst() }
    }

    mutating func useClock(_ clock: String?, by id: AccountID) {
        for member in self[id].family?.members ?? [id] { self[member].clock = clock }
    }
}
