import HTTPTypes
import Hummingbird
import NIOCore
import TillJSON
import TillShop

/// Bodies for the request log, if the operator turns them on: only short ones, with all secrets removed.
enum RequestLogBody {
    /// The maximum length of a logged body.
    static let maxBytes = 65_536
    /// The number of characters kept of a body.
    private static let kept = 4_096
    /// In lower case.
    private static let secrets: Set = ["password", "sharedsecret", "privatekey"]

    /// The body of a request, which the handler can still read afterwards; nil if too long or missing.
    static func take(from request: inout Request) async -> String? {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }), (1...maxBytes).contains(length),
            let bytes = try? await request.collectBody(upTo: maxBytes)
        else { return nil }
        return text(Array(buffer: bytes))
    }

    /// The body of an answer, which is written back to the answer.
    static func take(from response: inout Response) async -> String? {
        guard let length = response.body.contentLength, (1...maxBytes).contains(length) else { return nil }
        let collected = CollectedBody()
        guard (try? await response.body.write(collected)) != nil else { return nil }
        response.body = ResponseBody(byteBuffer: collected.bytes)
        return text(Array(buffer: collected.bytes))
    }

    /// A body in the form for the request log.
    static func text(_ bytes: [UInt8]) -> String {
        var shown = bytes
        if let tree = try? JSONTree.parse(bytes, keepsNull: true) {
            let harmless = struck(tree)
            // A body without secrets is logged unchanged.
            if harmless != tree { shown = harmless.written() }
        } else if mayHoldSecret(bytes) {
            return "\(bytes.count) bytes that are not JSON and speak of a secret"
        }
        let text = String(decoding: shown, as: UTF8.self)
        return text.utf8.count > kept ? text.cut(toBytes: kept) + "…" : text
    }

    /// Whether bytes that are not JSON contain the name of a secret, in any Unicode encoding, or could contain it in
    /// escaped form.
    static func mayHoldSecret(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self).lowercased()
        return text.contains("\\u") || secrets.contains { text.contains($0) }
    }

    /// The same value without its secrets.
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
