import Foundation
import Testing

@testable import TillSigning

@Suite("Receipts of a single transaction")
struct TransactionReceiptTests {
    private static let receipt = {
        var receipt = TransactionReceipt(
            bundleID: "com.example.app",
            applicationVersion: "1.0 \"β\\\n",
            productID: "com.example.app.pro",
            transactionID: "2000000000003072",
            purchaseDate: 1_594_755_400_123
        )
        receipt.originalTransactionID = "2000000000002048"
        receipt.expirationDate = 1_597_433_800_000
        receipt.webOrderLineItemID = "2000000000004096"
        return receipt
    }()

    @Test("A transaction receipt is read back and verified, in each environment and for each product type")
    func roundTrip() throws {
        var receipts = [Self.receipt, Self.receipt]
        receipts[1].environment = .production
        receipts[1].expirationDate = nil
        receipts[1].webOrderLineItemID = nil
        for receipt in receipts {
            let text = try ReceiptSample.chain().mint(receipt)
            #expect(try ReceiptSample.verifier().parseTransaction(Array(text.utf8)) == receipt)
            #expect(text.contains("\t\"environment\" = \"Sandbox\";\n") == (receipt.environment == .sandbox))
            #expect(text.hasPrefix("{\n\t\"signature\" = \"") && text.hasSuffix("\t\"signing-status\" = \"0\";\n}"))
        }
    }

    @Test("The patterns with which existing clients find the transaction match the receipt")
    func patterns() throws {
        let text = try ReceiptSample.chain().mint(Self.receipt)
        let outer = try Regex(#""purchase-info"\s+=\s+"([a-zA-Z0-9+/=]+)";"#)
        let info = try #require(try outer.firstMatch(in: text)?.output[1].substring)
        let inner = String(decoding: try #require(Base64.decode(String(info))), as: UTF8.self)
        let pattern = try Regex(#""transaction-id"\s+=\s+"([a-zA-Z0-9+/=]+)";"#)
        #expect(try pattern.firstMatch(in: inner)?.output[1].substring == "2000000000003072")
        for line in [
            "\t\"purchase-date\" = \"2020-07-14 19:36:40 Etc/GMT\";", "\t\"purchase-date-ms\" = \"1594755400123\";",
            "\t\"purchase-date-pst\" = \"2020-07-14 12:36:40 America/Los_Angeles\";",
            "\t\"expires-date\" = \"1597433800000\";", "\t\"bid\" = \"com.example.app\";",
            "\t\"expires-date-formatted\" = \"2020-08-14 19:36:40 Etc/GMT\";",
            "\t\"expires-date-formatted-pst\" = \"2020-08-14 12:36:40 America/Los_Angeles\";",
            "\t\"bvrs\" = \"1.0 \\\"\\U03b2\\\\\\n\";", "\t\"web-order-line-item-id\" = \"2000000000004096\";",
        ] {
            #expect(inner.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
    }

    @Test("OpenSSL verifies the signature: version 2, RSA-1024 over version and purchase info, with the certificate")
    func seal() throws {
        let chain = try ReceiptSample.chain()
        let values = try PropertyListText.read(Array(try chain.mint(Self.receipt).utf8))
        let seal = try #require(Base64.decode(values["signature"] ?? ""))
        let info = try #require(Base64.decode(values["purchase-info"] ?? ""))
        #expect(seal[0] == 2)
        let count = chain.purchaseCertificateDER.count
        #expect(Array(seal[129..<133]) == [0, 0, UInt8(count >> 8), UInt8(count & 0xFF)])
        #expect(Array(seal[133...]) == chain.purchaseCertificateDER)
        try OpenSSL.inFolder { folder in
            let certificate = try folder.file("certificate.pem", chain.purchaseCertificatePEM)
            let key = try OpenSSL.run(["x509", "-in", certificate, "-noout", "-pubkey"]).text
            let (signature, data) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
            try Data(seal[1..<129]).write(to: signature)
            try Data([2] + info).write(to: data)
            let answer = try OpenSSL.run([
                "dgst", "-sha1", "-verify", folder.file("key.pem", key), "-signature", signature.path, data.path,
            ])
            #expect(answer.text.contains("Verified OK"), "\(answer.text)")
        }
    }

    @Test("Flipped bits and truncation are detected; the unsigned environment can be changed")
    func tampering() throws {
        let bytes = Array(try ReceiptSample.chain().mint(Self.receipt).utf8)
        let verifier = try ReceiptSample.verifier()
        for place in bytes.indices {
            for bit in UInt8(0)..<8 where Int(bit) == place % 16 || place < 20 || place > bytes.count - 100 {
                var changed = bytes
                changed[place] ^= 1 << bit
                #expect(throws: ReceiptRefusal.self, "byte \(place), bit \(bit)") {
                    try verifier.parseTransaction(changed)
                }
            }
        }
        for count in stride(from: bytes.count - 1, to: 0, by: -13) {
            #expect(throws: ReceiptRefusal.self) { try verifier.parseTransaction(Array(bytes.prefix(count))) }
        }
        let other = try ReceiptChain.issue(under: ReceiptSample.root())
        let foreign = Array(try other.mint(Self.receipt).utf8)
        let refusal = ReceiptRefusal.notAuthenticated(reason: "has a certificate that is not trusted")
        #expect(throws: refusal) { try verifier.parseTransaction(foreign) }
        let production = ReceiptSample.replacing(
            Array("\t\"environment\" = \"Sandbox\";\n".utf8),
            by: [],
            in: bytes
        )
        #expect(try verifier.parseTransaction(production).environment == .production)
    }

    @Test(
        "Any data except a property list of strings is malformed",
        arguments: [
            "", "{", "}", "{}", "{ a = b; }", "{ \"a\" = \"b\" }", "{ \"a\" = \"b\"; \"a\" = \"c\"; }", "{ \"a = b",
            "{ \"\\U12\" = \"\"; }", "{ \"\\Ud800\" = \"\"; }", "{ \"é\" = \"\"; }", "{} x",
            "{ \"signature\" = \"AAAA\"; }",
            "{ \"signature\" = \"\"; \"purchase-info\" = \"\"; }",
        ]
    )
    func malformed(text: String) throws {
        let refusal = #expect(throws: ReceiptRefusal.self) {
            try ReceiptSample.verifier().parseTransaction(Array(text.utf8))
        }
        guard case .malformed = refusal else {
            Issue.record("\(refusal.debugDescription)")
            return
        }
    }

    @Test("Strings and bytes of a property list are distinguished")
    func looks() throws {
        #expect(TransactionReceipt.looksLike(Array(" \n{".utf8)))
        #expect(!TransactionReceipt.looksLike(try ReceiptSample.chain().mint(ReceiptSample.receipt)))
        #expect(!TransactionReceipt.looksLike([]))
    }

    @Test("A flood of text is rejected before it is parsed")
    func flood() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "{"), count: 10 << 20)
        #expect(throws: ReceiptRefusal.self) { try ReceiptSample.verifier().parseTransaction(bytes) }
    }
}
