import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillControl
import TillJSON
import TillServer
import TillShop
import TillSigning
import TillStorage

/// Calls the App Store Server API as a backend does, and prints the answer.
struct HistoryCommand: DocumentedCommand {
    static let summary = "Calls Get Transaction History of the App Store Server API, and prints the decoded pages."
    static let examples = """
        till history 2000000000012345
        till history 2000000000012345 --descending --product-type CONSUMABLE
        till history 2000000000012345 --key AuthKey_2X9R4HXF34.p8
        """
    static let notes = "Without --key, the command uses a key in the data directory, such as the demo app's."

    @Argument(help: "A transaction id or the app transaction id of the customer.")
    var transaction: String
    @Option(
        help: "The file of an API key (environment: TILL_KEY; default: the first in the data directory).",
        completion: .file()
    )
    var key: String?
    @Option(help: "The URL of the App Store Server API (default: the URL that the server reports).")
    var api: String?
    @Flag(help: "Prints the newest transaction first.")
    var descending = false
    @Option(help: "Only this product; may be repeated.")
    var productID: [String] = []
    @Option(help: "Only this type: AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE; may be repeated.")
    var productType: [String] = []
    @Option(help: "true for only revoked transactions, false for only others.")
    var revoked: String?
    @Option(help: "Continues after the page that had this revision.")
    var revision: String?
    @OptionGroup var options: EnvironmentOptions

    func run() async throws {
        let shop = try await options.connect()
        let client = shop.client
        let keys = try await client.send(ListKeys())
        let pair = try keyPair()
        // A key that signs only offers may have the same key id.
        let named = keys.filter { $0.keyId == pair.keyID }
        guard let issuer = (named.first { $0.offersOf == nil } ?? named.first)?.issuerId else {
            throw CommandRefused("The server does not know key \(pair.keyID). Create keys with till key create.")
        }
        let base = try await address(shop)
        var revision = revision
        var pages: [JSONTree] = []
        while true {
            let page = try await self.page(base, revision, token: try Self.token(pair, issuer, shop.app.bundleId))
            if options.server.json { pages.append(page) } else { show(page) }
            revision = page["revision"]?.text
            guard page["hasMore"] == .bool(true) else { break }
        }
        if options.server.json {
            print(String(decoding: JSONTree.array(pages).written(), as: UTF8.self))
        } else {
            print("revision  \(revision ?? "")")
        }
    }

    private func keyPair() throws -> APIKeyPair {
        let folder = try options.server.location().directory.keys
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted().map { "\(folder)/\($0)" }
        let key = key ?? TillVariable.text("KEY")
        guard let path = key ?? found?.first(where: { $0.hasSuffix(".p8") }) else {
            throw CommandRefused(
                "There is no key file in \(folder). Give one with --key, such as the AuthKey_….p8 that till key create "
                    + "wrote, or give the server's data directory with --data."
            )
        }
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        guard let keyID = name.split(separator: "_").last, name.hasPrefix("AuthKey_") else {
            throw CommandRefused("\(path) is not named AuthKey_<key id>.p8.")
        }
        do {
            return try APIKeyPair(keyID: String(keyID), privateKeyPEM: Secret(DataDirectory.read(path)))
        } catch {
            throw CommandRefused("\(path) is not a private key: \(error.logText)")
        }
    }

    private func address(_ shop: AppClient) async throws -> String {
        if let api { return api }
        let ports = try await shop.client.send(GetStatus()).ports
        let host = URL(string: shop.client.url)?.host ?? "127.0.0.1"
        return "http://\(host):\(shop.app.environment == .production ? ports.production : ports.sandbox)"
    }

    private static func token(_ pair: APIKeyPair, _ issuer: String, _ bundleID: String) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let claims = JSONTree.members([
            "iss": .string(issuer), "iat": .count(now), "exp": .count(now + 300),
            "aud": .string(BearerToken.audience), "bid": .string(bundleID),
        ])
        return try pair.sign(claims.written())
    }

    private func page(_ base: String, _ revision: String?, token: String) async throws -> JSONTree {
        var items = [("sort", descending ? "DESCENDING" : "ASCENDING")]
        items += productID.map { ("productId", $0) } + productType.map { ("productType", $0) }
        if let revoked { items.append(("revoked", revoked)) }
        if let revision { items.append(("revision", revision)) }
        let query = items.map { "\($0.0)=\(PercentEncoding.encoded($0.1))" }.joined(separator: "&")
        var request = HTTPClientRequest(
            url: "\(base)/inApps/v2/history/\(PercentEncoding.encoded(transaction))?\(query)"
        )
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        guard let (status, body) = try? await WebClient.send(request, timeout: .seconds(60)) else {
            throw CommandRefused.unreached(at: base)
        }
        let tree = try? JSONTree.parse(body)
        guard status == 200, let tree else {
            let text = String(decoding: body.prefix(500), as: UTF8.self)
            throw CommandRefused("The API answered \(status): \(text)\nThe reason: till explain --last")
        }
        return tree
    }

    private func show(_ page: JSONTree) {
        let text = SignedAnswers.history([page])
        if !text.isEmpty { print(text.printableLines) }
    }
}
