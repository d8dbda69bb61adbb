extension AppReceipt {
    /// The maximum number of purchases in a receipt.
    package static let maximumInApp = 20_000

    /// Decodes a payload without verifying it. ``ReceiptVerifier`` verifies receipts.
    ///
    /// Attributes of unknown types and the versions of attributes are ignored. As in receipts from Xcode, strings may
    /// consist of several pieces, and a second octet string may enclose the payload.
    package init(payload: [UInt8]) throws(ReceiptRefusal) {
        try self.init(payload: payload[...])
    }

    init(payload: ArraySlice<UInt8>) throws(ReceiptRefusal) {
        do {
            var reader = BERReader(payload)
            if let tag = reader.nextTag, tag & ~DERBytes.constructed == DERBytes.octetString {
                let inner = try reader.octets()
                try reader.end()
                reader = BERReader(inner)
            }
            let set = try reader.next(DERBytes.set)
            try reader.end()
            try self.init(attributes: AttributeReader(set.content))
        } catch let fault {
            throw .malformed(reason: "\(fault.reason)")
        }
    }

    private init(attributes: AttributeReader) throws(BERReader.Fault) {
        var draft = Draft()
        var attributes = attributes
        while let attribute = try attributes.next() {
            try draft.take(attribute)
        }
        self = try draft.receipt()
    }

    /// A receipt that is being decoded. Required attributes may still be missing.
    private struct Draft {
        var receiptType, bundleID, applicationVersion: String?
        var opaqueValue, deviceHash: [UInt8]?
        var creationDate: Int64?
        /// A receipt with the optional attributes.
        var rest = AppReceipt(
            receiptType: "",
            bundleID: "",
            applicationVersion: "",
            creationDate: 0,
            opaqueValue: [],
            deviceHash: []
        )

        init() {
            rest.serverBuild = 0
            rest.ageRating = ""
            rest.systemVersion = 0
            rest.counter = 0
            rest.originalPurchaseDate = nil
            rest.originalApplicationVersion = nil
        }

        mutating func take(_ attribute: AttributeReader.Attribute) throws(BERReader.Fault) {
            switch attribute.type {
            case 0: receiptType = try attribute.text()
            case 1: rest.appAppleID = try attribute.number()
            case 2: bundleID = try attribute.text()
            case 3: applicationVersion = try attribute.text()
            case 4: opaqueValue = Array(attribute.value)
            case 5: deviceHash = Array(attribute.value)
            case 8: rest.issueDate = try attribute.date()
            case 9: rest.serverBuild = try attribute.number()
            case 10: rest.ageRating = try attribute.text()
            case 11: rest.developerID = try attribute.number()
            case 12: creationDate = try attribute.date()
            case 13: rest.systemVersion = try attribute.number()
            case 14: rest.counter = try attribute.number()
            case 15: rest.downloadID = try attribute.number()
            case 16: rest.versionExternalIdentifier = try attribute.number()
            case 17:
                guard rest.inApp.count < AppReceipt.maximumInApp else {
                    throw BERReader.Fault(reason: "contains more than \(AppReceipt.maximumInApp) purchases")
                }
                rest.inApp.append(try InAppReceipt(attributes: try attribute.set()))
            case 18: rest.originalPurchaseDate = try attribute.date()
            case 19: rest.originalApplicationVersion = try attribute.text()
            case 21: rest.expirationDate = try attribute.date()
            case 25: rest.platform = Platform(rawValue: try attribute.number()) ?? .iOS
            case 32: rest.preorderDate = try attribute.date()
            default: break
            }
        }

        func receipt() throws(BERReader.Fault) -> AppReceipt {
            var receipt = rest
            receipt.receiptType = try required(receiptType, 0)
            receipt.bundleID = try required(bundleID, 2)
            receipt.applicationVersion = try required(applicationVersion, 3)
            receipt.opaqueValue = try required(opaqueValue, 4)
            receipt.deviceHash = try required(deviceHash, 5)
            receipt.creationDate = try required(creationDate, 12)
            return receipt
        }
    }
}

extension InAppReceipt {
    init(attributes: AttributeReader) throws(BERReader.Fault) {
        var attributes = attributes
        var quantity: Int64?
        var purchaseDate: Int64?
        var originalPurchaseDate: Int64?
        var productID: String?
        var transactionID: String?
        var originalTransactionID: String?
        var rest = InAppReceipt(kind: .consumable, productID: "", transactionID: "", purchaseDate: 0)
        rest.kind = nil
        while let attribute = try attributes.next() {
            switch attribute.type {
            case 1701: quantity = try attribute.number()
            case 1702: productID = try attribute.text()
            case 1703: transactionID = try attribute.text()
            case 1704: purchaseDate = try attribute.date()
            case 1705: originalTransactionID = try attribute.text()
            case 1706: originalPurchaseDate = try attribute.date()
            case 1707: rest.kind = Kind(rawValue: try attribute.number())
            case 1708: rest.expirationDate = try attribute.date()
            case 1710: rest.productAppleID = try attribute.number()
            case 1711:
                let number = try attribute.number()
                rest.webOrderLineItemID = number == 0 ? nil : number
            case 1712: rest.cancellationDate = try attribute.date()
            case 1713: rest.isTrialPeriod = try attribute.number() != 0
            case 1719: rest.isInIntroOfferPeriod = try attribute.number() != 0
            case 1720: rest.cancellationReason = try attribute.number()
            case 1721: rest.promotionalOfferID = try attribute.text()
            default: break
            }
        }
        rest.quantity = try required(quantity, 1701)
        rest.productID = try required(productID, 1702)
        rest.transactionID = try required(transactionID, 1703)
        rest.purchaseDate = try required(purchaseDate, 1704)
        rest.originalTransactionID = originalTransactionID ?? rest.transactionID
        rest.originalPurchaseDate = originalPurchaseDate ?? rest.purchaseDate
        self = rest
    }
}

private func required<Value>(_ value: Value?, _ type: Int) throws(BERReader.Fault) -> Value {
    guard let value else { throw BERReader.Fault(reason: "lacks attribute \(type), or it is empty") }
    return value
}
