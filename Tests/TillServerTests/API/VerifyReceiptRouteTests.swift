import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Sends receipts to verifyReceipt. Tests in Python let independent clients and verifiers read them.
@Suite("The route verifyReceipt")
struct VerifyReceiptRouteTests {
    static let secret = "0123456789abcdef0123456789abcdef"
    private static let appKeys: Set = [
        "receipt_type", "adam_id", "app_item_id", "bundle_id", "application_version", "download_id",
        "version_external_identifier", "receipt_creation_date", "receipt_creation_date_ms", "receipt_creation_date_pst",
        "request_date", "request_date_ms", "request_date_pst", "original_purchase_date", "original_purchase_date_ms",
        "original_purchase_date_pst", "original_application_version", "in_app",
    ]

    /// Runs a test in which ann has a subscription and coins, and bob has coins. The app has a shared secret.
    static func run(
        in environments: [StoreEnvironment] = StoreEnvironment.allCases,
        _ body: @escaping @Sendable (AppServer) async throws -> Void
    ) async throws {
        for environment in environments {
            try await AppServer.run(in: environment) { shop in
                _ = try await shop.control.send(
                    SetSharedSecret(bundleId: TestShop.bundleID, sharedSecret: secret)
                )
                try await shop.buy("pro", by: "ann")
                try await shop.buy("coins", by: "ann")
                try await shop.buy("coins", by: "bob")
                try await body(shop)
            }
        }
    }

