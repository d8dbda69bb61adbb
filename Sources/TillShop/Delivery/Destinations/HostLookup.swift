import Foundation
import NIOCore
import NIOPosix

/// Resolves a host with the system's resolver, and filters out addresses that are not allowed. Each lookup has its own
/// thread.
///
/// NIO's own resolver makes one lookup after another. If the DNS servers of one name did not answer, that would delay
/// all other endpoints. NIO connects to the addresses that this resolver returns, without another lookup.
final class HostLookup: Resolver, Sendable {
    /// The error when the system's resolver finds no address for the host.
    struct UnknownName: Error {}

    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private let loop: any EventLoop
    private let refusal: @Sendable (IPAddress) -> String?

    /// - Parameter refusal: returns why an address is not allowed; nil for an allowed address.
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

    /// The addresses that are allowed.
    ///
    /// - Throws: `DestinationRefused` if none of the addresses is allowed.
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

    /// The addresses of a host; empty if its name cannot be resolved in time.
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

    /// Does nothing: a lookup by the system cannot be cancelled, and NIO ignores its result.
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
