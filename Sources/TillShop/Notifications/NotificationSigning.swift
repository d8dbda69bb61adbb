import Foundation
import TillSigning
import TillStorage

/// A notification of version 2 with its signatures.
package struct SignedNotification: Sendable {
    /// The notification.
    package let entry: OutboxEntry
    fileprivate let parts: NotificationParts<SignedPart>
    fileprivate let chain: String

    /// The notification, if it is signed.
    init?(_ entry: OutboxEntry) {
        guard let (parts, chain) = entry.content.signed else { return nil }
        (self.entry, self.parts, self.chain) = (entry, parts, chain)
    }
}

/// Signs notifications. A notification with a delivery is signed when it is created. Any other is stored unsigned, and
/// signed when it is first sent or shown: most customers of a large shop are never looked at. The signatures are stored
/// before a byte of them leaves the server, so that every attempt, every reader and every node has the same bytes.
///
/// The chain that is in use then signs. All chains are valid from 2008 (`CertificateProfile`), so none is younger than
/// a notification, and a rotation has nothing to sign first.
extension Shop {
    /// The notifications of version 2 with their signatures, in the same order. Signs and stores what is unsigned.
    /// Leaves out notifications that were deleted meanwhile.
    ///
    /// The caller must not hold the lock of the shop.
    ///
    /// - Throws: `ShopBusy` if the signatures cannot be stored now.
    package func signed(_ entries: [OutboxEntry]) async throws -> [SignedNotification] {
        let unsigned = entries.filter(\.content.isUnsigned)
        guard !unsigned.isEmpty else { return entries.compactMap { SignedNotification($0) } }
        // Ahead of waiting exclusive callers, because an advance with the shared lock may wait for a delivery.
        let stored = try await gate.shared(aheadOfWriters: true) {
            let chain = signingChain
            try await commit(Change(signed: try await signing(unsigned, by: chain)), signedBy: chain)
            // Another reader or node may have stored its signatures first.
            return try await storage.notifications(numbered: unsigned.map(\.id))
        }
        guard !stored.contains(where: \.content.isUnsigned) else {
            throw ShopBusy(reason: "a restore replaced notifications while they were signed")
        }
        let byID = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
        return entries.compactMap { entry in
            guard entry.content.isUnsigned else { return SignedNotification(entry) }
            var known = byID[entry.id]
            // The store does not keep the span that caused the notification.
            known?.trace = entry.trace
            return known.flatMap { SignedNotification($0) }
        }
    }

    /// Signs unsigned notifications on all cores.
    private func signing(_ entries: [OutboxEntry], by chain: SigningChain) async throws -> [OutboxEntry] {
        let share = max(1, (entries.count - 1) / ProcessInfo.processInfo.activeProcessorCount + 1)
        return try await withThrowingTaskGroup(of: [OutboxEntry].self) { group in
            for first in stride(from: 0, to: entries.count, by: share) {
                group.addTask {
                    try entries[first..<min(first + share, entries.count)].map { try self.signing($0, by: chain) }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Signs the transaction and the renewal info of an unsigned notification, and then the payload that contains them.
    /// A notification that is not unsigned stays as it is.
    func signing(_ entry: OutboxEntry, by chain: SigningChain) throws -> OutboxEntry {
        guard case .unsigned(let parts) = entry.content else { return entry }
        let sign = { (payload: [UInt8]) in
            SignedPart(payload: payload, signature: try chain.signature(for: payload))
        }
        let transaction = try parts.transactionInfo.map(sign)
        let renewal = try parts.renewalInfo.map(sign)
        let whole = Self.completed(parts.body, transaction, renewal, header: chain.headerSegment)
        metrics.signatures.countMade(.jws, 1 + (transaction == nil ? 0 : 1) + (renewal == nil ? 0 : 1))
        var entry = entry
        let body = SignedPart(payload: parts.body, signature: try chain.signature(for: whole))
        entry.content = .signed(
            NotificationParts(body: body, transactionInfo: transaction, renewalInfo: renewal),
            chain: chain.id
        )
        return entry
    }

    /// Replaces the placeholders in a payload with the signed transaction and the signed renewal info.
    static func completed(
        _ body: [UInt8],
        _ transaction: SignedPart?,
        _ renewal: SignedPart?,
        header: [UInt8]
    ) -> [UInt8] {
        var whole: [UInt8] = []
        whole.reserveCapacity(body.count + (transaction == nil ? 0 : 6_144) + (renewal == nil ? 0 : 6_144))
        var rest = body[...]
        while let place = rest.firstIndex(where: { $0 == 1 || $0 == 2 }) {
            whole.append(contentsOf: rest[..<place])
            let part = rest[place] == NotificationPayload.transactionPlace ? transaction : renewal
            if let part {
                SigningChain.append(header: header, payload: part.payload, signature: part.signature, to: &whole)
            }
            rest = rest[(place + 1)...]
        }
        whole.append(contentsOf: rest)
        return whole
    }

    /// Assembles the `signedPayload`. The bytes are always the same as in the first attempt.
    package func signedPayload(_ notification: SignedNotification) throws -> [UInt8] {
        let (parts, chain) = (notification.parts, notification.chain)
        guard let header = keys.chains.header(of: chain) else {
            throw ShopDamaged(
                what: "the certificates of chain \(chain), which signed \(notification.entry.uuid), are missing"
            )
        }
        let whole = Self.completed(parts.body.payload, parts.transactionInfo, parts.renewalInfo, header: header)
        return SigningChain.assemble(header: header, payload: whole, signature: parts.body.signature)
    }

    /// The `signedPayload` of a notification of version 2, which is signed and stored first if it is unsigned; nil if
    /// it was deleted meanwhile.
    ///
    /// - Throws: the errors of `signed`.
    package func signedPayload(_ entry: OutboxEntry) async throws -> [UInt8]? {
        try await signed([entry]).first.map { try signedPayload($0) }
    }
}
