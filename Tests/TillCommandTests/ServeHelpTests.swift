import ArgumentParser
import NIOCore
import Testing
import TillCore
import TillRuntime
import TillShop

@testable import till

/// docs/operating/settings.md is made from this help.
@Suite("The help of till serve states the defaults of the code")
struct ServeHelpTests {
    /// The texts of the options, by flag. The parser does not wrap them at this width.
    private static let texts: [String: String] = {
        let help = Serve.helpMessage(columns: 100_000).split(separator: "\n").map { $0.drop { $0 == " " } }
        var texts: [String: String] = [:]
        var last: String?
        for line in help {
            if line.hasPrefix("--") {
                let name = String(line.prefix { $0 != " " })
                last = name
                let rest = line.dropFirst(name.count).drop { $0 == " " }
                texts[name] = String(rest.hasPrefix("<") ? rest.drop { $0 != ">" }.dropFirst() : rest)
            } else if let name = last, texts[name]?.isEmpty == true {
                texts[name] = String(line)
            }
        }
        return texts
    }()

    /// The flag of a property: `--audit-days` for `auditDays`.
    private static func flag(_ property: String) -> String {
        "--" + property.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }

    /// The values of the properties that have one value, by flag.
    private static func values(of settings: Settings) -> [String: String] {
        var values: [String: String] = [:]
        for child in Mirror(reflecting: settings).children {
            let name = flag(child.label ?? "")
            switch child.value {
            case let value as Bool: values[name] = "\(value)"
            case let value as Int: values[name] = "\(value)"
            case let value as RenewalRate: values[name] = value.rawValue
            default: continue
            }
        }
        return values
    }

    @Test("The settings of the store have the stated defaults, also with the other profiles")
    func store() {
        let (apple, ours) = (Self.values(of: .apple), Self.values(of: .operator))
        let defaults = Self.values(of: Settings())
        #expect(defaults.count > 20)
        for (flag, value) in defaults {
            var words = "default: \(value)"
            for (profile, other) in [("apple", apple[flag]), ("operator", ours[flag])] where other != value {
                words += "; with --profile \(profile): \(other ?? "none")"
            }
            #expect(Self.texts[flag]?.hasSuffix("(\(words)).") == true, "\(flag) \(words): \(Self.texts[flag] ?? "")")
        }
    }

    @Test("The settings of the server have the stated defaults")
    func server() async throws {
        let server = try Serve.configuration(try await SettingsSource(environment: [:]), directory: nil)
        let defaults = [
            "--host": server.host, "--control-address": server.controlAddress,
            "--production-port": "\(server.productionPort)", "--sandbox-port": "\(server.sandboxPort)",
            "--control-port": "\(server.controlPort)",
            "--request-timeout": "\(server.requestDeadline.nanoseconds / 1_000_000_000)",
            "--lease": "\(server.node.lease.components.seconds)", "--drain": "\(server.drain.components.seconds)",
            "--adopt-root": "\(server.node.adoptsRoot)",
        ]
        for (flag, value) in defaults {
            #expect(Self.texts[flag]?.hasSuffix("(default: \(value)).") == true, "\(flag) \(value)")
        }
    }
}
