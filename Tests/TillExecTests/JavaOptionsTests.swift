#if os(Linux)
import Testing

@testable import TillExec

@Suite("JAVA_TOOL_OPTIONS of till exec")
struct JavaOptionsTests {
    private static let name = "JAVA_TOOL_OPTIONS"

    @Test("till exec appends its option to the user's options")
    func added() {
        var environment: [String: String] = [:]
        JavaOptions.add("-Da=1", unless: "-Da=", to: &environment)
        #expect(environment[Self.name] == "-Da=1")
        JavaOptions.add("-Db=2", unless: "-Db=", to: &environment)
        #expect(environment[Self.name] == "-Da=1 -Db=2")
    }

    @Test("till exec keeps an option that the user has set")
    func kept() {
        var environment = [Self.name: "-Da=own"]
        JavaOptions.add("-Da=1", unless: "-Da=", to: &environment)
        #expect(environment[Self.name] == "-Da=own")
        environment = [Self.name: "-Dhttps.proxyHost=proxy.test"]
        JavaOptions.addProxy(port: 1, except: "", to: &environment)
        #expect(environment[Self.name] == "-Dhttps.proxyHost=proxy.test")
    }

    @Test("Exceptions of the proxy are converted to Java's format")
    func proxy() {
        var environment: [String: String] = [:]
        JavaOptions.addProxy(port: 4_711, except: "localhost, 127.0.0.1,::1,.internal", to: &environment)
        let text = environment[Self.name] ?? ""
        #expect(text.hasPrefix("-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=4711 "))
        #expect(text.contains("-Dhttp.nonProxyHosts=localhost|*.localhost|127.0.0.1|[::1]|*.internal"))
    }
}
#endif
