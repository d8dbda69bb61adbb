import Foundation
import Testing
import TillCore
import TillJSON
import TillShop

@Suite("Payload profiles, key by key")
struct PayloadProfileFilterTests {
    private func text(of path: String) throws -> String {
        try String(contentsOf: CatalogFixtures.root.appending(path: path), encoding: .utf8)
    }

    /// An object with every key of its kind. The values are texts, objects or arrays.
    private func whole(_ object: WireObject) -> [UInt8] {
        var json = "{"
        for (place, key) in object.keys.enumerated() {
            if place > 0 { json += "," }
            let inner = key.inner.map { String(decoding: whole($0), as: UTF8.self) }
            let isList = ["lastTransactions", "notificationHistory", "sendAttempts"].contains(key.name)
            let isGroups = object == .subscriptionStatuses && key.name == "data"
            json += "\"\(key.name)\":"
            json += inner.map { isList || isGroups ? "[\($0),\($0)]" : $0 } ?? #""a\"b,{[\\""#
        }
        return Array((json + "}").utf8)
    }

    private func filtered(
        _ object: WireObject,
        _ payloadProfile: PayloadProfile,
        in environment: StoreEnvironment = .sandbox
    ) throws
        -> JSONTree
    {
        try JSONTree.parse(PayloadProfileFilter(payloadProfile, in: environment).filtered(whole(object), as: object))
    }

    private func keys(_ tree: JSONTree) -> [String] {
        guard case .object(let members) = tree else { return [] }
        return members.map(\.key)
    }

    @Test("A profile is read as it was written")
    func words() {
        let words = ["sparse", "tomorrow:4711", "version:1.0", "version:1.22"]
        #expect(words.compactMap { PayloadProfile(words: $0)?.words } == words)
        #expect(PayloadProfile(words: "tomorrow") == .forwardCompatible(seed: 1))
        for wrong in ["", "fair", "Sparse", "sparse:", "tomorrow:", "tomorrow:-1", "version", "version:1.23"] {
            #expect(PayloadProfile(words: wrong) == nil, "\(wrong)")
        }
        for wrong in ["version:", "version:1.", "version:1.08", "version:2.0", "version:1.1:1", "rain"] {
            #expect(PayloadProfile(words: wrong) == nil, "\(wrong)")
        }
    }

