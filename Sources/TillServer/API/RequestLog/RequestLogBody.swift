import HTTPTypes
import Hummingbird
import NIOCore
import TillJSON
import TillShop

/// Prepares bodies for the request log, if the operator turned them on. Long bodies are left out, and secrets removed.
enum RequestLogBody {
    /// The maximum length in bytes of a body that is logged.
    static let maxBytes = 65_536
    /// The maximum number of bytes of a body that the log keeps; the rest is cut off.
    private static let kept = 4_096
    /// The keys whose values are secret, in lower case.
    private static let secrets: Set = ["password", "sharedsecret", "privatekey"]

    /// Returns the body of a request for the log, and leaves it readable for the handler; nil if it is missing, too
    /// long or incomplete.
    static func take(from request: inout Request) async -> String? {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }), (1...maxBytes).contains(length) else {
            return nil
        }
        do {
            return text(Array(buffer: try await request.collectBody(upTo: maxBytes)))
        } catch {
            // A body can be read only once, so the handler gets the error of this read.
            let failed = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish(throwing: error) }
            request.body = .init(asyncSequence: failed)
            return nil
        }
    }

    /// Returns the body of an answer for the log, and puts it back into the answer; nil if it is too long.
    static func take(from response: inout Response) async -> String? {
        guard let length = response.body.contentLength, (1...maxBytes).contains(length) else { return nil }
        let collected = CollectedBody()
        guard (try? await response.body.write(collected)) != nil else { return nil }
        response.body = ResponseBody(byteBuffer: collected.bytes)
        return text(Array(buffer: collected.bytes))
    }

    /// The text of a body for the request log.
    static func text(_ bytes: [UInt8]) -> String {
        var shown = bytes
        if let tree = try? JSONTree.parse(bytes, keepsNull: true) {
            let harmless = struck(tree)
            // A body without secrets is logged byte by byte as it was sent.
            if harmless != tree { shown = harmless.written() }
        } else if mayHoldSecret(bytes) {
            return "\(bytes.count) bytes that are not JSON and may contain a secret"
        }
        let text = String(decoding: shown, as: UTF8.self)
        return text.utf8.count > kept ? text.cut(toBytes: kept) + "…" : text
    }

    /// Whether bytes that are not JSON may contain the name of a secret key: in any Unicode encoding, or escaped.
    static func mayHoldSecret(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self).lowercased()
        return text.contains("\\u") || secrets.contains { text.contains($0) }
    }

    /// The same value with every secret replaced.
    private static func struck(_ tree: JSONTree) -> JSONTree {
        switch tree {
        case .object(let members):
            .object(
                members.map { member in
                    JSONTree.Member(
                        member.key,
                        secrets.contains(member.key.lowercased()) && member.value != .null
                            ? .string("struck out") : struck(member.value)
                    )
                }
            )
        case .array(let elements): .array(elements.map(struck))
        default: tree
        }
    }
}

/// Collects the bytes of a body.
final class CollectedBody: ResponseBodyWriter {
    private(set) var bytes = ByteBuffer()

    func write(_ buffer: ByteBuffer) async throws {
        var buffer = buffer
        bytes.writeBuffer(&buffer)
    }

    func write(contentsOf buffers: some Sequence<ByteBuffer>) async throws {
        for buffer in buffers { try await write(buffer) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
