import Foundation
import TillJSON
import TillRuntime
import TillShop

/// What `till serve` prints once every port is open, and the files in which commands and scripts find the ports.
struct Announcement: Sendable {
    let runtime: Runtime
    let readyFile: String?
    let form: Form

    /// What standard output contains.
    enum Form {
        case text
        /// The addresses and files as a JSON object.
        case json
        /// Nothing: the log line `started` has the addresses. What collects JSON lines often reads both streams.
        case nothing
    }

    private var directory: DataDirectory { runtime.directory }
    private var proxyPort: Int? { runtime.configuration.secure?.proxyPort }

    /// Writes the file for other commands, prints the output, and then writes the ready file. The ready file is last,
    /// because a script that sees it expects everything else to be complete.
    ///
    /// - Throws: `DirectoryRefused` if a file cannot be written.
    func make(_ ports: Ports) throws {
        let file = document(ports)
        try DataDirectory.write(file, to: directory.ports)
        let text =
            switch form {
            case .text: banner(ports)
            case .json: file
            case .nothing: ""
            }
        // A server works without a reader of its output, and with a full disk under it.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        if let readyFile { try DataDirectory.write(file, to: readyFile) }
    }

    private func address(_ listener: ListenerKind, _ ports: Ports) -> String {
        runtime.configuration.url(of: listener, ports)
    }

    private func document(_ ports: Ports) -> String {
        var json = JSONWriter()
        json.put("control", address(.control, ports))
        json.put("console", "\(address(.control, ports))/console/")
        json.put("production", address(.production, ports))
        json.put("sandbox", address(.sandbox, ports))
        json.put("dataDirectory", directory.path)
        json.put("rootCertificate", directory.rootCertificate)
        json.put("process", Int(ProcessInfo.processInfo.processIdentifier))
        if let secure = runtime.secure {
            json.put("tls", address(.tls, ports))
            json.put("proxy", proxyPort.map { _ in address(.proxy, ports) })
            json.put("tlsRootCertificate", secure.files.root)
            json.put("caBundle", secure.files.bundle)
        }
        if let demoKey = runtime.demoKey {
            json.put("keyFile", demoKey.file)
            json.put("keyId", demoKey.keyID)
            json.put("issuerId", demoKey.issuerID)
            json.put("bundleId", DemoCatalog.bundleID)
        }
        return String(decoding: json.finish(), as: UTF8.self) + "\n"
    }

    private func banner(_ ports: Ports) -> String {
        var text = """
            Till is your own App Store server. It is not Apple's: only your tests and your own store should trust
            its root certificate.

              production   \(address(.production, ports))
              sandbox      \(address(.sandbox, ports))
              control      \(address(.control, ports))
              console      \(address(.control, ports))/console/
              root         \(directory.rootCertificate)

            """
        if let secure = runtime.secure {
            text += "  App Store    \(address(.tls, ports))\n"
            if proxyPort != nil { text += "  proxy        \(address(.proxy, ports))\n" }
            text += "  TLS root     \(secure.files.root) (how to use it: till hosts)\n"
        }
        guard let demoKey = runtime.demoKey else { return text }
        text += """
              key          \(demoKey.file)
                           key id \(demoKey.keyID), issuer id \(demoKey.issuerID)
              app          \(DemoCatalog.bundleID), sandbox customers ann, bob, carla, dora

            Try next, in another terminal:

            \(export)  \(Self.command) customer show ann
              \(Self.command) buy \(Demo.suggestion) --customer ann --quantity 3
              \(Self.command) history \(demoKey.transactionID)

            Stop with Ctrl-C. \(end)

            """
        return text
    }

    /// The line that sets the variable which other commands need if the data directory is not the default directory.
    private var export: String {
        if directory.path == "./till-data".absolutePath { return "" }
        let isPlain = directory.path.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
        let quoted = "'\(directory.path.replacingOccurrences(of: "'", with: "'\\''"))'"
        return "  export TILL_DATA=\(isPlain ? directory.path : quoted)\n"
    }

    private var end: String {
        runtime.configuration.directory == nil
            ? "All data is deleted then." : "The next start continues with the same data."
    }

    /// The path with which the user called the command.
    private static var command: String { CommandLine.arguments.first ?? "till" }
}
