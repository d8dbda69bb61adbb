import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop
import TillSigning
import TillTestSupport

/// Reads a customer's signed data as an app's server does: with the App Store Server API, without a socket.
extension TypedControl {
    /// The status of a subscription, with the payload of its latest transaction.
    struct SignedStatus {
        let status: SubscriptionStatus?
        let originalTransactionId: String?
        let transaction: JSONTree
    }

    /// The payloads of a customer's transaction history, in the order of their last change.
    ///
    /// - Parameter filters: query parameters, each after an ampersand.
    func history(of customer: String, in app: AppEnvironment, _ filters: String = "") async throws -> [JSONTree] {
        let id = try await send(GetCustomer(app: app, customer: customer)).appTransactionId
        let page = try await get("/inApps/v2/history/\(id)?sort=ASCENDING\(filters)", in: app.environment)
        #expect(page["hasMore"] == .bool(false))
        return try (page["signedTransactions"]?.elements ?? []).map { try payload(of: $0.text) }
    }

    /// The statuses of all subscriptions of a customer.
    func statuses(of customer: String, in app: AppEnvironment) async throws -> [SignedStatus] {
        let id = try await send(GetCustomer(app: app, customer: customer)).appTransactionId
        let answer = try await get("/inApps/v1/subscriptions/\(id)", in: app.environment)
        let items = (answer["data"]?.elements ?? []).flatMap { $0["lastTransactions"]?.elements ?? [] }
        return try items.map { item in
            SignedStatus(
                status: item["status"]?.number.flatMap { SubscriptionStatus(rawValue: Int($0)) },
                originalTransactionId: item["originalTransactionId"]?.text,
                transaction: try payload(of: item["signedTransactionInfo"]?.text)
            )
        }
    }

    /// The payload of a JWS whose certificate chain and signature are valid.
    func payload(of text: String?) throws -> JSONTree {
        let jws = try CompactJWS(try #require(text), limit: 100_000)
        let root = test.shop.signingChain.certificatesDER[2]
        let inspection = JWSInspection(jws, trusting: [root], at: test.now.milliseconds)
        #expect(inspection.problems.isEmpty, "\(inspection.problems)")
        return try JSONTree.parse(jws.payload)
    }

    private func get(_ path: String, in environment: StoreEnvironment) async throws -> JSONTree {
        let api = test.appleAPI(in: environment)
        let token = try test.token()
        return try await Application(router: api.router()).test(.router) { client in
            let answer = try await client.execute(
                uri: path,
                method: .get,
                headers: [.authorization: "Bearer \(token)"]
            ) { $0 }
            #expect(answer.status == .ok, "\(path)")
            return try JSONTree.parse(Array(buffer: answer.body))
        }
    }
}

extension JSONTree {
    /// The payload without its signing date, which differs from answer to answer.
    var withoutSigningDate: JSONTree { .object(members.filter { $0.key != "signedDate" }) }
}
