import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TillControl
import TillJSON
import TillShop

/// App transactions, receipts, and the answers of verifyReceipt.
extension FixtureShop {
    /// The shared secret of the app, which the requests to verifyReceipt contain.
    static let sharedSecret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

    /// Adds the app transaction as the App Store Server API returns it, and the signed data that StoreKit gives to the
    /// app on the device.
    mutating func addAppTransactions() async throws {
        let rows = try await client.send(ListTransactions(app: app, customer: "tess")).transactions
        guard let row = rows.first else { throw CommandRefused("The customer of the fixtures has no transaction.") }
        let answer = try await get("/inApps/v1/transactions/appTransactions/\(row.transactionId)")
        let signed = try? JSONTree.parse(answer.body).decode(AppTransactionAnswer.self).signedAppTransactionInfo
        try addSigned(.appTransaction, "api", signed, "An app transaction, as the App Store Server API returns it.")
        let info = try await client.send(
            GetTransaction(
                app: app,
                transactionId: row.transactionId,
                deviceId: "3c9a6f58-1d2e-4b70-8a94-5e6f7d8c9b0a",
                include: [.device]
            )
        )
        try addSigned(
            .appTransaction,
            "device",
            info.device?.signedAppTransactionInfo,
            "An app transaction, as StoreKit gives it to the app, with a device verification."
        )
        try addSigned(
            .transaction,
            "subscription.device",
            info.device?.signedTransactionInfo,
            "A transaction, as StoreKit gives it to the app, with a device verification."
        )
    }

    /// Adds receipts, and what verifyReceipt answers.
    ///
    /// - Parameter foreign: a receipt of the other environment; nil if there is none.
    mutating func addReceipts(foreign: String?) async throws {
        _ = try await client.send(SetSharedSecret(bundleId: app.bundleId, sharedSecret: Self.sharedSecret))
        let subscriber = try await addReceipt("subscriber", of: "uma", "A receipt with an active subscription.")
        _ = try await addReceipt("expired-subscriber", of: "hugo", "A receipt with an expired subscription.")
        _ = try await addReceipt("one-time-purchases", of: "olga", "A receipt with products that do not renew.")
        try await create("nils")
        let empty = try await addReceipt("no-purchases", of: "nils", "A receipt of an app without purchases.")
        try await addTransactionReceipt("hugo", "expired-subscription", "whose subscription has ended")
        try await addTransactionReceipt("olga", "one-time-purchase", "of a product that does not renew")

        let secret = Self.sharedSecret
        try await addExchange("21004.wrong-password", subscriber, "wrong", "The password is wrong.")
        try await addExchange("21003.changed", Self.changed(subscriber), secret, "The receipt was changed.")
        try await addExchange("21002.malformed", "bm90IGEgcmVjZWlwdA==", secret, "The data is not a receipt.")
        if let foreign {
            let status = app.environment == .production ? 21_007 : 21_008
            try await addExchange("\(status).other-environment", foreign, secret, "A receipt of the other environment.")
        }
        try await addExchange("0.no-password", empty, nil, "A valid receipt without subscriptions needs no password.")
        for status in [21_001, 21_005, 21_009, 21_010, 21_100, 21_199] {
            let rule = AddFault(
                kind: .receiptStatus,
                environment: app.environment,
                route: "verifyReceipt",
                code: status
            )
            let fault = try await client.send(rule)
            try await addExchange("\(status)", subscriber, secret, "The answer with the status \(status).")
            _ = try await client.send(RemoveFaults(faultId: fault.id))
        }
        let answer = try await get("/verifyReceipt", isAuthorized: false)
        try addExchange("21000.method", request: nil, answer, "The method of the request is GET.")
    }

    private mutating func addReceipt(_ name: String, of customer: String, _ shows: String) async throws -> String {
        let info = try await client.send(GetReceipt(app: app, customer: customer))
        return try await addReceipt(name, info.receipt, shows)
    }

