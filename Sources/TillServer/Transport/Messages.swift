import HTTPTypes
import Hummingbird
import NIOCore
import TillJSON
import TillSigning

extension HTTPField.Name {
    /// The name of a field, which must be valid.
    static func field(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a field name") }
        return name
    }

    /// The header with the request id, which `till explain` accepts.
    static let requestID = field("X-Request-ID")
}

extension Request {
    /// Reads the whole body.
    ///
    /// - Parameters:
    ///   - tooLarge: the error for a longer body.
    ///   - invalid: the error for a body that is incomplete or not framed correctly. These are the client's errors,
    ///     whichever error the parser throws.
    func bytes<Failure: Error>(upTo limit: Int, tooLarge: Failure, invalid: Failure) async throws(Failure) -> [UInt8] {
        do {
            return Array(buffer: try await body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch {
            throw invalid
        }
    }
}

extension Response {
    /// An answer with a JSON body. Apple's client libraries compare the content type exactly.
    static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }

    /// An answer with a JSON body whose last value is an array of signed texts. The texts, most of the body, are copied
    /// once, into the buffer that is sent.
    static func json(_ json: inout JSONWriter, ending key: StaticString, _ texts: [SignedText]) -> Response {
        let start = json.finish(before: key)
        var body = ByteBufferAllocator().buffer(capacity: texts.reduce(start.count + 3) { $0 + $1.count + 3 })
        body.writeBytes(start)
        var separator = UInt8(ascii: "[")
        for text in texts {
            body.writeInteger(separator)
            body.writeInteger(UInt8(ascii: "\""))
            body.writeBytes(text.header)
            body.writeBytes(text.rest)
            body.writeInteger(UInt8(ascii: "\""))
            separator = UInt8(ascii: ",")
        }
        body.writeStaticString(texts.isEmpty ? "[]}" : "]}")
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: body)
        )
    }

    /// An answer with a text.
    static func text(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        type: String = "text/plain; charset=utf-8"
    ) -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
