import AppStoreServer

/// Verifies the signed data of an app: `verifies-signed-data ROOT BUNDLE-ID [APP-APPLE-ID]`, with the id in production.
///
/// Each line of the input has the kind of the data, a space, and the data. Each line of the output is `accepted` or the
/// reason of the refusal.
@main
struct VerifiesSignedData {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let app: ExpectedApp =
            if arguments.count > 3, let id = Int64(arguments[3]) {
                .production(bundleID: arguments[2], appAppleID: id)
            } else {
                .sandbox(bundleID: arguments[2])
            }
        let verifier = SignedDataVerifier(roots: try TrustedRoots(files: [arguments[1]]), app: app)
        while let line = readLine() {
            let parts = line.split(separator: " ")
            print(await verdict(verifier, String(parts[0]), String(parts[1])))
        }
    }

    private static func verdict(_ verifier: SignedDataVerifier, _ kind: String, _ text: String) async -> String {
        do throws(VerificationFailure) {
            switch kind {
            case "transaction": _ = try await verifier.verify(SignedTransaction(text))
            case "renewalInfo": _ = try await verifier.verify(SignedRenewalInfo(text))
            case "appTransaction": _ = try await verifier.verify(SignedAppTransaction(text))
            case "notification": _ = try await verifier.verify(SignedNotification(text))
            default: return "unknown kind"
            }
            return "accepted"
        } catch {
            return error.reason.rawValue
        }
    }
}
