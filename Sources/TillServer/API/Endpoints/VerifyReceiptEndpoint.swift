import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCore
import TillShop
import TillStorage

/// The endpoint `POST /verifyReceipt` (docs/api/receipts/verify-receipt.md). It needs no token, accepts any content
/// type, and always answers HTTP 200, except when a fault rule changes the answer.
extension AppleAPI {
    /// The maximum length of a body: enough for a Base64 receipt with 5,000 purchases.
    private static let maxBody = 6 << 20

    static let verifyReceiptPath = "/verifyReceipt"

    /// Adds the route for every method, because Apple's answer to a wrong method is a status in the JSON body.
    func addVerifyReceipt(to router: Router<APIContext>) {
        for method in [HTTPRequest.Method.post, .get, .head, .put, .delete, .patch, .options] {
            router.on(RouterPath(Self.verifyReceiptPath), method: method) { request, context in
                try await verifyReceipt(request, context)
            }
        }
    }

    private func verifyReceipt(_ request: Request, _ context: APIContext) async throws -> Response {
        let (answer, hit) = await judgeUnderFaults(request, context)
        if let hit, hit.rule.kind == .status {
            throw APIError.bare(HTTPResponse.Status(code: hit.rule.code ?? 500), hit.rule.words)
        }
        let isFault = hit?.rule.kind == .receiptStatus
        if let result = isFault ? .fault : ReceiptResult(rawValue: String(answer.status)) { meter.count(result) }
        if let hit, hit.rule.kind == .cut { try? await context.channel.close() }
        context.annotations.change {
            $0.app = answer.app
            guard let explanation = answer.explanation else { return }
            $0.code = answer.status
            $0.explanation = explanation
        }
        // Answers to HEAD have no body.
        guard request.method != .head else { return Response(status: .ok, headers: [.contentType: "application/json"]) }
        let response = Response.json(answer.body)
        guard let hit, hit.rule.kind == .half else { return response }
        return (try? await Self.half(of: response, context.channel)) ?? response
    }

    /// Returns the answer, or a fault's answer instead, and the fault that changes the answer or ends the connection,
    /// if any.
    private func judgeUnderFaults(_ request: Request, _ context: APIContext) async -> (VerifyReceiptAnswer, FaultHit?) {
        guard !shop.faults.isEmpty else { return (await judge(request, context), nil) }
        let answer = await judge(request, context)
        let target = FaultRules.Target(
            environment: environment,
            app: answer.app ?? "",
            route: RouteName.verifyReceipt,
            customer: answer.customer
        )
        var ending: FaultHit?
        for hit in shop.faults.hits(on: target) {
            switch hit.rule.kind {
            case .latency:
                note(hit, context)
                try? await Task.sleep(for: .milliseconds(hit.milliseconds))
            case .receiptStatus:
                let status = hit.rule.code ?? 21_005
                return (.faulty(status, in: environment, of: answer.app, because: hit.rule.words), hit)
            case .cut, .half:
                note(hit, context)
                ending = hit
            case .status: ending = hit
            default: break
            }
        }
        return (answer, ending)
    }

    private func judge(_ request: Request, _ context: APIContext) async -> VerifyReceiptAnswer {
        guard request.method == .post else { return .wrongMethod(request.method.rawValue) }
        do {
            let body = try await request.bytes(
                upTo: Self.maxBody,
                tooLarge: APIError.malformed("The body is longer than \(Self.maxBody) bytes."),
                invalid: .malformed("The body is incomplete, or its HTTP framing is invalid.")
            )
            return try await shop.verifyReceipt(try Self.request(body), in: environment)
        } catch let error as APIError {
            return .malformed(error.explanation)
        } catch {
            let failure = ServerFailure(error, logging: "verifyReceipt failed", context)
            return failure.isTemporary
                ? .refused(.unavailable, in: environment, because: failure.explanation)
                : .refused(.internalError, in: environment, because: failure.explanation)
        }
    }

    /// Parses a body. A boolean may also be a string or a number, because some clients send these.
    private static func request(_ bytes: [UInt8]) throws -> VerifyReceiptRequest {
        let body = try RequestBody(bytes)
        guard let receipt = body.text("receipt-data") else {
            throw APIError.malformed("The body needs a string receipt-data: \(body.words("receipt-data")).")
        }
        guard body["password"] == nil || body.comparedText("password") != nil else {
            throw APIError.malformed("The password must be a string.")
        }
        let excludes =
            body.flag("exclude-old-transactions")
            ?? body.number("exclude-old-transactions").map { $0 != 0 }
            ?? (body.text("exclude-old-transactions")?.lowercased() == "true")
        return VerifyReceiptRequest(
            receiptData: receipt,
            password: body.comparedText("password"),
            excludesOldTransactions: excludes
        )
    }
}
