/// The stored form of a state: its transactions, and the state without regard to a revocation. The latest transaction
/// alone shows whether the subscription is revoked, so the stored form cannot contradict the transaction.
extension SubscriptionState: Codable {
    private enum Key: String, CodingKey {
        case latest, previous
    }

    /// Reads a state.
    ///
    /// - Throws: `DamagedSubscription` if a period has no end or a date is missing.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let latest = try SubscriptionPeriod(try values.decode(Transaction.self, forKey: .latest))
        let previous = try values.decodeIfPresent(Transaction.self, forKey: .previous)
        self.init(
            latest,
            previous: try previous.map { try SubscriptionPeriod($0) },
            resuming: try ResumableState(from: decoder)
        )
    }

    /// Writes the transactions and the dates of the state.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(latest.transaction, forKey: .latest)
        try values.encodeIfPresent(previous?.transaction, forKey: .previous)
        try resumable.encode(to: encoder)
    }
}

extension ResumableState: Codable {
    private enum Phase: String, Codable {
        case period, gracePeriod, billingRetry, expired
    }

    private enum Key: String, CodingKey {
        case phase, until, retryUntil, graceEnded, expiredAt, reason, leftInGrace
    }

    /// Reads the state without regard to a revocation.
    ///
    /// - Throws: `DamagedSubscription` if a date that the state needs is missing.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let phase = try values.decodeIfPresent(Phase.self, forKey: .phase) ?? .period
        func date(_ key: Key) throws -> Timestamp {
            guard let date = try values.decodeIfPresent(Timestamp.self, forKey: key) else {
                throw DamagedSubscription("is in phase \(phase.rawValue) and has no date \(key.rawValue)")
            }
            return date
        }
        let ended = try values.decodeIfPresent(Timestamp.self, forKey: .graceEnded)
        switch phase {
        case .period: self = .period
        case .gracePeriod: self = .gracePeriod(until: try date(.until), retryUntil: try date(.retryUntil))
        case .billingRetry: self = .billingRetry(until: try date(.retryUntil), graceEnded: ended)
        case .expired:
            let intent = try values.decodeIfPresent(ExpirationIntent.self, forKey: .reason) ?? .other
            let leftInGrace = try values.decodeIfPresent(Bool.self, forKey: .leftInGrace) ?? false
            let reason = ExpirationReason(intent, leftInGrace: leftInGrace, graceEnded: ended)
            self = .expired(reason, at: try date(.expiredAt))
        }
    }

    /// Writes only the values that differ from their defaults.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .period: break
        case .gracePeriod(let until, let retryUntil):
            try values.encode(Phase.gracePeriod, forKey: .phase)
            try values.encode(until, forKey: .until)
            try values.encode(retryUntil, forKey: .retryUntil)
        case .billingRetry(let until, let graceEnded):
            try values.encode(Phase.billingRetry, forKey: .phase)
            try values.encode(until, forKey: .retryUntil)
            try values.encodeIfPresent(graceEnded, forKey: .graceEnded)
        case .expired(let reason, let instant):
            try values.encode(Phase.expired, forKey: .phase)
            try values.encode(reason.intent, forKey: .reason)
            try values.encode(instant, forKey: .expiredAt)
            if reason == .customer(leftInGrace: true) { try values.encode(true, forKey: .leftInGrace) }
            if case .billing(let graceEnded) = reason { try values.encodeIfPresent(graceEnded, forKey: .graceEnded) }
        }
    }
}

extension ExpirationReason {
    /// The expiration reason for an expiration intent, with the details that some reasons have.
    init(_ intent: ExpirationIntent, leftInGrace: Bool = false, graceEnded: Timestamp? = nil) {
        switch intent {
        case .customer: self = .customer(leftInGrace: leftInGrace)
        case .billing: self = .billing(graceEnded: graceEnded)
        case .priceIncrease: self = .priceIncrease
        case .productUnavailable: self = .productUnavailable
        case .other: self = .other
        }
    }
}
