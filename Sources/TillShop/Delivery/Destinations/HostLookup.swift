import Foundation
import NIOCore
import NIOPosix

/// Resolves hosts with the system's resolver. Each lookup has its own thread.
///
/// NIO's own resolver makes one lookup after another. If the DNS servers of one name did not answer, that would delay
/// all other endpoints.
enum HostLookup {
    /// The error when the system's resolver finds no address for the host.
    struct UnknownName: Error {}

    /// The addresses of a host; nil if it cannot be resolved before the deadline. Fails with `UnknownName`.
    static func addresses(
        of origin: WebhookOrigin,
        by deadline: NIODeadline,
        on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    ) -> EventLoopFuture<[SocketAddress]?> {
        if let address = try? SocketAddress(ipAddress: origin.host, port: origin.port) {
            return loop.makeSucceededFuture([address])
        }
        let found = loop.makePromise(of: [SocketAddress]?.self)
        DispatchQueue.global().async { found.completeWith(Result<[SocketAddress]?, any Error> { try resolve(origin) }) }
        let alarm = loop.scheduleTask(deadline: deadline) { found.succeed(nil) }
        return found.futureResult.always { _ in alarm.cancel() }
    }

    private static func resolve(_ origin: WebhookOrigin) throws -> [SocketAddress] {
        var hint = addrinfo()
        hint.ai_protocol = CInt(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(origin.host, String(origin.port), &hint, &list) == 0, let list else { throw UnknownName() }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0.pointee.ai_next }.compactMap { entry -> SocketAddress? in
            guard let bytes = UnsafeRawPointer(entry.pointee.ai_addr) else { return nil }
            return switch NIOBSDSocket.AddressFamily(rawValue: entry.pointee.ai_family) {
            case .inet: SocketAddress(bytes.load(as: sockaddr_in.self), host: origin.host)
            case .inet6: SocketAddress(bytes.load(as: sockaddr_in6.self), host: origin.host)
            default: nil
            }
        }
    }
}

/// The addresses of a host that was already resolved. NIO connects to these addresses without another lookup.
struct ResolvedHost: Resolver, Sendable {
    let loop: any EventLoop
    let addresses: [SocketAddress]

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { answer(.inet) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { answer(.inet6) }

    func cancelQueries() {}

    private func answer(_ family: NIOBSDSocket.ProtocolFamily) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == family })
    }
}
