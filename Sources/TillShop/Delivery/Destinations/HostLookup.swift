import Foundation
import NIOCore
import NIOPosix

/// Asks the system for a host's addresses, each question on its own, and leaves out those that may not be connected to.
///
/// NIO's own resolver asks one after the other, so that one name whose servers are silent would hold up every other
/// receiver. NIO connects to the addresses that are returned here and looks nothing up again.
final class HostLookup: Resolver, Sendable {
    /// The system knows no address.
    struct UnknownName: Error {}

    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private let loop: any EventLoop
    private let refusal: @Sendable (IPAddress) -> String?

    /// - Parameter refusal: why an address may not be connected to.
    init(on loop: any EventLoop, refusal: @escaping @Sendable (IPAddress) -> String?) {
        self.loop = loop
        self.refusal = refusal
        v4 = loop.makePromise()
        v6 = loop.makePromise()
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { v4.futureResult }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        DispatchQueue.global().async { [self] in
            let found = Result { try allowed(Self.addresses(of: host, port: port)) }
            loop.execute { [self] in
                v6.completeWith(found.map { $0.filter { $0.protocol == .inet6 } })
                v4.completeWith(found.map { $0.filter { $0.protocol == .inet } })
            }
        }
        return v6.futureResult
    }

    /// The addresses that may be connected to.
    ///
    /// - Throws: `DestinationRefused` when there is none.
    private func allowed(_ addresses: [SocketAddress]) throws -> [SocketAddress] {
        var reason: String?
        let allowed = addresses.filter { address in
            guard let refused = IPAddress(address).map(refusal) ?? "an address of another family" else { return true }
            reason = reason ?? refused
            return false
        }
        if let reason, allowed.isEmpty { throw DestinationRefused(reason: reason) }
        return allowed
    }

    /// The addresses of a host; none when its name is not resolved in time.
    static func addresses(of origin: WebhookOrigin, within limit: TimeAmount) async -> [IPAddress] {
        if let address = IPAddress(origin.host) { return [address] }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let found = loop.makePromise(of: [SocketAddress].self)
        DispatchQueue.global().async {
            found.completeWith(Result { try addresses(of: origin.host, port: origin.port) })
        }
        let alarm = loop.scheduleTask(in: limit) { found.succeed([]) }
        defer { alarm.cancel() }
        return ((try? await found.futureResult.get()) ?? []).compactMap(IPAddress.init)
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
