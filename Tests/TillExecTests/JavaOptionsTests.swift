#if os(Linux)
import Testing

@testable import TillExec

@Suite("JAVA_TOOL_OPTIONS")
struct JavaOptionsTests {
    private static let name = "JAVA_TOOL_OPTIONS"

    @Test("An option comes after those of the user")
    func added() {
        var environment: [String: String] = [:]
        JavaOptions.add("-Da=1", unless: "-Da=", to: &environment)
        #expect(environment[Self.name] == "-Da=1")
        JavaOptions.add("-Db=2", unless: "-Db=", to: &environment)
        #expect(environment[Self.name] == "-Da=1 -Db=2")
    }

    @Test("An option of the user stays as it is")
    func kept() {
        var environment = [Self.name: "-Da=own"]
        JavaOptions.add("-Da=1", unless: "-Da=", to: &environment)
        #expect(environment[Self.name] == "-Da=own")
        environment = [Self.name: "-Dhttps.proxyHost=proxy.test"]
        JavaOptions.addProxy(port: 1, except: "", to: &environment)
        #expect(environment[Self.name] == "-Dhttps.proxyHost=proxy.test")
    }

    @Test("Exceptions of the proxy get Java's format")
    func proxy() {
        var environment: [String: String] = [:]
        JavaOptions.addProxy(port: 4_711, except: "localhost, 127.0.0.1,::1,.internal", to: &environment)
        let text = environment[Self.name] ?? ""
        #expect(text.hasPrefix("-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=4711 "))
        #expect(text.contains("-Dhttp.nonProxyHosts=localhost|*.localhost|127.0.0.1|[::1]|*.internal"))
    }
}
#endif
