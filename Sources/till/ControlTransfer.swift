import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillJSON
import TillShop

/// Transfers bodies that are too large for memory.
extension RawControlClient {
    private static let timeLimit = TimeAmount.minutes(60)
    private static let chunk = 256 << 10

    /// Downloads from a path, and passes the body on in chunks.
    func download(_ path: String, to take: (Data) throws -> Void) async throws {
        var request = HTTPClientRequest(url: address + path)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let response = try await Self.open(request, at: address, timeout: Self.timeLimit)
        guard response.status == .ok else { throw try await Self.refusal(response) }
        var last = UInt8(ascii: "\n")
        do {
            for try await part in response.body {
                try take(Data(part.readableBytesView))
                last = part.readableBytesView.last ?? last
            }
        } catch let error as HTTPClientError {
            throw CommandRefused("The server's answer was interrupted (\(error.shortDescription)). Try again.")
        }
        guard last == UInt8(ascii: "\n") else { throw CommandRefused("The server's answer is incomplete. Try again.") }
    }

    /// Uploads a file with PUT, in chunks.
    func upload(_ path: String, from file: FileHandle) async throws -> JSONTree {
        var request = HTTPClientRequest(url: address + path)
        request.method = .PUT
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.headers.add(name: "Content-Type", value: "application/x-ndjson")
        let chunks = AsyncStream<ByteBuffer>(unfolding: {
            guard let data = try? file.read(upToCount: Self.chunk), !data.isEmpty else { return nil }
            return ByteBuffer(bytes: data)
        })
        request.body = .stream(chunks, length: .unknown)
        let response = try await Self.open(request, at: address, timeout: Self.timeLimit)
        guard response.status == .ok else { throw try await Self.refusal(response) }
        return try JSONTree.parse(Array(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    private static func refusal(_ response: HTTPClientResponse) async throws -> CommandRefused {
        let body = Array(buffer: try await response.body.collect(upTo: 1 << 20))
        return refusal(try? JSONTree.parse(body), Int(response.status.code))
    }
}
