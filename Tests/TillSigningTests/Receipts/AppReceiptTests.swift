import Foundation
import Testing

@testable import TillSigning
@testable import TillVerification

@Suite("The payload of an app receipt")
struct AppReceiptTests {
    /// The attributes of a SET in their order: the type, the version and the bytes of the value.
    static func attributes(_ set: [UInt8]) throws -> [(type: Int64, version: Int64, value: [UInt8])] {
        var file = BERReader(set[...])
        var reader = try file.next(DERBytes.set).reader
        try file.end()
        var found: [(Int64, Int64, [UInt8])] = []
        while !reader.isAtEnd {
            var attribute = try reader.next(DERBytes.sequence).reader
            let type = try #require(try attribute.integer())
            let version = try #require(try attribute.integer())
            found.append((type, version, Array(try attribute.next(DERBytes.octetString).content)))
            try attribute.end()
        }
        return found
    }

    static func elements(_ set: [UInt8]) throws -> [[UInt8]] {
        var file = BERReader(set[...])
        var reader = try file.next(DERBytes.set).reader
        var found: [[UInt8]] = []
        while !reader.isAtEnd { found.append(Array(try reader.next().encoded)) }
        return found
    }

    private func ia5(_ text: String) -> [UInt8] { [0x16, UInt8(text.utf8.count)] + Array(text.utf8) }
    private func utf8(_ text: String) -> [UInt8] { [0x0C, UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test("A sandbox receipt has every attribute that the App Store writes, each in its encoding")
    func attributes() throws {
        let attributes = try Self.attributes(ReceiptSample.receipt.payload())
        let byType = Dictionary(grouping: attributes, by: \.type).mapValues { $0.map(\.value) }
        let expected: [Int64: [UInt8]] = [
            0: utf8("ProductionSandbox"), 1: [2, 1, 0], 2: utf8("com.example.app"), 3: utf8("42"),
            4: ReceiptSample.opaqueValue, 5: ReceiptSample.receipt.deviceHash, 8: ia5(""),
            9: [2, 4, 0x50, 0x33, 0x30, 0x35], 10: ia5("4+"), 11: [2, 1, 0], 12: ia5("2026-01-01T00:00:00Z"),
            13: [2, 3, 0x02, 0xC1, 0x7A], 14: [2, 1, 1], 15: [2, 1, 0], 16: [2, 1, 0],
            18: ia5("2013-08-01T07:00:00Z"), 19: utf8("1.0"), 20: utf8(""), 25: [2, 1, 3],
        ]
        for (type, value) in expected {
            #expect(byType[type] == [value], "attribute \(type)")
        }
        #expect(Set(byType.keys) == Set(expected.keys).union([17]))
        #expect(byType[17]?.count == 3)
        for attribute in attributes {
            #expect(attribute.version == (attribute.type == 4 ? 2 : 1))
        }
    }

    @Test("A macOS receipt lacks attribute 20; volume purchases and pre-orders have additional dates")
    func optional() throws {
        var receipt = ReceiptSample.receipt
        receipt.platform = .macOS
        receipt.expirationDate = ReceiptSample.someDay
        receipt.preorderDate = ReceiptSample.someDay - ReceiptSample.day
        receipt.originalPurchaseDate = nil
        receipt.originalApplicationVersion = nil
        let attributes = try Self.attributes(receipt.payload())
        let byType = Dictionary(attributes.map { ($0.type, $0.value) }) { first, _ in first }
        #expect(byType[25] == [2, 1, 2])
        #expect(byType[21] == ia5("2026-01-01T00:00:00Z"))
        #expect(byType[32] == ia5("2025-12-31T00:00:00Z"))
        for absent: Int64 in [18, 19, 20] { #expect(byType[absent] == nil) }
        receipt.inApp = []
        #expect(try AppReceipt(payload: receipt.payload()) == receipt)
    }

    @Test("A subscription has attribute 1719, and 1720 and 1721 only when they apply; other purchases lack all three")
    func purchases() throws {
        var common: [Int64: [UInt8]] = [1701: [2, 1, 1], 1709: utf8(""), 1710: [2, 1, 0], 1722: [2, 1, 0]]
        for type: Int64 in 1714...1718 { common[type] = utf8("") }
        let purchase: [Int64: [UInt8]] = [
            1702: utf8("com.example.app.lifetime"), 1703: utf8("2000000000001024"), 1704: ia5("2025-12-29T00:00:00Z"),
            1705: utf8("2000000000001024"), 1706: ia5("2025-12-29T00:00:00Z"), 1707: [2, 1, 0], 1708: ia5(""),
            1711: [2, 1, 0], 1712: ia5(""), 1713: [2, 1, 0],
        ]
        let subscription: [Int64: [UInt8]] = [
            1702: utf8("com.example.app.pro"), 1703: utf8("2000000000003072"), 1704: ia5("2025-12-31T00:00:00Z"),
            1705: utf8("2000000000002048"), 1706: ia5("2025-12-01T00:00:00Z"), 1707: [2, 1, 3],
            1708: ia5("2026-01-31T00:00:00Z"), 1711: [2, 7, 0x07, 0x1A, 0xFD, 0x49, 0x8D, 0x10, 0x00], 1712: ia5(""),
            1713: [2, 1, 0], 1719: [2, 1, 0], 1721: utf8("spring"),
        ]
        let refunded: [Int64: [UInt8]] = [
            1702: utf8("com.example.app.pro"), 1703: utf8("2000000000002048"), 1704: ia5("2025-12-01T00:00:00Z"),
            1705: utf8("2000000000002048"), 1706: ia5("2025-12-01T00:00:00Z"), 1707: [2, 1, 3],
            1708: ia5("2025-12-31T00:00:00Z"), 1711: [2, 7, 0x07, 0x1A, 0xFD, 0x49, 0x8D, 0x0C, 0x00],
            1712: ia5("2025-12-12T00:00:00Z"), 1713: [2, 1, 1], 1719: [2, 1, 0], 1720: [2, 1, 1],
        ]
        for (receipt, expected) in [
            (ReceiptSample.purchase, purchase), (ReceiptSample.subscription, subscription),
            (ReceiptSample.refunded, refunded),
        ] {
            var set = AttributeSet()
            receipt.encode(into: &set)
            var bytes: [UInt8] = []
            set.write(to: &bytes)
            let attributes = try Self.attributes(bytes)
            let found = Dictionary(uniqueKeysWithValues: attributes.map { ($0.type, $0.value) })
            #expect(found == expected.merging(common) { first, _ in first })
            #expect(attributes.allSatisfy { $0.version == 1 })
        }
    }

    @Test("The payload and each purchase in it are in DER order, whatever the order of the input")
    func order() throws {
        let payload = ReceiptSample.receipt.payload()
        let elements = try Self.elements(payload)
        #expect(elements == elements.sorted { $0.lexicographicallyPrecedes($1) })
        var others = ReceiptSample.receipt
        others.inApp.reverse()
        #expect(others.payload() == payload)
        for attribute in try Self.attributes(payload) where attribute.type == 17 {
            let inner = try Self.elements(attribute.value)
            #expect(inner == inner.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test("A written payload is read back, with the purchases in the order of their bytes", arguments: [0, 1, 3, 250])
    func roundTrip(count: Int) throws {
        var receipt = ReceiptSample.receipt(purchases: count)
        if count == 3 { receipt.inApp = ReceiptSample.receipt.inApp }
        let read = try AppReceipt(payload: receipt.payload())
        let identifiers = receipt.inApp.map(\.transactionID).sorted()
        #expect(read.inApp.map(\.transactionID).sorted() == identifiers)
        for purchase in receipt.inApp { #expect(read.inApp.contains(purchase)) }
        var unordered = read
        unordered.inApp = receipt.inApp
        #expect(unordered == receipt)
        #expect(read.payload() == receipt.payload())
    }

    @Test("An integer is encoded as the shortest two's complement")
    func integers() {
        let samples: [(Int64, [UInt8])] = [
            (0, [2, 1, 0]), (127, [2, 1, 0x7F]), (128, [2, 2, 0, 0x80]), (255, [2, 2, 0, 0xFF]), (256, [2, 2, 1, 0]),
            (-1, [2, 1, 0xFF]), (-128, [2, 1, 0x80]), (-129, [2, 2, 0xFF, 0x7F]),
            (.max, [2, 8, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
            (.min, [2, 8, 0x80] + [UInt8](repeating: 0, count: 7)),
        ]
        for (number, expected) in samples {
            var bytes: [UInt8] = []
            DERBytes.appendInteger(number, to: &bytes)
            #expect(bytes == expected)
            var reader = BERReader(bytes[...])
            #expect((try? reader.integer()) == number)
        }
    }

    @Test("The device hash is SHA-1 of the device id, the opaque value, and the bundle id with its header")
    func deviceHash() throws {
        // Computed with `openssl sha1` from the bytes 10…1f, f0…ff, 0c 0f and "com.example.app".
        let hash = AppReceipt.deviceHash(
            guid: ReceiptSample.guid,
            opaqueValue: ReceiptSample.opaqueValue,
            bundleID: "com.example.app"
        )
        #expect(Hexadecimal.text(hash) == "3089bbaf04b5bb149cfc0d84f85929f8c1f29ca4")
        #expect(ReceiptSample.receipt.isFor(guid: ReceiptSample.guid))
        #expect(!ReceiptSample.receipt.isFor(guid: ReceiptSample.opaqueValue))
    }

    @Test("A payload of another implementation is accepted in any order, with other versions, attributes and fragments")
    func tolerance() throws {
        let payload = ReceiptSample.receipt.payload()
        let expected = try AppReceipt(payload: payload)
        let unknown = DERBytes.element(
            DERBytes.sequence,
            [2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            [2, 1, 9],
            DERBytes.element(DERBytes.octetString, [1, 2, 3])
        )
        let shuffled = DERBytes.element(DERBytes.set, Array(try Self.elements(payload).reversed().joined()), unknown)
        var read = try AppReceipt(payload: shuffled)
        read.inApp.reverse()
        #expect(read == expected)

        let wrapped = DERBytes.element(DERBytes.octetString, payload)
        #expect(try AppReceipt(payload: wrapped) == expected)
        let pieces = stride(from: 0, to: payload.count, by: 100).map { start in
            DERBytes.element(DERBytes.octetString, Array(payload[start..<min(start + 100, payload.count)]))
        }
        let indefinite: [UInt8] = [0x24, 0x80] + pieces.joined() + [0, 0]
        #expect(try AppReceipt(payload: indefinite) == expected)
        let indefiniteSet: [UInt8] = [0x31, 0x80] + (try Self.elements(payload).joined()) + [0, 0]
        #expect(try AppReceipt(payload: indefiniteSet) == expected)
    }

    @Test("The receipt of a purchase in Xcode has few attributes, and is accepted")
    func xcode() throws {
        func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
            let number: [UInt8] = [2, 2, UInt8(type >> 8), UInt8(type & 0xFF)]
            return DERBytes.element(
                DERBytes.sequence,
                number,
                [2, 1, 1],
                DERBytes.element(DERBytes.octetString, value)
            )
        }
        let content = [
            attribute(1701, [2, 1, 1]), attribute(1702, utf8("pro")), attribute(1703, utf8("0")),
            attribute(1704, ia5("2020-01-02T03:04:05+0300")), attribute(1708, ia5("2020-01-02T03:04:05.678Z")),
            attribute(1719, [2, 1, 1]),
        ]
        let purchase = try InAppReceipt(attributes: AttributeReader(Array(content.joined())[...]))
        #expect(purchase.purchaseDate == 1_577_923_445_000)
        #expect(purchase.expirationDate == 1_577_934_245_678)
        #expect(purchase.originalTransactionID == "0" && purchase.originalPurchaseDate == purchase.purchaseDate)
        #expect(purchase.kind == nil && purchase.isInIntroOfferPeriod == true)
    }

    @Test("A payload without a required attribute is rejected", arguments: [0, 2, 3, 4, 5, 12] as [Int64])
    func missing(type: Int64) throws {
        let payload = ReceiptSample.receipt.payload()
        let kept = zip(try Self.attributes(payload), try Self.elements(payload)).filter { $0.0.type != type }.map(\.1)
        let refusal = ReceiptRefusal.malformed(reason: "lacks attribute \(type), or it is empty")
        #expect(throws: refusal) { try AppReceipt(payload: DERBytes.element(DERBytes.set, Array(kept.joined()))) }
    }
}
