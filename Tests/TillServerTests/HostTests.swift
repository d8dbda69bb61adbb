import Hummingbird
import HummingbirdTesting
import Testing
import TillCore
import TillTestSupport

@testable import TillServer

/// Checks the environment for each host name, and the tunnels that the proxy opens.
@Suite("Apple's host names")
struct HostTests {
    private static let hosts = HostTable(further: ["till.test", "Sandbox.till.test", "*.stores.test", "::1"])

    @Test(
        "A host name selects its environment, regardless of its case and port",
        arguments: [
            ("api.storekit.apple.com", StoreEnvironment.production), ("api.storekit.itunes.apple.com:443", .production),
            ("buy.itunes.apple.com.", .production), ("API.STOREKIT-SANDBOX.APPLE.COM:8443", .sandbox),
            ("api.storekit-sandbox.itunes.apple.com", .sandbox), ("sandbox.itunes.apple.com.:1", .sandbox),
            ("till.test", .production), ("sandbox.till.test", .sandbox), ("mine.stores.test:443", .production),
        ]
    )
    func environment(authority: String, environment: StoreEnvironment) {
        #expect(Self.hosts.environment(of: authority) == environment)
    }

    @Test(
        "Any other host name selects no environment",
        arguments: [
            "", ":", "localhost", "127.0.0.1:443", "apple.com", "api.storekit.apple.com.evil.test", "stores.test",
            "a.b.stores.test", "[::1]:443", "api.storekit.apple.com:x", "xapi.storekit.apple.com",
        ]
    )
    func unknown(authority: String) {
        #expect(Self.hosts.environment(of: authority) == nil)
        #expect(Self.hosts.environment(of: nil) == nil)
    }

    @Test(
        "The proxy opens tunnels to Apple's App Store host names on port 443",
        arguments: ["api.storekit.apple.com:443", "SANDBOX.itunes.apple.com:443", "buy.itunes.apple.com.:443"]
    )
    func tunnel(target: String) {
        #expect(ConnectRequest(head: "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n") == .tunnel)
    }

    @Test(
        "The proxy rejects any other target with a message",
        arguments: [
            ("CONNECT example.com:443 HTTP/1.1", 403), ("CONNECT till.test:443 HTTP/1.1", 403),
            ("CONNECT api.storekit.apple.com:8443 HTTP/1.1", 403), ("CONNECT api.storekit.apple.com HTTP/1.1", 400),
            ("CONNECT [::1]:443 HTTP/1.1", 403), ("POST https://buy.itunes.apple.com/ HTTP/1.1", 403),
            ("CONNECT api.storekit.apple.com:443", 400), ("", 400), (" api.storekit.apple.com:443 HTTP/1.1", 400),
            ("CONNECT api.storekit.apple.com:443 SPDY/1", 400), ("CONNECT :443 HTTP/1.1", 403),
        ]
    )
    func refused(line: String, status: Int) throws {
        let request = ConnectRequest(head: "\(line)\r\nHost: x\r\n\r\n")
        guard case .refused(let found, let sentence) = request else {
            Issue.record("\(request)")
            return
        }
        #expect(found == status && sentence.hasSuffix("."))
        #expect(ConnectRequest.answer(found, sentence).hasPrefix("HTTP/1.1 \(status) "))
    }
}