    private mutating func addTransactionReceipt(_ customer: String, _ name: String, _ which: String) async throws {
        let rows = try await client.send(ListTransactions(app: app, customer: customer)).transactions
        let request = GetReceipt(app: app, customer: customer, transactionId: rows.first?.transactionId)
        let receipt = try await client.send(request).receipt
        _ = try await addReceipt(
            "single.\(name)",
            receipt,
            "A receipt of a single transaction, in the format of iOS 6, \(which)."
        )
    }

    private mutating func addReceipt(_ name: String, _ receipt: String, _ shows: String) async throws -> String {
        let (request, answer) = try await verify(receipt, Self.sharedSecret)
        let status = try Self.status(answer)
        var fixture = fixture(.receipt, name, shows)
        (fixture.isAccepted, fixture.status, fixture.verifyAt) = (status == 0, status, Self.creationDate(in: answer))
        try add(fixture, receipt)
        try addExchange("\(status).\(name)", request: request, answer, shows)
        return receipt
    }

    private mutating func addExchange(
        _ name: String,
        _ receipt: String,
        _ password: String?,
        _ shows: String
    ) async throws {
        let (request, answer) = try await verify(receipt, password)
        try addExchange(name, request: request, answer, shows)
    }

    private mutating func addExchange(
        _ name: String,
        request: JSONTree?,
        _ answer: Answer,
        _ shows: String
    ) throws {
        let status = try Self.status(answer)
        guard name.hasPrefix("\(status)") else {
            throw CommandRefused("verifyReceipt answered \(status) for the fixture \(name).")
        }
        var fixture = fixture(.verifyReceipt, name, shows)
        fixture.status = status
        let content = JSONTree.members(["request": request, "answer": try JSONTree.parse(answer.body)])
        try add(fixture, String(decoding: content.written(), as: UTF8.self) + "\n")
    }

    /// The date of the receipt that verifyReceipt answers with; nil for a receipt of a single transaction.
    private static func creationDate(in answer: Answer) -> Timestamp? {
        let answer = try? JSONTree.parse(answer.body).decode(ReceiptAnswer.self)
        return (answer?.receipt?.receiptCreationDate).flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
    }

    private struct AppTransactionAnswer: Decodable {
        let signedAppTransactionInfo: String
    }

    /// What is read of an answer of verifyReceipt.
    private struct ReceiptAnswer: Decodable {
        struct Receipt: Decodable {
            let receiptCreationDate: String?

            private enum CodingKeys: String, CodingKey {
                case receiptCreationDate = "receipt_creation_date_ms"
            }
        }

        let status: Int
        let receipt: Receipt?
    }

    /// The receipts of the attack pack, all about one purchase and with the date of the valid receipt.
    mutating func addReceiptAttacks(about transaction: String?) async throws {
        let attacks = try await client.send(ListAttacks(app: app, receipts: true, transactionId: transaction))
        let control = attacks.first { $0.case == .control }?.receipt ?? ""
        let date = Self.creationDate(in: try await verify(control, Self.sharedSecret).1)
        for attack in attacks {
            var fixture = fixture(.receipt, attack.case.rawValue, attack.wrong, folder: "attacks")
            (fixture.attack, fixture.status, fixture.isAccepted) = (attack.case, attack.status, attack.status == 0)
            fixture.verifyAt = date
            try add(fixture, attack.receipt ?? "")
        }
    }

    private func verify(_ receipt: String, _ password: String?) async throws -> (JSONTree, Answer) {
        let body = JSONTree.members([
            "receipt-data": .string(receipt), "password": .text(password), "exclude-old-transactions": .bool(false),
        ])
        var request = HTTPClientRequest(url: "\(address)/verifyReceipt")
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: body.compact))
        return (body, try await send(request))
    }

    private static func status(_ answer: Answer) throws -> Int {
        try JSONTree.parse(answer.body).decode(ReceiptAnswer.self).status
    }

    /// The receipt with another signature: the last bytes, which are part of it, are changed.
    private static func changed(_ receipt: String) -> String {
        let end = receipt.count / 4 * 4 - 8
        return String(receipt.prefix(end - 4)) + "AAAA" + String(receipt.dropFirst(end))
    }
}
