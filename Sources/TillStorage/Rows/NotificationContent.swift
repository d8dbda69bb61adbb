/// The payloads of a notification, and whether they are signed.
///
/// The certificates are the largest part of the sent body, so they are stored once for each chain. The sent body is
/// assembled from the stored parts, with the same bytes for every attempt (docs/internals/decisions/07-outbox.md).
package enum NotificationContent: Equatable, Sendable {
    /// Version 1: a JSON object, which is never signed.
    case versionOne([UInt8])
    /// Version 2, before it was sent to an endpoint or shown. No signature exists, and no chain was chosen.
    case unsigned(NotificationParts<[UInt8]>)
    /// Version 2, with the signatures of the chain with this id.
    case signed(NotificationParts<SignedPart>, chain: String)
}

/// The parts of a notification of version 2: payloads (JSON in UTF-8), or payloads with their signatures.
package struct NotificationParts<Part: Equatable & Sendable>: Equatable, Sendable {
    /// The outer payload. A byte 1 stands for the signed transaction (or app transaction), and a byte 2 for the signed
    /// renewal info. JSON never contains these bytes. Its signature is over the complete payload.
    package let body: Part
    /// The transaction. For a withdrawn consent it is the app transaction.
    package let transactionInfo: Part?
    /// The renewal info; only for auto-renewable subscriptions.
    package let renewalInfo: Part?

    /// Parts of a notification.
    package init(body: Part, transactionInfo: Part? = nil, renewalInfo: Part? = nil) {
        self.body = body
        self.transactionInfo = transactionInfo
        self.renewalInfo = renewalInfo
    }
}

/// A payload and its signature, without the JWS header.
package struct SignedPart: Equatable, Sendable {
    /// The payload as JSON in UTF-8.
    package let payload: [UInt8]
    /// The signature: 64 bytes, first r and then s.
    package let signature: [UInt8]

    /// A payload with its signature.
    package init(payload: [UInt8], signature: [UInt8]) {
        self.payload = payload
        self.signature = signature
    }
}

extension NotificationContent {
    /// The outer payload, or the whole object of version 1.
    package var body: [UInt8] {
        switch self {
        case .versionOne(let body): body
        case .unsigned(let parts): parts.body
        case .signed(let parts, _): parts.body.payload
        }
    }

    /// The payload of the transaction or app transaction.
    package var transactionInfo: [UInt8]? {
        switch self {
        case .versionOne: nil
        case .unsigned(let parts): parts.transactionInfo
        case .signed(let parts, _): parts.transactionInfo?.payload
        }
    }

    /// The payload of the renewal info.
    package var renewalInfo: [UInt8]? {
        switch self {
        case .versionOne: nil
        case .unsigned(let parts): parts.renewalInfo
        case .signed(let parts, _): parts.renewalInfo?.payload
        }
    }

    /// The signatures with the chain that made them; nil without signatures.
    package var signed: (parts: NotificationParts<SignedPart>, chain: String)? {
        if case .signed(let parts, let chain) = self { (parts, chain) } else { nil }
    }

    /// Whether the notification has version 2 and is not signed yet.
    package var isUnsigned: Bool { if case .unsigned = self { true } else { false } }

    /// Whether the notification has version 1.
    package var isVersionOne: Bool { if case .versionOne = self { true } else { false } }
}

// MARK: Columns

extension NotificationContent {
    /// The value of the column `chain` for an unsigned notification. A chain's id has 16 characters.
    package static let unsignedChain = "unsigned"

    /// The value of the column `chain`: empty for version 1.
    var chainColumn: String {
        switch self {
        case .versionOne: ""
        case .unsigned: Self.unsignedChain
        case .signed(_, let chain): chain
        }
    }

    /// The value of `body_signature`, which is never null.
    var bodySignature: [UInt8] { signed?.parts.body.signature ?? [] }
    var transactionSignature: [UInt8]? { signed?.parts.transactionInfo?.signature }
    var renewalSignature: [UInt8]? { signed?.parts.renewalInfo?.signature }

    /// The distances of the columns of a notification's content from the column `chain`.
    private enum Distance {
        static let body = 1
        static let bodySignature = 2
        static let transaction = 7
        static let renewal = 9
    }

    /// Reads the content.
    ///
    /// - Parameter first: the place of the column `chain`.
    init(_ cells: any StoredCells, _ first: Int) throws(DamagedRow) {
        let chain = try cells.text(first)
        let body = try cells.bytes(first + Distance.body)
        let bodySignature = try cells.bytes(first + Distance.bodySignature)
        let transaction = try [UInt8]?(cells, first + Distance.transaction)
        let transactionSignature = try [UInt8]?(cells, first + Distance.transaction + 1)
        let renewal = try [UInt8]?(cells, first + Distance.renewal)
        let renewalSignature = try [UInt8]?(cells, first + Distance.renewal + 1)
        switch chain {
        case "": self = .versionOne(body)
        case Self.unsignedChain:
            guard bodySignature.isEmpty, transactionSignature == nil, renewalSignature == nil else {
                throw cells.damaged(first + Distance.bodySignature, "is the signature of an unsigned notification")
            }
            self = .unsigned(NotificationParts(body: body, transactionInfo: transaction, renewalInfo: renewal))
        default:
            let parts = NotificationParts(
                body: SignedPart(payload: body, signature: bodySignature),
                transactionInfo: try Self.part(transaction, transactionSignature, cells, first + Distance.transaction),
                renewalInfo: try Self.part(renewal, renewalSignature, cells, first + Distance.renewal)
            )
            self = .signed(parts, chain: chain)
        }
    }

    private static func part(
        _ payload: [UInt8]?,
        _ signature: [UInt8]?,
        _ cells: any StoredCells,
        _ place: Int
    ) throws(DamagedRow) -> SignedPart? {
        switch (payload, signature) {
        case (let payload?, let signature?): return SignedPart(payload: payload, signature: signature)
        case (nil, nil): return nil
        default: throw cells.damaged(place, "has no signature, or a signature without a payload")
        }
    }
}
