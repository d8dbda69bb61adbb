import ArgumentParser
import Foundation
import TillControl
import TillRuntime
import TillServer
import TillShop

/// Prints the configuration with which clients use Till as the App Store, in several formats.
struct HostsCommand: DocumentedCommand {
    static let summary =
        "Prints the configuration that redirects unmodified clients to Till: hosts files, containers, trust."
    static let examples = """
        # everything, with explanations
        till hosts
        till hosts --format hosts | sudo tee -a /etc/hosts
        till hosts --format compose --address 172.17.0.1
        """
    static let notes = "The server must run with --tls-port."

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case hosts
        case compose
        case kubernetes
        case environment
    }

    @Option(help: "The address at which clients reach the server (default: the address of the TLS port).")
    var address: String?
    @Option(help: "Prints only one part: hosts, compose, kubernetes or environment.")
    var format: Format?
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let security = try await server.client().tls()
        if server.json { return try server.show(security) }
        let advice = HostsAdvice(security: security, address: address ?? SecureListeners.near(security.address))
        for note in advice.notes(on: format) { Terminal.say("till: \(note)\n") }
        switch format {
        case .hosts?: print(advice.hosts)
        case .compose?: print(advice.compose)
        case .kubernetes?: print(advice.kubernetes)
        case .environment?: print(advice.environment)
        case nil: print(advice.everything)
        }
    }
}

extension ControlClient {
    /// How clients reach the server with TLS.
    ///
    /// - Throws: `CommandRefused` if TLS is off.
    func tls() async throws -> TLSInfo {
        guard let tls = try await send(GetStatus()).tls else {
            throw CommandRefused("TLS is off. Start the server with --tls-port 443, or with --proxy-port.")
        }
        return tls
    }
}

/// The text that `till hosts` prints.
struct HostsAdvice {
    let security: TLSInfo
    /// The address at which clients reach the server.
    let address: String

    private let names = AppStoreHost.allCases.map(\.rawValue)
    private var port: Int { security.port }
    private var proxyPort: Int? { security.proxyPort }
    private var root: String { security.rootFile }
    private var bundle: String { security.bundleFile }
    private var javaTrustStore: String { security.javaTrustStoreFile }

    var hosts: String { names.map { "\(address) \($0)" }.joined(separator: "\n") }

    var compose: String {
        """
        extra_hosts:
        \(names.map { "  - \"\($0):\(address)\"" }.joined(separator: "\n"))
        """
    }

    var kubernetes: String {
        """
        hostAliases:
          - ip: "\(address)"
            hostnames:
        \(names.map { "      - \"\($0)\"" }.joined(separator: "\n"))
        """
    }

    /// Warnings about configuration that does not work. They are separate from the configuration, which users write to
    /// files.
    func notes(on format: HostsCommand.Format?) -> [String] {
        guard let format else { return [] }
        if format == .environment {
            let isBroken = [bundle, root, javaTrustStore].contains { $0.contains(where: \.isNewline) }
            let note = "An environment file cannot contain a path with a line break. Move the data directory."
            return isBroken ? [note] : []
        }
        var notes: [String] = []
        if port != 443 {
            notes.append(
                "Clients use port 443, but this server has \(port). Start it with --tls-port 443, or use its proxy."
            )
        }
        if format != .hosts, ["127.0.0.1", "localhost", "::1"].contains(address) {
            notes.append("In a container, \(address) is the container itself. Give the server's with --address.")
        }
        return notes
    }

    var environment: String {
        var lines = [
            "REQUESTS_CA_BUNDLE=\(bundle)", "CURL_CA_BUNDLE=\(bundle)", "SSL_CERT_FILE=\(bundle)",
            "NODE_EXTRA_CA_CERTS=\(root)", "JAVA_TOOL_OPTIONS=\(JavaTrust.option(javaTrustStore))",
        ]
        if let proxyPort {
            lines += ["HTTPS_PROXY=http://\(address):\(proxyPort)", "NO_PROXY=localhost,127.0.0.1"]
        }
        return lines.joined(separator: "\n")
    }

    var everything: String {
        var text = """
            # /etc/hosts
            \(hosts)

            # Docker Compose, under the service
            \(compose)

            # Kubernetes, under spec of the pod
            \(kubernetes)

            # Trust. The bundle contains the authorities of this machine and Till's TLS root; mount it into containers.
            #   Python (requests, httpx)  REQUESTS_CA_BUNDLE=\(bundle) SSL_CERT_FILE=\(bundle)
            #   Node                      NODE_EXTRA_CA_CERTS=\(root)
            #   Go, Ruby, OpenSSL         SSL_CERT_FILE=\(bundle)
            #   curl                      CURL_CA_BUNDLE=\(bundle)
            #   PHP                       curl.cainfo=\(bundle) and openssl.cafile=\(bundle) in php.ini
            #   Java                      JAVA_TOOL_OPTIONS=\(JavaTrust.option(javaTrustStore))
            #   Swift, the whole system   sudo cp \(root) /usr/local/share/ca-certificates/till.crt && \
            sudo update-ca-certificates
            """
        if port != 443 {
            text += """


                # A hosts file cannot name a port, and clients connect to 443; this server has \(port). Start it with
                # --tls-port 443, forward 443 to \(port), or use the proxy.
                """
        }
        if let proxyPort {
            text += """


                # Instead of a hosts file, for clients that support a proxy
                HTTPS_PROXY=http://\(address):\(proxyPort)
                # Java reads it in JAVA_TOOL_OPTIONS: -Dhttps.proxyHost=\(address) -Dhttps.proxyPort=\(proxyPort)
                """
        } else {
            text += """


                # With --proxy-port the server also has a proxy for HTTPS_PROXY, without a hosts file and port 443.
                """
        }
        return text
    }
}
