import Foundation
import Testing
import TillControl

@testable import AppStoreServer

/// Everything that a server sends in each payload profile goes through the types of the client and back.
@Suite("The client keeps everything that a real server sends", .timeLimit(.minutes(5)))
struct LiveDecodingTests {
    private static let profiles = ["fair", "sparse", "tomorrow:4711", "version:1.0", "version:1.11"]
    /// Keys that no answer has, and the part of the transaction history that has its own section.
    private static let absent = ["appTransaction.preorderDate"]

    @Test("Each answer and payload in each payload profile keeps its keys, and has typed properties with their values")
    func everything() async throws {
        try await LiveServer.run(settings: FeatureWorkload.settings, catalog: FeatureWorkload.catalog) { server in
            let workload = try await FeatureWorkload(on: server)
            var check = DecodingCheck()
            try await extensions(server, workload, &check)
            for profile in Self.profiles {
                _ = try await server.control.send(UpdateSettings(app: LiveServer.app, payloadProfile: profile))
                try await answers(server, workload, &check)
                try await test(server, &check)
                try await workload.sendAll()
            }
            _ = try await server.control.send(UpdateSettings(app: LiveServer.app, payloadProfile: "fair"))
            try await device(server, workload, &check)
            try await notifications(server, workload, &check)
            let foreign = check.unknown.filter { !$0.hasPrefix("tomorrow") }
            #expect(foreign.isEmpty && check.unknown.count == 5, "keys without a property: \(foreign.sorted())")
            let missing = try Self.documented().subtracting(
                check.seen.flatMap { section, keys in
                    keys.map { "\(section).\($0)" }
                }
            )
            #expect(missing.sorted() == Self.absent, "keys that this workload does not have")
            #expect(check.objects > 1_000, "\(check.objects)")
        }
    }

    /// The keys of docs/operating/payload-profiles.md, as `section.key`.
    private static func documented() throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(contentsOf: root.appending(path: "docs/operating/payload-profiles.md"), encoding: .utf8)
        let keys = page.split(separator: "\n### ").dropFirst().flatMap { section -> [String] in
            let lines = section.split(separator: "\n")
            // The refund history has the type of the transaction history.
            let name = lines[0] == "refundHistory" ? "transactionHistory" : lines[0]
            return lines.filter { $0.hasPrefix("| `") }.compactMap { line in
                line.split(separator: "`").dropFirst().first.map { "\(name).\($0)" }
            }
        }
        return Set(keys.filter { $0.split(separator: ".").count == 2 && !$0.contains(" ") })
    }

    // MARK: Answers

    private func answers(_ server: LiveServer, _ workload: FeatureWorkload, _ check: inout DecodingCheck) async throws {
        let client = server.client()
        for id in workload.customers.values {
            for version in [AppStoreServerClient.HistoryVersion.v2, .v1] {
                try check.check(try await client.transactionHistory(of: id, version: version), sent: server.lastBody)
            }
            try check.check(try await client.subscriptionStatuses(of: id), sent: server.lastBody)
            try check.check(try await client.refundHistory(of: id), sent: server.lastBody)
            try check.check(try await client.refundHistoryV1(of: id), sent: server.lastBody)
            try check.check(try await client.transactionInfo(id), sent: server.lastBody)
            try check.check(try await client.appTransactionInfo(of: id), sent: server.lastBody)
        }
        for order in workload.orders.prefix(2) + ["MABCDEFGHI"] {
            try check.check(try await client.lookUpOrder(order), sent: server.lastBody)
        }
        let history = NotificationHistoryRequest(startDate: workload.begin, endDate: .farAway)
        try check.check(try await client.notificationHistory(history), sent: server.lastBody)
    }

    private func test(_ server: LiveServer, _ check: inout DecodingCheck) async throws {
        let client = server.client { $0.maxAttempts = 1 }
        let test = try await client.requestTestNotification()
        try check.check(test, sent: server.lastBody)
        while true {
            do {
                let status = try await client.testNotificationStatus(test.testNotificationToken)
                return try check.check(status, sent: server.lastBody)
            } catch let error as AppStoreServerError where error.code == .testNotificationNotFound {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private func extensions(_ server: LiveServer, _ workload: FeatureWorkload, _ check: inout DecodingCheck)
        async throws
    {
        let client = server.client()
        let one = ExtendRenewalDateRequest(extendByDays: 3, extendReasonCode: .serviceIssue)
        let ivy = try #require(workload.customers["ivy"])
        try check.check(try await client.extendRenewalDate(of: ivy, one), sent: server.lastBody)
        let all = MassExtendRenewalDateRequest(
            productId: "pro",
            extendByDays: 2,
            extendReasonCode: .other,
            storefrontCountryCodes: ["USA"]
        )
        let begun = try await client.extendRenewalDateForAllActiveSubscribers(all)
        try check.check(begun, sent: server.lastBody)
        let id = try #require(UUID(uuidString: begun.requestIdentifier))
        while true {
            let status = try await client.renewalDateExtensionStatus(productId: "pro", requestIdentifier: id)
            try check.check(status, sent: server.lastBody)
            if status.complete { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// What StoreKit signs for a device.
    private func device(_ server: LiveServer, _ workload: FeatureWorkload, _ check: inout DecodingCheck) async throws {
        let id = try #require(workload.customers["ann"])
        let request = GetTransaction(app: LiveServer.app, transactionId: id, include: [.device])
        let device = try #require(try await server.control.send(request).device)
        try check.check(try SignedTransaction(device.signedTransactionInfo).unverifiedPayload())
        let app = try #require(device.signedAppTransactionInfo)
        try check.check(try SignedAppTransaction(app).unverifiedPayload())
    }

    /// The whole notification history, whose payloads have the profile of their time.
    private func notifications(_ server: LiveServer, _ workload: FeatureWorkload, _ check: inout DecodingCheck)
        async throws
    {
        var types: Set<String> = []
        for try await page in server.client().notifications(from: workload.begin, to: .farAway).pages {
            try check.check(page, sent: server.lastBody)
            for item in page.notificationHistory {
                let payload = try item.signedPayload.unverifiedPayload()
                types.insert("\(payload.notificationType)/\(payload.subtype?.rawValue ?? "")")
            }
        }
        let all = NotificationType.allCases.flatMap { type in
            type.subtypes.map { "\(type.rawValue)/\($0?.rawValue ?? "")" }
        }
        #expect(types.symmetricDifference(all + ["TOMORROW/UNHEARD_OF"]).sorted() == [])
    }
}

extension Timestamp {
    /// After everything that happens in a test.
    fileprivate static let farAway = Timestamp(milliseconds: 4_000_000_000_000)
}
