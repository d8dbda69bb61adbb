import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillShop
import TillStorage

/// Applies fault rules to calls of the App Store Server API (docs/operating/faults.md).
extension AppleAPI {
    /// Answers a call, unless a fault rule replaces the answer. The request log contains every fault that applied.
    func answerUnderFaults(_ endpoint: Endpoint, _ exchange: Exchange, _ context: APIContext) async throws -> Response {
        var exchange = exchange
        let target = FaultRules.Target(
            environment: environment,
            app: exchange.scope.app,
            route: endpoint.name,
            customer: try await customerOfFaults(exchange)
        )
        exchange.readGap = shop.faults.readGap(for: target)
        var cutsAnswer: FaultHit?
        for hit in shop.faults.hits(on: target) {
            switch hit.rule.kind {
            case .latency:
                note(hit, context)
                try await Task.sleep(for: .milliseconds(hit.milliseconds))
            case .unauthorized:
                throw Unauthenticated(explanation: hit.rule.words, reason: .fault)
            case .error:
                let error = hit.rule.code.flatMap { APIError.documented[$0] } ?? .generalInternal
                throw error.because(hit.rule.words).retrying(after: hit.rule.retryAfter.map { Int64($0) })
            case .rateLimit:
                // As in Apple's API, the value is an instant in milliseconds; here it is the start of the next hour.
                let hour = shop.wallClock().milliseconds / 3_600_000 + 1
                throw APIError.rateLimitExceeded.because(hit.rule.words).retrying(after: hour * 3_600_000)
            case .status:
                let status = HTTPResponse.Status(code: hit.rule.code ?? 500)
                throw APIError.bare(status, hit.rule.words)
            case .cut:
                // In HTTP/2 this channel is the stream of the call, and closing it throws an error.
                try? await context.channel.close()
                throw APIError.bare(.internalServerError, hit.rule.words)
            case .half: cutsAnswer = hit
            case .receiptStatus, .staleReads, .drop, .delay, .duplicate, .reorder: break
            }
        }
        let response = try await answerByProfile(endpoint, exchange)
        guard let cutsAnswer else { return response }
        note(cutsAnswer, context)
        return try await Self.half(of: response, context.channel)
    }

    /// Refuses calls for an unreleased app: as with Apple, production answers 401 until the app's first release.
    func refuseUnreleased(_ caller: Caller) throws {
        guard environment == .production, shop.registry.rules(of: caller.scope).isReleased == false else { return }
        throw Unauthenticated(
            explanation: "\(caller.app.bundleID) is not released (till settings update --released true), and "
                + "production knows only released apps.",
            reason: .unreleasedApp
        )
    }

    /// The customer of the call; nil unless a fault rule is limited to a customer.
    private func customerOfFaults(_ exchange: Exchange) async throws -> String? {
        let scope = exchange.scope
        guard shop.faults.asksForCustomer(environment: scope.environment, app: scope.app) else { return nil }
        guard let number = Int64(exchange.parameter) else { return nil }
        var id =
            AccountID.hasShape(number)
            ? AccountID(number) : try await shop.storage.owner(of: TransactionID(number), in: scope)
        if id == nil {
            id = try await shop.storage.foreignIdentifier(.transaction, exchange.parameter, in: scope)?.account
        }
        guard let id else { return nil }
        return try await shop.storage.storedAccount(id)?.customer
    }

    /// Records a fault in the request log that the HTTP status does not show.
    func note(_ hit: FaultHit, _ context: APIContext) {
        context.annotations.change { $0.faults.append(hit.rule.words) }
    }

    /// Sends half of a body and closes the connection.
    static func half(of response: Response, _ channel: any Channel) async throws -> Response {
        let collected = CollectedBody()
        try await response.body.write(collected)
        let whole = collected.bytes
        var cut = response
        cut.body = ResponseBody(contentLength: whole.readableBytes) { writer in
            var bytes = whole
            if let first = bytes.readSlice(length: whole.readableBytes / 2) { try await writer.write(first) }
            try await Task.sleep(for: .milliseconds(50))
            try await channel.close()
        }
        return cut
    }
}