    @Test("Every key in a payload is classified; a new key must be added to the table of its object")
    func classified() throws {
        let folder = "Sources/TillShop/Payloads/"
        let api = [
            "AppTransactions", "NotificationEndpoints", "Orders", "Refunds", "RenewalExtensionEndpoints",
            "Subscriptions", "TransactionHistory", "Transactions",
        ].map { "Sources/TillServer/API/Endpoints/\($0).swift" }
        let isPayload = Set(WireObject.payloads)
        let bodyKeys = Set(WireObject.allCases.filter { !isPayload.contains($0) }.flatMap(\.keys).map(\.name))
        let cases: [(path: String, known: Set<String>)] =
            [
                (folder + "TransactionPayload.swift", names([.transaction, .transactionCommitment])),
                (folder + "RenewalInfoPayload.swift", names([.renewalInfo, .renewalCommitment])),
                (folder + "AppTransactionPayload.swift", names([.appTransaction])),
                (
                    folder + "NotificationPayload.swift",
                    names([
                        .notification, .notificationData, .notificationAppData, .notificationSummary,
                        .externalPurchaseToken,
                    ])
                ),
            ] + api.map { ($0, bodyKeys) }
        var written: Set<String> = []
        for (path, known) in cases {
            let found = try text(of: path).matches(of: /\.put\(\s*"(\w+)"/).map { String($0.output.1) }
            #expect(!found.isEmpty, "\(path) writes no keys")
            #expect(Set(found).subtracting(known) == [], "\(path) writes keys that no table of WireObject has")
            written.formUnion(found)
        }
        let listed = Set(WireObject.allCases.flatMap(\.keys).map(\.name))
        #expect(listed.subtracting(written) == [], "tables of WireObject have keys that are never written")
    }

    private func names(_ objects: [WireObject]) -> Set<String> { Set(objects.flatMap(\.keys).map(\.name)) }

    @Test("Keys, presence and versions match the documentation")
    func documented() throws {
        let page = try text(of: "docs/operating/payload-profiles.md")
        for object in WireObject.allCases {
            for key in object.keys {
                let presence =
                    switch key.presence {
                    case .always: "stays"
                    case .inProduction: "stays in production"
                    case .optional: "absent"
                    }
                let version = key.since == 0 ? "–" : "1.\(key.since)"
                let change = key.isListed ? "listed" : "–"
                let row = "| `\(key.name)` | \(presence) | \(version) | \(change) |"
                #expect(page.contains("### \(object.rawValue)\n"), "no section \(object.rawValue)")
                let section = page.components(separatedBy: "### \(object.rawValue)\n").last?
                    .components(separatedBy: "\n#").first
                #expect(section?.contains(row) == true, "\(object.rawValue): \(row)")
            }
        }
    }

    @Test("The minimal profile contains only the keys that are always present", arguments: WireObject.allCases)
    func minimal(_ object: WireObject) throws {
        for environment in StoreEnvironment.allCases {
            let left = keys(try filtered(object, .minimal, in: environment))
            let wanted = object.keys.filter {
                $0.presence == .always || ($0.presence == .inProduction && environment == .production)
            }
            #expect(left == wanted.map(\.name))
        }
    }

    @Test(
        "A profile of a version contains only the keys of that version, and the newest version contains all keys",
        arguments: WireObject.allCases
    )
    func versions(_ object: WireObject) throws {
        for minor in 0...PayloadProfile.newestVersion {
            let left = keys(try filtered(object, .version(minor)))
            #expect(left == object.keys.filter { $0.since <= minor }.map(\.name))
        }
        let newest = PayloadProfileFilter(.version(PayloadProfile.newestVersion), in: .sandbox)
        #expect(newest.filtered(whole(object), as: object) == whole(object))
    }

    @Test(
        "The forward-compatible profile adds a key of each type to every object, and keeps unlisted keys",
        arguments: 0..<20
    )
    func forwardCompatible(_ seed: UInt64) throws {
        for object in WireObject.allCases {
            let tree = try filtered(object, .forwardCompatible(seed: seed))
            guard case .object(let members) = tree else { continue }
            let added = members.suffix(5)
            #expect(members.dropLast(5).map(\.key) == object.keys.map(\.name))
            #expect(added.allSatisfy { $0.key.hasPrefix("tomorrow") && object.key($0.key) == nil })
            for (key, member) in zip(object.keys, members) where key.inner == nil && !key.isListed {
                #expect(member.value == .string(#"a"b,{[\"#), "\(key.name)")
            }
        }
    }

    @Test("One value in four is replaced by an unknown value; the same object and seed give the same values")
    func share() throws {
        func changed(_ id: Int, _ seed: UInt64) throws -> Bool {
            let json = Array(#"{"transactionId":"\#(id)","type":"Consumable","offerType":1}"#.utf8)
            let filter = PayloadProfileFilter(.forwardCompatible(seed: seed), in: .sandbox)
            let first = filter.filtered(json, as: .transaction)
            #expect(first == filter.filtered(json, as: .transaction))
            let text = String(decoding: first, as: UTF8.self)
            #expect(text.contains("\"type\":\"Consumable\"") || text.contains("\"type\":\"TOMORROW\""))
            #expect(text.contains("\"offerType\":1,") || text.contains("\"offerType\":99,"))
            return text.contains("TOMORROW")
        }
        let first = try (0..<4_000).map { try changed($0, 1) }
        let second = try (0..<4_000).map { try changed($0, 2) }
        #expect((800..<1_200).contains(first.filter(\.self).count))
        #expect(first != second)
    }

    @Test("Signed parts and unknown keys are unchanged in every profile")
    func places() {
        let body = Array("{\"data\":{\"signedTransactionInfo\":\"\u{1}\",\"bundleId\":\"a\"},\"new\":[1,{}]}".utf8)
        for payloadProfile in [PayloadProfile.minimal, .version(0), .forwardCompatible(seed: 3)] {
            let left = PayloadProfileFilter(payloadProfile, in: .sandbox).filtered(body, as: .notification)
            let text = String(decoding: left, as: UTF8.self)
            #expect(text.contains("\"signedTransactionInfo\":\"\u{1}\",\"bundleId\":\"a\"") && text.contains("[1,{}]"))
        }
        for empty in ["{}", "{\"data\":[]}", "{\"data\":{}}"] {
            let left = PayloadProfileFilter(.minimal, in: .sandbox).filtered(
                Array(empty.utf8),
                as: .subscriptionStatuses
            )
            #expect(String(decoding: left, as: UTF8.self) == empty)
        }
    }
}
