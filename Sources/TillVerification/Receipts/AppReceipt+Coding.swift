extension AppReceipt {
    /// The maximum number of purchases in a receipt.
    package static let maximumInApp = 20_000

    /// Every attribute that the App Store writes, except 6 and 7, whose meaning is unknown.
    private static let attributes = ReceiptAttributes<AppReceipt>(
        required: [0, 2, 3, 4, 5, 12],
        [
            .text(0, \.receiptType), .number(1, \.appAppleID), .text(2, \.bundleID), .text(3, \.applicationVersion),
            .bytes(4, version: 2, \.opaqueValue), .bytes(5, \.deviceHash), .date(8, \.issueDate),
            .number(9, \.serverBuild), .text(10, isASCII: true, \.ageRating), .number(11, \.developerID),
            .date(12, \.creationDate), .number(13, \.systemVersion), .number(14, \.counter),
            .number(15, \.downloadID), .number(16, \.versionExternalIdentifier),
            .init(17) {
                $0.encodePurchases(into: &$1)
            } _: { attribute, receipt throws(BERReader.Fault) in
                try receipt.addPurchase(attribute)
            },
            .date(18, \.originalPurchaseDate, omitsNil: true),
            .text(19, { $0.originalApplicationVersion }, { $0.originalApplicationVersion = $1 }),
            .text(20, { $0.platform == .iOS ? "" : nil }, { _, _ in }),
            .date(21, \.expirationDate, omitsNil: true),
            .number(25, { $0.platform.rawValue }, { $0.platform = Platform(rawValue: $1) ?? .iOS }),
            .date(32, \.preorderDate, omitsNil: true),
        ]
    )

    /// Encodes the receipt's payload, which is then signed: a SET of attributes in DER.
    package func payload() -> [UInt8] {
        var set = AttributeSet()
        set.reserve(512 + inApp.count * 600)
        Self.attributes.encode(self, into: &set)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DERBytes.count(of: set.count))
        set.write(to: &bytes)
        return bytes
    }

    private func encodePurchases(into set: inout AttributeSet) {
        var purchase = AttributeSet()
        for receipt in inApp {
            purchase.removeAll()
            receipt.encode(into: &purchase)
            set.set(17, purchase)
        }
    }

    private mutating func addPurchase(_ attribute: AttributeReader.Attribute) throws(BERReader.Fault) -> Bool {
        guard inApp.count < Self.maximumInApp else {
            throw BERReader.Fault(reason: "contains more than \(Self.maximumInApp) purchases")
        }
        inApp.append(try InAppReceipt(attributes: try attribute.set()))
        return true
    }

    /// Decodes a payload without verifying it. ``ReceiptVerifier`` verifies receipts.
    ///
    /// Attributes of unknown types and the versions of attributes are ignored. As in receipts from Xcode, strings may
    /// consist of several pieces, and a second octet string may enclose the payload.
    package init(payload: [UInt8]) throws(ReceiptRefusal) { try self.init(payload: payload[...]) }

    init(payload: ArraySlice<UInt8>) throws(ReceiptRefusal) {
        self.init(bundleID: "", applicationVersion: "", creationDate: 0, opaqueValue: [], deviceHash: [])
        // The defaults are those of a new receipt. A receipt without these attributes has no values for them.
        (serverBuild, ageRating, systemVersion, counter) = (0, "", 0, 0)
        (originalPurchaseDate, originalApplicationVersion) = (nil, nil)
        do {
            var reader = BERReader(payload)
            if let tag = reader.nextTag, tag & ~DERBytes.constructed == DERBytes.octetString {
                let inner = try reader.octets()
                try reader.end()
                reader = BERReader(inner)
            }
            let set = try reader.next(DERBytes.set)
            try reader.end()
            try Self.attributes.decode(AttributeReader(set.content), into: &self)
        } catch {
            throw .malformed(reason: error.reason)
        }
    }
}

extension InAppReceipt {
    private static let attributes = ReceiptAttributes<InAppReceipt>(
        required: [1701, 1702, 1703, 1704],
        [
            .number(1701, \.quantity), .text(1702, \.productID), .text(1703, \.transactionID),
            .date(1704, \.purchaseDate), .text(1705, \.originalTransactionID), .date(1706, \.originalPurchaseDate),
            .number(1707, { $0.kind?.rawValue }, { $0.kind = Kind(rawValue: $1) }), .date(1708, \.expirationDate),
            .number(1710, \.productAppleID),
            .number(1711, { $0.webOrderLineItemID ?? 0 }, { $0.webOrderLineItemID = $1 == 0 ? nil : $1 }),
            .date(1712, \.cancellationDate),
            .number(1713, { $0.isTrialPeriod ? 1 : 0 }, { $0.isTrialPeriod = $1 != 0 }),
            .number(1719, \.encodedIntroOffer, { $0.isInIntroOfferPeriod = $1 != 0 }),
            .number(1720, \.encodedCancellationReason, { $0.cancellationReason = $1 }),
            .text(1721, { $0.promotionalOfferID }, { $0.promotionalOfferID = $1 }),
            .number(1722, { _ in 0 }, { _, _ in }), .empty(1709), .empty(1714), .empty(1715), .empty(1716),
            .empty(1717), .empty(1718),
        ]
    )

    private var encodedIntroOffer: Int64? { kind == .autoRenewable ? (isInIntroOfferPeriod == true ? 1 : 0) : nil }
    private var encodedCancellationReason: Int64? { cancellationDate == nil ? nil : cancellationReason ?? 0 }

    func encode(into set: inout AttributeSet) { Self.attributes.encode(self, into: &set) }

    init(attributes: AttributeReader) throws(BERReader.Fault) {
        self.init(kind: .consumable, productID: "", transactionID: "", purchaseDate: 0)
        kind = nil
        let found = try Self.attributes.decode(attributes, into: &self)
        if !found.contains(1705) { originalTransactionID = transactionID }
        if !found.contains(1706) { originalPurchaseDate = purchaseDate }
    }
}
