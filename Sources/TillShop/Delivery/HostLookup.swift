import Foundation
import NIOCore
import NIOPosix

/// Asks the system for a host's addresses, each question on its own.
///
/// NIO's own resolver asks one after the other, so that one name whose servers are silent would hold up every other
/// receiver.
final class HostLookup: Resolver, Sendable {
    /// The system knows no address.
    struct UnknownName: Error {}

    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private let loop: any EventLoop

    init(on loop: any EventLoop) {
        self.loop = loop
        v4 = loop.makePromise()
        v6 = loop.makePromise()
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { v4.futureResult }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        DispatchQueue.global().async { [self] in
            let found = Result { try Self.addresses(of: host, port: port) }
            loop.execute { [self] in
                v6.completeWith(found.map { $0.filter { $0.protocol == .inet6 } })
                v4.completeWith(found.map { $0.filter { $0.protocol == .inet } })
            }
        }
        return v6.futureResult
    }

    /// Nothing: the system's question cannot be taken back, and nobody waits for its answer any more.
    func cancelQueries() {}

    private static func addresses(of host: String, port: Int) throws -> [SocketAddress] {
        var hint = addrinfo()
        hint.ai_protocol = CInt(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hint, &list)
        guard code == 0, let first = list else { throw UnknownName() }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next: UnsafeMutablePointer<addrinfo>? = first
        while let entry = next?.pointee {
            if let bytes = UnsafeRawPointer(entry.ai_addr) {
                switch NIOBSDSocket.AddressFamily(rawValue: entry.ai_family) {
                case .inet: found.append(SocketAddress(bytes.load(as: sockaddr_in.self), host: host))
                case .inet6: found.append(SocketAddress(bytes.load(as: sockaddr_in6.self), host: host))
                default: break
                }
            }
            next = entry.ai_next
        }
        return found
    }
}
