import AppStoreServer
import ArgumentParser
import Foundation
import TillCore
import TillJSON

extension AppleCommand {
    struct Receipt: DocumentedCommand {
        static let summary = "Sends a receipt to verifyReceipt and lists its transactions."
        static let examples = """
            till apple receipt receipt.txt --secret 0123456789abcdef
            till apple receipt receipt.der --url http://127.0.0.1:8889
            """
        static let notes = "verifyReceipt needs no key. Apple deprecated it."

        @Argument(help: "The file of the receipt, in DER or Base64; - for standard input.", completion: .file())
        var file: String
        @Option(
            help: """
                The shared secret of the app; required for auto-renewable subscriptions (environment: \
                TILL_APPLE_SECRET).
                """
        )
        var secret: String?
        @OptionGroup var server: AppleServerOptions

        func run() async throws {
            let receipt = try InputFile.read(file)
            let servers = try server.servers(try AppleProfile(server.profileFile))
            let client = VerifyReceiptClient(environment: servers, options: AppleServerOptions.limits)
            let secret = secret ?? TillVariable.text("APPLE_SECRET")
            let answer = try await AppleErrors.reported {
                try await client.verify(Self.bytes(receipt), sharedSecret: secret)
            }
            AppleOutput.show([AppleAnswer(answer)], asJSON: server.json) { _ in Self.text(answer.value) }
        }

        /// The bytes of a receipt in Base64. DER begins with a sequence (0x30), as no Base64 of DER does.
        static func bytes(_ receipt: [UInt8]) -> [UInt8] {
            if receipt.first == 0x30 { return receipt }
            return Data(base64Encoded: Data(receipt), options: .ignoreUnknownCharacters).map(Array.init) ?? receipt
        }

        private static func text(_ answer: VerifyReceiptResponse) -> String {
            let latest = answer.latestReceiptInfo
            let rows = (latest.isEmpty ? answer.receipt?.inApp ?? [] : latest).map { AppleReceiptRow(entry: $0) }
            let facts = Table.values([
                ("status", "\(answer.status)"), ("environment", answer.environment.map { "\($0)" }),
                ("bundle id", answer.receipt?.bundleId),
            ])
            let renewals = answer.pendingRenewalInfo.map {
                "\($0.originalTransactionId ?? "-")  renews as \($0.autoRenewProductId ?? $0.productId): "
                    + ($0.autoRenewStatus == .on ? "yes" : "no")
            }
            return ([facts, Table.list(rows)] + renewals).joined(separator: "\n")
        }
    }
}

/// A transaction of verifyReceipt in a list.
struct AppleReceiptRow: TableRow {
    static let headings = ["TRANSACTION", "PRODUCT", "PURCHASED", "EXPIRES", "CANCELLED"]
    static let empty = "No transactions."
    let entry: ReceiptTransaction
    var cells: [String?] {
        [
            entry.transactionId, entry.productId, Self.date(entry.purchaseDate), Self.date(entry.expiresDate),
            Self.date(entry.cancellationDate),
        ]
    }

    private static func date(_ date: Timestamp?) -> String { date?.iso8601 ?? "-" }
}

/// Reads a file or standard input.
enum InputFile {
    /// The length that every input may have, in bytes.
    static let maxBytes = 64 << 20

    /// The whole file.
    ///
    /// - Parameter limit: the maximum length in bytes. A stream may have no end.
    static func read(_ file: String, limit: Int = maxBytes) throws -> [UInt8] {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        var bytes: [UInt8] = []
        do {
            guard let handle else { throw CocoaError(.fileReadUnknown) }
            while bytes.count <= limit, let next = try handle.read(upToCount: 1 << 20), !next.isEmpty { bytes += next }
        } catch {
            throw CommandRefused("\(file) cannot be read.")
        }
        guard bytes.count <= limit else {
            throw CommandRefused("\(file) is longer than \(limit >> 20) MB, so it is no such file.", code: "too_long")
        }
        return bytes
    }
}
