extension AppReceipt {
    /// Encodes the receipt's payload, which is then signed: a SET of attributes in DER.
    ///
    /// The payload contains every attribute that the App Store writes, except 6 and 7, whose meaning is unknown.
    package func payload() -> [UInt8] {
        var attributes = AttributeSet()
        attributes.reserve(512 + inApp.count * 600)
        attributes.text(0, receiptType)
        attributes.number(1, appAppleID)
        attributes.text(2, bundleID)
        attributes.text(3, applicationVersion)
        attributes.raw(4, version: 2, opaqueValue)
        attributes.raw(5, deviceHash)
        attributes.date(8, issueDate)
        attributes.number(9, serverBuild)
        attributes.ascii(10, ageRating)
        attributes.number(11, developerID)
        attributes.date(12, creationDate)
        attributes.number(13, systemVersion)
        attributes.number(14, counter)
        attributes.number(15, downloadID)
        attributes.number(16, versionExternalIdentifier)
        if let originalPurchaseDate { attributes.date(18, originalPurchaseDate) }
        if let originalApplicationVersion { attributes.text(19, originalApplicationVersion) }
        if platform == .iOS { attributes.text(20, "") }
        if let expirationDate { attributes.date(21, expirationDate) }
        attributes.number(25, platform.rawValue)
        if let preorderDate { attributes.date(32, preorderDate) }
        var purchase = AttributeSet()
        for receipt in inApp {
            purchase.removeAll()
            receipt.encode(into: &purchase)
            attributes.set(17, purchase)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DERBytes.count(of: attributes.count))
        attributes.write(to: &bytes)
        return bytes
    }
}

extension InAppReceipt {
    func encode(into attributes: inout AttributeSet) {
        attributes.number(1701, quantity)
        attributes.text(1702, productID)
        attributes.text(1703, transactionID)
        attributes.date(1704, purchaseDate)
        attributes.text(1705, originalTransactionID)
        attributes.date(1706, originalPurchaseDate)
        if let kind { attributes.number(1707, kind.rawValue) }
        attributes.date(1708, expirationDate)
        attributes.text(1709, "")
        attributes.number(1710, productAppleID)
        attributes.number(1711, webOrderLineItemID ?? 0)
        attributes.date(1712, cancellationDate)
        attributes.flag(1713, isTrialPeriod)
        for type: Int64 in 1714...1718 { attributes.text(type, "") }
        if kind == .autoRenewable {
            attributes.flag(1719, isInIntroOfferPeriod ?? false)
        }
        if cancellationDate != nil { attributes.number(1720, cancellationReason ?? 0) }
        if let promotionalOfferID { attributes.text(1721, promotionalOfferID) }
        attributes.number(1722, 0)
    }
}
