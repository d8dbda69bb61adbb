import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import TillCore
import TillShop
import TillSigning

/// The OCSP responder (RFC 6960). Clients reach it without authentication and over plain HTTP, at the URL in the
/// certificates.
///
/// See docs/api/ocsp.md.
struct OCSPRoutes: Sendable {
    static let path = "/ocsp"
    private static let requestType = "application/ocsp-request"

    let shop: Shop
    let environment: StoreEnvironment
    let meter: ListenerMeter
    let accessLog: AccessLog

    func add(to router: Router<APIContext>) {
        router.post(RouterPath(Self.path)) { request, context in
            let begun = ContinuousClock.now
            return counted(await posted(request, context), request, context, since: begun)
        }
        // Base64 may contain slashes, even two in a row, so the handler reads the complete path of the URL.
        for path in [Self.path, "\(Self.path)/**"] {
            router.get(RouterPath(path)) { request, context in
                let begun = ContinuousClock.now
                let text = request.uri.path.dropFirst(Self.path.count + 1)
                // A request that cannot be decoded gets the OCSP answer `malformedRequest`.
                let answer = await answer(Self.question(in: text) ?? [], context)
                return counted(answer, request, context, since: begun)
            }
        }
    }

    private func posted(_ request: Request, _ context: APIContext) async -> Response {
        guard !request.isDelivery else { return Self.refusal(DeliveryRefusal.status, DeliveryRefusal.explanation) }
        let type = request.headers[.contentType]?.prefix { $0 != ";" } ?? ""
        guard type.lowercased() == Self.requestType else {
            return Self.refusal(.unsupportedMediaType, "The body must be \(Self.requestType).")
        }
        do {
            let body = try await request.bytes(
                upTo: OCSPResponder.maxRequest,
                tooLarge: APIError.tooLarge("The body is longer than \(OCSPResponder.maxRequest) bytes."),
                invalid: .malformed("The body is incomplete, or its HTTP framing is invalid.")
            )
            return await answer(body, context)
        } catch {
            return Self.refusal(error.status, error.explanation)
        }
    }

    /// The OCSP request in a path: Base64 with or without padding, percent-encoded where necessary.
    private static func question(in text: Substring) -> [UInt8]? {
        guard var text = PercentEncoding.decoded(text) else { return nil }
        text = text.replacing("-", with: "+").replacing("_", with: "/")
        while text.hasSuffix("=") { text.removeLast() }
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Base64.decode(text)
    }

    private func answer(_ question: [UInt8], _ context: APIContext) async -> Response {
        guard let reply = shop.keys.authority.reply(to: question, at: shop.wallClock().milliseconds) else {
            return Self.refusal(.notFound, "This server has no root certificate.")
        }
        if reply.delay > 0 {
            // When the server stops, it does not wait for delayed answers.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .milliseconds(reply.delay)) }
        }
        switch reply.content {
        case .answer(let bytes):
            // Clients must not cache the answer, because a new status takes effect at once.
            return Response(
                status: .ok,
                headers: [.contentType: "application/ocsp-response", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(bytes: bytes))
            )
        case .serverError:
            return Self.refusal(.internalServerError, "The OCSP responder returns errors (till ca ocsp update).")
        case .silence:
            try? await context.channel.close()
            return Self.refusal(.internalServerError, "")
        }
    }

    private func counted(
        _ response: Response,
        _ request: Request,
        _ context: APIContext,
        since begun: ContinuousClock.Instant
    ) -> Response {
        meter.count(Self.path, response.status.code, since: begun)
        accessLog.log(
            request,
            response.status.code,
            AccessLog.Details(
                route: Self.path,
                requestID: context.requestID,
                begun: begun,
                environment: environment.wireName,
                trace: nil
            )
        )
        return response
    }

    private static func refusal(_ status: HTTPResponse.Status, _ reason: String) -> Response {
        .text(reason + "\n", status: status)
    }
}
