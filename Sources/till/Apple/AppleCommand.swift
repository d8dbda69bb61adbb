import AppStoreServer
import ArgumentParser
import TillJSON

struct AppleCommand: DocumentedCommand {
    static let summary = "Asks Apple's App Store server, or another one, about purchases."
    static let examples = """
        till apple history 700001234567890 --bundle com.example.shop
        till apple status 700001234567890 --environment sandbox --json
        till apple order MK5TTTVWJH
        till apple verify notification.json --root AppleRootCA-G3.cer
        till apple record 700001234567890 --out customer.json
        till apple compare customer.json
        """
    static let notes = """
        The commands only read. They need a key for in-app purchases of App Store Connect: --key, --key-id and \
        --issuer, and the app: --bundle. The variables TILL_APPLE_KEY, TILL_APPLE_KEY_ID, TILL_APPLE_ISSUER, \
        TILL_APPLE_BUNDLE, TILL_APPLE_URL and TILL_APPLE_ENVIRONMENT, and the profile file ~/.config/till/apple.json \
        with the keys key, keyId, issuer, bundle, url and environment, give the same. A flag has precedence over a \
        variable, and a variable over the file. No command prints the key.
        """

    static var subcommands: Subcommands {
        [
            History.self, Status.self, Transaction.self, AppTransaction.self, Order.self, Refunds.self,
            Notifications.self, Receipt.self, Verify.self, Record.self, Compare.self,
        ]
    }
}

/// An answer of an App Store server.
struct AppleAnswer {
    let tree: JSONTree
    let server: ServerAddress

    init(_ answer: Answer<some AppStoreObject>) { (tree, server) = (answer.value.raw.tree, answer.server) }
}

extension PagedSequence {
    /// All pages.
    var answers: [AppleAnswer] {
        get async throws {
            var answers: [AppleAnswer] = []
            for try await page in pages { answers.append(AppleAnswer(page)) }
            return answers
        }
    }
}

/// A command that asks an App Store server and prints the answers.
protocol AppleAskingCommand: DocumentedCommand {
    /// The server and the key.
    var options: AppleOptions { get }
    /// The answers of the endpoint: one, or all pages.
    func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer]
    /// The output without `--json`.
    func text(_ answers: [JSONTree]) -> String
}

extension AppleAskingCommand {
    func run() async throws {
        let client = try options.client()
        let found = try await AppleErrors.reported { try await answers(of: client) }
        AppleOutput.show(found, asJSON: options.server.json, text)
    }
}

/// Prints answers of an App Store server.
enum AppleOutput {
    /// - Parameter text: the output without `--json`.
    static func show(_ answers: [AppleAnswer], asJSON: Bool, _ text: ([JSONTree]) -> String) {
        let trees = answers.map(\.tree)
        Output.show(.array(trees), asJSON: asJSON) { _ in
            let heading = answers.first.map { name(of: $0.server).bold }
            return [heading, text(trees)].compactMap(\.self).joined(separator: "\n")
        }
    }

    /// Which server answered.
    static func name(of server: ServerAddress) -> String {
        guard server == .production || server == .sandbox, let environment = server.environment else {
            return "Answer of \(server)"
        }
        return "Answer of Apple's \(environment == .production ? "production" : "sandbox")"
    }
}
