import AppStoreServer
import ArgumentParser
import Foundation
import TillJSON
import TillSigning

extension AppleCommand {
    struct Verify: DocumentedCommand {
        static let summary = "Verifies signed data or an app receipt, and prints the payload."
        static let examples = """
            till apple verify notification.json --root AppleRootCA-G3.cer
            till apple verify receipt.txt --root AppleIncRootCertificate.cer
            till apple verify - --root root.pem --bundle com.example.shop
            """
        static let notes = """
            The data is a compact JWS (a transaction, renewal information, an app transaction or a notification), the \
            body of a notification, or an app receipt in DER or Base64. Apple's roots are at \
            apple.com/certificateauthority: Apple Root CA - G3 for signed data, Apple Inc. Root for receipts. Till's \
            are written by till ca export, with --receipts for receipts.

            Exit codes: 0 for valid data, 3 for other data, 1 if nothing could be read.
            """

        @Argument(help: "The file; - for standard input.", completion: .file())
        var file: String
        @Option(help: "A trusted root certificate, in DER or PEM; may be repeated.")
        var root: [String]
        @Option(help: "The bundle id that the data must have (default: any).")
        var bundle: String?
        @Option(help: "The environment that the data must have: production or sandbox (default: any).")
        var environment: StoreEnvironment?
        @Option(help: "The id of the app in the App Store that data of production must have (default: any).")
        var appleId: Int64?
        @Flag(help: "Asks the certificates' OCSP responder if they were revoked. They must be valid now.")
        var ocsp = false
        @Flag(help: "Accepts receipts with SHA-1, which the App Store signed until 2023.")
        var sha1 = false
        @Flag(help: "Prints the result as JSON.")
        var json = false

        func validate() throws {
            guard !root.isEmpty else {
                throw ValidationError("Give at least one --root. See till apple verify --help.")
            }
        }

        func run() async throws {
            let bytes = try InputFile.read(file, limit: 8 << 20)
            let report = try await report(on: bytes)
            Output.show(report.document, asJSON: json) { _ in report.text }
            if !report.problems.isEmpty { throw ExitCode(3) }
        }

        private func report(on bytes: [UInt8]) async throws -> VerificationReport {
            let roots = try RootFiles(root)
            let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            let body = (try? JSONTree.parse(Array(text.utf8)))?["signedPayload"]?.text
            let signed = body ?? text
            if signed.split(separator: ".", omittingEmptySubsequences: false).count == 3 {
                let expected = SignedDataReport.Expectations(
                    bundleID: bundle,
                    environment: environment,
                    appAppleID: appleId,
                    revocation: ocsp ? .online() : .none
                )
                return try await SignedDataReport.make(of: signed, in: file, trusting: roots, expected)
            }
            let receipt = AppleCommand.Receipt.bytes(bytes)
            return try ReceiptReport.make(
                of: receipt,
                in: file,
                trusting: roots,
                acceptsSHA1: sha1,
                bundleID: bundle,
                environment: environment
            )
        }
    }
}

/// Root certificates from files.
struct RootFiles {
    let trusted: TrustedRoots
    let ders: [[UInt8]]

    init(_ files: [String]) throws {
        let contents = try files.map { try InputFile.read($0, limit: 1 << 20) }
        do {
            trusted = try TrustedRoots(contents)
            ders = try contents.flatMap { try CertificateText.certificates(in: $0, .root) }
        } catch {
            let names = files.joined(separator: ", ")
            throw CommandRefused(
                "\(names): \("\(error)".sentence) Give root certificates in DER or PEM.",
                code: "bad_root"
            )
        }
    }
}

/// What a verification found.
struct VerificationReport {
    /// The kind of data, such as `transaction`.
    let kind: String
    /// Sentences; none for valid data.
    let problems: [String]
    /// What was not compared, as the user gave no value.
    let notes: [String]
    /// The payload, with decoded payloads in place of signed values.
    let payload: JSONTree

    var document: JSONTree {
        .members([
            "kind": .string(kind), "valid": .bool(problems.isEmpty),
            "problems": .array(problems.map { .string($0) }), "payload": payload,
        ])
    }

    var text: String {
        let heading = problems.isEmpty ? "Valid: \(kind)" : "Not valid: \(kind)"
        return ([heading.bold] + problems.map { "  \($0)" } + notes + ["", Output.lines(payload)]).joined(
            separator: "\n"
        )
    }
}
