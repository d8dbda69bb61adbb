import ArgumentParser
import CAllocator
import Foundation
import TillControl
import TillJSON
import TillShop
import TillSigning

struct FixturesCommand: DocumentedCommand {
    static let summary = "Writes signed examples of notifications, transactions, receipts and errors to a folder."
    static let examples = """
        till fixtures --output fixtures
        # for an app of your own, in one environment
        till fixtures --output my-fixtures --app com.example --environment sandbox
        # replaces the fixtures of an earlier run
        till fixtures --output fixtures --force
        """
    static let notes = """
        For test suites that need signed data, but no server. The files come from purchases in a temporary Till, \
        which the command starts and stops; it needs no running server. manifest.json lists the files with what each \
        shows, and whether Apple's verifier accepts it. The data are valid or forged; the root certificate is Till's, \
        not Apple's. Trust it in tests only.
        """

    @Option(help: "The folder to write to.")
    var output: String
    @Option(help: "The bundle identifier of the app in the data.")
    var app = "com.example.app"
    @Option(help: "The Apple ID of the app in the data.")
    var appleID: Int64 = 1_234_567_890
    @Option(help: "The environment: production or sandbox (default: both).")
    var environment: StoreEnvironment?
    @Flag(help: "Writes to a folder that is not empty, and replaces the fixtures in it. Other files stay.")
    var force = false
    @Flag(help: "Prints the answer as JSON.")
    var json = false

    func validate() throws {
        guard (1...9_999_999_999).contains(appleID) else {
            throw ValidationError("--apple-id must be 1 to 9999999999.")
        }
        guard !output.isEmpty else { throw ValidationError("--output must name a folder.") }
    }

    func run() async throws {
        till_settle_allocator()
        let folder = FixtureFolder(path: output.absolutePath)
        try folder.requireEmpty(unless: force)
        let server = try await FixtureServer.started()
        let made: (contents: [String: [UInt8]], manifest: FixtureManifest)
        do {
            made = try await fixtures(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
        if force { folder.clear() }
        do {
            try folder.write(made.contents, made.manifest)
        } catch {
            if !force { folder.empty() }
            throw error
        }
        let count = made.manifest.files.count
        let outcome = JSONTree.members([
            "folder": .string(folder.path), "files": .count(count), "bundleId": .string(app),
            "validUntil": .count(made.manifest.validUntil.milliseconds),
        ])
        Output.show(outcome, asJSON: json) { _ in
            "Wrote \(count) fixtures to \(folder.path). Trust their root certificate in tests only."
        }
    }

    /// The contents of all files, with the manifest.
    func fixtures(_ server: FixtureServer) async throws -> ([String: [UInt8]], FixtureManifest) {
        let client = server.client
        let info = try await client.send(CreateApp(bundleId: app, appAppleId: appleID))
        let made = try await client.send(CreateKey(name: "till fixtures"))
        let key = try APIKeyPair(keyID: made.keyId, privateKeyPEM: Secret(made.privateKey ?? ""))
        var progress = ProgressLine()
        defer { progress.end() }
        var shops: [FixtureShop] = []
        for environment in StoreEnvironment.allCases where self.environment ?? environment == environment {
            // The stories raise prices, and both environments sell from one catalog.
            _ = try await client.upload(PutCatalog(bundleId: app), FixtureCatalog.catalog(of: app))
            var shop = FixtureShop(server, info, environment, key)
            try await shop.playAll { progress.show("\(environment.rawValue): \($0) stories") }
            try await shop.addNotifications()
            try await shop.addAppTransactions()
            try await shop.addReceipts(foreign: try await foreignReceipt(of: environment, client))
            try await shop.addErrors()
            try await shop.addAttacks()
            shops.append(shop)
        }
        let manifest = FixtureManifest(
            bundleId: app,
            appAppleId: appleID,
            files: shops.flatMap(\.files.fixtures).sorted { $0.file < $1.file }
        )
        var contents = ["README.md": Array(manifest.readme.utf8)]
        for shop in shops { contents.merge(shop.files.contents) { first, _ in first } }
        for (name, receipts) in [("root", nil), ("receipt-root", true)] as [(String, Bool?)] {
            let pem = try await client.send(GetAuthority(receipts: receipts)).rootCertificate
            contents["\(name).pem"] = Array(pem.utf8)
            contents["\(name).cer"] = Array(Data(pem: pem) ?? Data())
        }
        return (contents, manifest)
    }

    /// A receipt of the other environment.
    private func foreignReceipt(of environment: StoreEnvironment, _ client: ControlClient) async throws -> String {
        let other = AppEnvironment(app, environment == .production ? .sandbox : .production)
        let customer = "foreign"
        _ = try await client.send(CreateCustomer(app: other, customer: customer))
        return try await client.send(GetReceipt(app: other, customer: customer)).receipt
    }
}
