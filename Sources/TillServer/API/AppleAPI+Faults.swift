import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillShop
import TillStorage

/// Calls that are struck by faults (docs/operating/faults.md).
extension AppleAPI {
    /// Answers a call, unless a fault does. Each fault that strikes is in the request log.
    func answerUnderFaults(_ endpoint: Endpoint, _ exchange: Exchange, _ context: APIContext) async throws -> Response {
        var exchange = exchange
        let target = FaultRules.Target(
            environment: environment,
            app: exchange.scope.app,
            route: endpoint.name,
            customer: try await customerOfFaults(exchange)
        )
        exchange.readGap = shop.faults.readGap(for: target)
        var cutsAnswer: Strike?
        for strike in shop.faults.strikes(on: target) {
            switch strike.rule.kind {
            case .latency:
                note(strike, context)
                try await Task.sleep(for: .milliseconds(strike.milliseconds))
            case .unauthorized:
                throw Unauthenticated(explanation: strike.rule.words)
            case .error:
                let error = strike.rule.code.flatMap { APIError.documented[$0] } ?? .generalInternal
                throw error.because(strike.rule.words).retrying(after: strike.rule.retryAfter.map { Int64($0) })
            case .rateLimit:
                // Apple's value is an instant, in milliseconds: the next full hour.
                let hour = shop.wallClock().milliseconds / 3_600_000 + 1
                throw APIError.rateLimitExceeded.because(strike.rule.words).retrying(after: hour * 3_600_000)
            case .status:
                let status = HTTPResponse.Status(code: strike.rule.code ?? 500)
                throw APIError.bare(status, strike.rule.words)
            case .cut:
                // Of HTTP/2 this is the call's stream, and closing it is told as an error.
                try? await context.channel.close()
                throw APIError.bare(.internalServerError, strike.rule.words)
            case .half: cutsAnswer = strike
            case .receiptStatus, .staleReads, .drop, .delay, .duplicate, .reorder: break
            }
        }
        let response = try await answerByProfile(endpoint, exchange)
        guard let cutsAnswer else { return response }
        note(cutsAnswer, context)
        return try await Self.half(of: response, context.channel)
    }

    /// An app that was never released has no production: Apple answers 401.
    func refuseUnreleased(_ caller: Caller) throws {
        guard environment == .production, shop.registry.rules(of: caller.scope).isReleased == false else { return }
        throw Unauthenticated(
            explanation: "\(caller.app.bundleID) is not released (till rules set --released true), and production "
                + "knows only apps that are."
        )
    }

    /// Whose call it is, when a rule asks for that.
    private func customerOfFaults(_ exchange: Exchange) async throws -> String? {
        let scope = exchange.scope
        guard shop.faults.asksForCustomer(environment: scope.environment, app: scope.app) else { return nil }
        guard let number = Int64(exchange.parameter) else { return nil }
        let id =
            AccountID.hasShape(number)
            ? AccountID(number) : try await shop.storage.owner(of: TransactionID(number), in: scope)
        guard let id else { return nil }
        return try await shop.storage.storedAccount(id)?.customer
    }

    /// Leaves a fault that shows in no status for the request log.
    func note(_ strike: Strike, _ context: APIContext) {
        context.annotations.change { $0.faults.append(strike.rule.words) }
    }

    /// Half of a body, and then the end of the connection.
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
