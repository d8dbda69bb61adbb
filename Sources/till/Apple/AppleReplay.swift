import AppStoreServer
import Foundation
import TillControl

/// Replays a recorded customer in Till.
struct AppleReplay {
    /// What Till answers about the imported customer.
    let recording: AppleRecording
    /// What Till reported about the import.
    let report: CustomerImportInfo
}

#if os(Linux)
extension AppleReplay {
    /// Imports the customer into a temporary Till and asks the same questions.
    ///
    /// - Parameter storekit: the file with the app's products; nil to derive them from the transactions.
    static func run(_ recorded: AppleRecording, storekit: String?) async throws -> AppleReplay {
        guard let bundleID = recorded.bundleID, let environment = recorded.environment, let id = recorded.customerID
        else {
            throw CommandRefused("The recording has neither a transaction nor an app transaction with its environment.")
        }
        var template = Array("\(FileManager.default.temporaryDirectory.path)/till-apple-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw CommandRefused("Cannot create a folder in \(FileManager.default.temporaryDirectory.path).")
        }
        let folder = String(cString: made)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let till = try await TemporaryServer.start(in: folder, demo: false, profile: nil)
        do {
            let client = try await client(of: till.client, recorded, bundleID, environment, storekit)
            let request = ImportCustomer(app: AppEnvironment(bundleID, environment), customer: "recorded")
            let report = try await till.client.upload(request, recorded.importDocument)
            let answers = try await AppleErrors.reported {
                try await AppleRecording(of: id, from: client, includesNotifications: false)
            }
            await till.stop()
            return AppleReplay(recording: answers, report: report)
        } catch {
            await till.stop()
            throw error
        }
    }

    /// Creates the app with its products, and a client of its App Store Server API.
    private static func client(
        of till: ControlClient,
        _ recorded: AppleRecording,
        _ bundleID: String,
        _ environment: StoreEnvironment,
        _ storekit: String?
    ) async throws -> AppStoreServerClient {
        _ = try await till.send(CreateApp(bundleId: bundleID, appAppleId: recorded.appAppleID))
        if let storekit {
            _ = try await till.upload(ImportStoreKitFile(bundleId: bundleID), try InputFile.read(storekit))
        }
        let key = try await till.send(CreateKey(name: "till apple compare"))
        let ports = try await till.send(GetStatus()).ports
        let port = environment == .production ? ports.production : ports.sandbox
        return AppStoreServerClient(
            key: try AppStoreKey(pem: key.privateKey ?? "", keyID: key.keyId, issuerID: key.issuerId),
            bundleID: bundleID,
            environment: .custom("http://127.0.0.1:\(port)")
        )
    }
}
#else
extension AppleReplay {
    static func run(_ recorded: AppleRecording, storekit: String?) async throws -> AppleReplay {
        throw CommandRefused("The comparison with Till needs Linux. Here, give two recordings.")
    }
}
#endif
