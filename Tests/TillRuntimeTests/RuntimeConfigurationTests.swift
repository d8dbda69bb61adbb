import Testing
import TillShop
import TillSigning

@testable import TillRuntime

@Suite("A configuration is checked before anything is created")
struct RuntimeConfigurationTests {
    private static func refusal(_ change: (inout RuntimeConfiguration) -> Void) -> String? {
        var configuration = RuntimeFolder.ephemeral()
        change(&configuration)
        do {
            try configuration.check()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("The standard configuration is valid")
    func standard() { #expect(Self.refusal { _ in } == nil) }

    @Test("The runtime refuses each invalid setting and names it")
    func invalid() {
        #expect(Self.refusal { $0.node.name = "" }?.hasPrefix("nodeName") == true)
        #expect(Self.refusal { $0.node.name = String(repeating: "n", count: 513) }?.hasPrefix("nodeName") == true)
        #expect(Self.refusal { $0.shop.deliveryRoots = ["/nowhere.pem"] }?.hasPrefix("--delivery-root") == true)
        #expect(Self.refusal { $0.database = "postgres://localhost/till" }?.hasPrefix("--ephemeral") == true)
        #expect(Self.refusal { $0.database = "mysql://localhost/till" } != nil)
    }

    @Test("A TLS name must be a host name or an address")
    func tlsName() throws {
        let secure = try SecureConfiguration(host: "::1", port: 0, proxyPort: nil, names: ["till.test", "localhost"])
        #expect(secure.names.map(\.text).filter { $0 == "localhost" }.count == 1)
        #expect(secure.names.map(\.text).contains("till.test"))
        #expect(throws: RuntimeRefused.self) {
            try SecureConfiguration(host: "::1", port: 0, proxyPort: nil, names: ["not a name"])
        }
    }

    @Test("TLS adds its own listener, and the proxy another")
    func listeners() throws {
        var configuration = RuntimeFolder.ephemeral()
        #expect(configuration.ports.map(\.listener) == [.production, .sandbox, .control])
        configuration.secure = try SecureConfiguration(host: "127.0.0.2", port: 1, proxyPort: nil, names: [])
        #expect(configuration.ports.map(\.listener) == [.production, .sandbox, .control, .tls])
        configuration.secure = try SecureConfiguration(host: "127.0.0.2", port: 1, proxyPort: 2, names: [])
        #expect(configuration.ports.map(\.listener) == ListenerKind.allCases)
        #expect(ListenerKind.allCases.map(configuration.host(of:)).suffix(2) == ["127.0.0.2", "127.0.0.2"])
    }

    @Test(
        "The OCSP URL has a host name that reaches the server, and the port of production",
        arguments: [
            ("127.0.0.1", 9_000, "http://localhost:9000/ocsp"), ("0.0.0.0", 0, "http://localhost:8888/ocsp"),
            ("192.0.2.1", 80, "http://192.0.2.1:80/ocsp"), ("2001:db8::1", 80, "http://[2001:db8::1]:80/ocsp"),
        ]
    )
    func ocsp(host: String, port: Int, url: String) {
        var configuration = RuntimeFolder.ephemeral()
        configuration.host = host
        #expect(OCSPAddress(configuration).url(port: port) == url)
        configuration.ocspURL = "https://ocsp.example.com"
        #expect(OCSPAddress(configuration).url(port: port) == "https://ocsp.example.com")
    }
}