    /// The JSON of an object with a status, and with the environment if the receipt was read.
    private static func refusal(_ status: Int, _ shop: AppServer? = nil) -> String {
        let more = shop.map { #","environment":"\#($0.environment.wireName)""# } ?? ""
        return "{\"status\":\(status)\(more)}"
    }

    /// Checks the exact answer of a refusal, and that the request log has the reason but not the secret.
    private static func expect(
        _ status: Int,
        _ answer: AppleRoutes.Answer,
        _ shop: AppServer,
        isRead: Bool = false,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(answer.status == 200 && answer.contentType == "application/json", sourceLocation: sourceLocation)
        let expected = try JSONTree.parse(Array(refusal(status, isRead ? shop : nil).utf8))
        #expect(
            Set(try answer.json.members.map(\.key)) == Set(expected.members.map(\.key)),
            "\(answer)",
            sourceLocation: sourceLocation
        )
        #expect(try answer.json["status"] == expected["status"], "\(answer)", sourceLocation: sourceLocation)
        #expect(try answer.json["environment"] == expected["environment"], sourceLocation: sourceLocation)
        if !isRead { #expect(answer.text == refusal(status), sourceLocation: sourceLocation) }
        let entry = try await shop.apple.entry(of: answer)
        #expect(entry.code == status && !String(describing: entry).contains(secret), sourceLocation: sourceLocation)
        for word in words { #expect(entry.explanation.contains(word), "\(entry)", sourceLocation: sourceLocation) }
    }

    @Test("21000: another method; 21002: a body without a readable receipt")
    func unreadable() async throws {
        try await Self.run { shop in
            for method in [HTTPRequest.Method.get, .put, .delete, .patch, .options] {
                let body = method == .get ? nil : "{}"
                let answer = try await shop.apple.send(method, "/verifyReceipt", body, headers: [:])
                try await Self.expect(21_000, answer, shop, method.rawValue, "POST")
            }
            let head = try await shop.apple.send(.head, "/verifyReceipt", headers: [:])
            #expect(head.status == 200)
            let members = ["5", "null", #"["AAAA"]"#, "\"\"", #""   ""#, "\"####\"", #""AAAA""#, #""ewp9""#]
            let bodies = [
                "", "[", "[]", "null", #""x""#, "{}", #"{"receipt":"AAAA"}"#, "receipt-data=AAAA",
                #"{"receipt-data":"AAAA","receipt-data":"AAAA"}"#,
            ]
            for body in members.map({ #"{"receipt-data":\#($0)}"# }) + bodies {
                let answer = try await shop.apple.send(.post, "/verifyReceipt", body, headers: [:])
                try await Self.expect(21_002, answer, shop)
            }
            let bytes = try await shop.apple.send(
                .post,
                "/verifyReceipt",
                bytes: [0xFF, 0xFE, 0x7B, 0x7D],
                headers: [:]
            )
            try await Self.expect(21_002, bytes, shop)
        }
    }

    @Test("21003: a receipt of another root; 21004: a wrong secret; 21007 and 21008: the other environment")
    func refused() async throws {
        try await Self.run { shop in
            let receipt = try await shop.receipt(of: "ann")
            let coins = try await shop.buy("coins", by: "bob").transactionId
            let single = try await shop.single(coins)
            try await Self.run(in: [shop.environment]) { stranger in
                for text in [receipt, single] {
                    let answer = try await stranger.verify(text, Self.secret)
                    try await Self.expect(21_003, answer, stranger, isRead: true)
                }
            }
            for (customer, password) in [("ann", nil), ("ann", "wrong"), ("ann", ""), ("bob", "wrong")]
                as [(String, String?)]
            {
                let answer = try await shop.verify(try await shop.receipt(of: customer), password)
                try await Self.expect(21_004, answer, shop, isRead: true, "till secret show")
            }
            let isSandbox = shop.environment == .sandbox
            let away = AppServer(control: shop.control, environment: isSandbox ? .production : .sandbox)
            for password in [Self.secret, "wrong", nil] {
                let answer = try await away.verify(receipt, password)
                try await Self.expect(isSandbox ? 21_007 : 21_008, answer, away, "send it to")
            }
            try await Self.expect(isSandbox ? 21_007 : 21_008, try await away.verify(single), away)
        }
    }

    @Test(
        "A request may have any content type, token and unknown members, and Base64 of several forms"
    )
    func formats() async throws {
        try await Self.run(in: [.sandbox]) { shop in
            let receipt = try await shop.receipt(of: "bob")
            let types = [
                nil, "application/x-www-form-urlencoded", "application/json", "application/json; charset=utf-8",
                "text/plain", "multipart/form-data; boundary=x", "nonsense",
            ]
            for type in types {
                var headers: HTTPFields = [.authorization: "Bearer nonsense"]
                headers[.contentType] = type
                let body = #"{"receipt-data":"\#(receipt)","exclude_old_transactions":7,"x":{"y":[null]}}"#
                let answer = try await shop.apple.send(.post, "/verifyReceipt", body, headers: headers)
                #expect(try answer.json["status"]?.number == 0, "\(type ?? "none")")
            }
            var paddings: Set<Int> = []
            for length in 1...3 {
                let version = String(repeating: "1", count: length)
                let create = CreateCustomer(app: shop.app, customer: version, applicationVersion: version)
                _ = try await shop.control.send(create)
                let receipt = try await shop.receipt(of: version)
                #expect(!receipt.contains("\n") && Base64.decode(receipt).map(Base64.encode) == receipt)
                let bare = receipt.trimmingCharacters(in: ["="])
                paddings.insert(receipt.count - bare.count)
                let wrapped = ["\\n", "\\r\\n"].map { end in
                    stride(from: 0, to: receipt.count, by: 76).map { start in
                        String(receipt.dropFirst(start).prefix(76))
                    }.joined(separator: end)
                }
                for text in [receipt, "\\n \(receipt) \\t\\r\\n", bare] + wrapped {
                    #expect(try await shop.verify(text).json["status"]?.number == 0)
                }
            }
            #expect(paddings == [0, 1, 2])
            let ann = try await shop.receipt(of: "ann")
            #expect(ann.contains("+") && ann.contains("/"))
            let changes = [
                ann.replacing("+", with: "-").replacing("/", with: "_"), ann.replacing("+", with: "-"),
                ann.replacing("/", with: "_"), ann.replacing("+", with: " "), ann.replacing("+", with: "%2B"),
                ann.replacing("/", with: #"\\/\\/"#), ann + "!", "\(ann.prefix(100))=\(ann.dropFirst(100))", ann + "é",
            ]
            for text in changes {
                #expect(try await shop.verify(text, Self.secret).text == Self.refusal(21_002))
            }
            let escaped = try await shop.verify(ann.replacing("/", with: #"\/"#), Self.secret)
            #expect(try escaped.json["status"]?.number == 0, "JSON may escape a slash")
        }
    }

    // MARK: Lists of transactions

    /// The first receipt of a customer, eve, who subscribed eighty days ago on a clock that now shows the present time.
    private static func renewed(_ shop: AppServer, with product: String? = nil) async throws -> String {
        let start = shop.control.inDays(-80)
        _ = try await shop.control.send(CreateClock(app: shop.app, name: "past", mode: .frozen, at: start))
        _ = try await shop.control.send(CreateCustomer(app: shop.app, customer: "eve", at: start))
        _ = try await shop.control.send(UpdateCustomer(app: shop.app, customer: "eve", clock: "past"))
        try await shop.buy("pro", by: "eve")
        if let product { try await shop.buy(product, by: "eve") }
        let receipt = try await shop.receipt(of: "eve")
        _ = try await shop.control.send(AdvanceClock(app: shop.app, clock: "past", to: shop.control.test.now))
        return receipt
    }

    @Test("Old transactions are left out on request, and renewals after the creation of a receipt are in the answer")
    func lists() async throws {
        try await Self.run(in: [.sandbox]) { shop in
            let old = try await Self.renewed(shop, with: "skin")
            let whole = try await shop.verify(try await shop.receipt(of: "eve"), Self.secret).json
            let products = whole.rows("latest_receipt_info").map { $0.text("product_id") }
            #expect(products == ["pro", "pro", "skin", "pro"])
            #expect(try Self.purchases(whole.text("latest_receipt")) == 4)
            let receipt = try await shop.receipt(of: "eve")
            for (value, isExcluded) in [
                ("true", true), ("false", false), (#""true""#, true), (#""false""#, false), ("1", true), ("0", false),
                ("null", false), ("[]", false),
            ] {
                let more = #","exclude-old-transactions":\#(value)"#
                let answer = try await shop.verify(receipt, Self.secret, more).json
                #expect(answer["receipt"]?["in_app"] == whole["receipt"]?["in_app"], "\(value)")
                #expect(answer["receipt"]?.rows("in_app").count == 4)
                #expect(answer["pending_renewal_info"] == whole["pending_renewal_info"])
                let rows = whole.rows("latest_receipt_info")
                let left = isExcluded ? [rows[0], rows[2]] : rows
                #expect(answer.rows("latest_receipt_info") == left, "\(value)")
                #expect(try Self.purchases(answer.text("latest_receipt")) == left.count)
            }
            let later = try await shop.verify(old, Self.secret).json
            #expect(later["receipt"]?.rows("in_app").count == 2 && later.rows("latest_receipt_info").count == 4)
            let dates = ["receipt_creation_date_ms", "request_date_ms"].map { key in
                later["receipt"]?.text(key).flatMap { Int64($0) } ?? 0
            }
            #expect(dates[1] - dates[0] == 80 * 86_400_000)
            let excluded = try await shop.verify(receipt, Self.secret, #","exclude-old-transactions":true"#).json
            let again = try await shop.verify(try #require(excluded.text("latest_receipt")), Self.secret).json
            #expect(again["receipt"]?.rows("in_app").count == 2 && again.rows("latest_receipt_info").count == 4)
        }
    }

    /// The number of purchases in a receipt.
    private static func purchases(_ receipt: String?) throws -> Int {
        let bytes = try #require(Base64.decode(receipt ?? ""))
        return try SignedReceipt(bytes).receipt.inApp.count
    }

    @Test("A finished consumable stays in old receipts only; a customer without purchases has a receipt")
    func consumables() async throws {
        try await Self.run { shop in
            let buy = BuyProduct(app: shop.app, customer: "eve", productId: "coins", quantity: 7)
            let coins = try #require(try await shop.control.send(buy).transaction).transactionId
            let old = try await shop.receipt(of: "eve")
            _ = try await shop.control.send(FinishTransaction(app: shop.app, transactionId: coins))
            // An unchanged receipt is signed at most once a second.
            shop.control.test.advance(1_000)
            let now = try await shop.verify(try await shop.receipt(of: "eve")).json
            #expect(now["receipt"]?.rows("in_app") == [])
            let then = try await shop.verify(old).json
            #expect(then["receipt"]?.rows("in_app").map { $0.text("transaction_id") } == [coins])
            #expect(then["receipt"]?.rows("in_app").map { $0.text("quantity") } == ["7"])
            try await shop.buy("pro", by: "eve")
            let answer = try await shop.verify(old, Self.secret).json
            #expect(answer.rows("latest_receipt_info").map { $0.text("product_id") } == ["pro"])
            #expect(answer["receipt"]?.rows("in_app").map { $0.text("product_id") } == ["coins"])
            _ = try await shop.control.send(CreateCustomer(app: shop.app, customer: "dan"))
            let empty = try await shop.verify(try await shop.receipt(of: "dan")).json
            #expect(Set(empty.members.map(\.key)) == ["status", "environment", "receipt"])
            let receipt = try #require(empty["receipt"])
            #expect(Set(receipt.members.map(\.key)) == Self.appKeys && receipt.rows("in_app") == [])
        }
    }

    @Test("A purchase returns the device's receipt on request; the download is never after the receipt")
    func devices() async throws {
        try await Self.run { shop in
            let device = UUID().uuidString
            var request = BuyProduct(app: shop.app, customer: "eve", productId: "solo", deviceId: device)
            request.include = [.receipt]
            let bought = try #require(try await shop.control.send(request).transaction)
            let text = try #require(bought.device?.appReceipt)
            func hash(_ text: String) throws -> [UInt8] {
                Array(try SignedReceipt(try #require(Base64.decode(text))).receipt.deviceHash)
            }
            #expect(try hash(text) == hash(try await shop.receipt(of: "eve", device: device)))
            let answer = try await shop.verify(text).json
            #expect(answer["receipt"]?.rows("in_app").map { $0.text("transaction_id") } == [bought.transactionId])
            request.include = [.device]
            request.productId = "coins"
            let other = try #require(try await shop.control.send(request).transaction)
            #expect(other.device != nil && other.device?.appReceipt == nil)
            // A customer on a clock before the creation of the app, who has not downloaded the app.
            let early = Timestamp(milliseconds: 1_600_000_000_000)
            _ = try await shop.control.send(CreateClock(app: shop.app, name: "early", mode: .frozen, at: early))
            _ = try await shop.control.send(
                CreateCustomer(app: shop.app, customer: "dan", downloadsApp: false, at: early)
            )
            _ = try await shop.control.send(UpdateCustomer(app: shop.app, customer: "dan", clock: "early"))
            let receipt = try await shop.verify(try await shop.receipt(of: "dan")).json["receipt"]
            #expect(receipt?.text("receipt_creation_date_ms") == "1600000000000")
            let download = receipt?.text("original_purchase_date_ms")
            #expect(download == (shop.environment == .sandbox ? "1375340400000" : "1600000000000"))
        }
    }
}

extension AppServer {
    /// The app receipt of a customer.
    func receipt(of customer: String, device: String? = nil) async throws -> String {
        try await control.send(GetReceipt(app: app, customer: customer, deviceId: device)).receipt
    }

    /// The receipt of a single transaction.
    func single(_ id: String) async throws -> String {
        let customer = try await control.send(GetTransaction(app: app, transactionId: id)).customer
        return try await control.send(GetReceipt(app: app, customer: customer, transactionId: id)).receipt
    }

    /// Sends a receipt to verifyReceipt, with a password and more members of the body.
    func verify(_ receipt: String, _ password: String? = nil, _ more: String = "") async throws -> AppleRoutes.Answer {
        let secret = password.map { #","password":"\#($0)""# } ?? ""
        let body = #"{"receipt-data":"\#(receipt)"\#(secret)\#(more)}"#
        let answer = try await apple.send(.post, "/verifyReceipt", body, headers: [:])
        #expect(answer.status == 200 && answer.contentType == "application/json")
        return answer
    }
}

extension JSONTree {
    /// The elements of an array.
    func rows(_ key: String) -> [JSONTree] { self[key]?.elements ?? [] }
}
