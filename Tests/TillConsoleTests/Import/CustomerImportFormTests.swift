import HTTPTypes
import Testing
import TillControl
import TillServer
import TillTestSupport

@testable import TillConsole

@Suite("The console imports customers")
struct CustomerImportFormTests {
    private static let page = "/console/apps/\(TestShop.bundleID)/sandbox/customers"

    /// The answers about a customer who bought one product.
    private static let document = """
        {"answers": [{
            "bundleId": "\(TestShop.bundleID)", "hasMore": false,
            "signedTransactions": [{
                "transactionId": "2000000912345678", "originalTransactionId": "2000000912345678",
                "bundleId": "\(TestShop.bundleID)", "environment": "Sandbox", "productId": "map",
                "type": "Non-Consumable", "purchaseDate": 1767225600000, "signedDate": 1767225600000,
                "storefront": "USA", "price": 1990, "currency": "USD"
            }]
        }]}
        """

    @Test("A customer is imported from a pasted text")
    func pasted() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let fields = [("path.customer", "zoe"), ("_document", Self.document)]
            let made = try await visitor.perform("importCustomer", on: Self.page, fields)
            #expect(made.status == 200 && made.text.contains("Open zoe"), "\(made.text)")
            let again = try await visitor.perform("importCustomer", on: Self.page, fields)
            #expect(again.status == 409 && again.text.contains("Customer zoe exists already."), "\(again.text)")
            let empty = try await visitor.perform("importCustomer", on: Self.page, [("path.customer", "yan")])
            #expect(empty.status == 400)
            let control = site.console.control
            let zoe = try await control.send(GetCustomer(app: AppEnvironment(TestShop.bundleID), customer: "zoe"))
            #expect(zoe.clock == "zoe" && zoe.transactions == 1)
            let scope = "/console/apps/\(TestShop.bundleID)/sandbox"
            let shown = try await visitor.get("\(scope)/transactions/2000000912345678")
            #expect(shown.status == 200 && shown.text.contains("2000000912345678"))
        }
    }

    @Test("A customer is imported from a file, without the ids of the source")
    func uploaded() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let proof = try #require(try await visitor.get(Self.page).field("_proof", in: "importCustomer"))
            let fields = [
                "_proof": proof, "_back": Self.page, "path.bundleId": TestShop.bundleID, "path.environment": "sandbox",
                "path.customer": "zoe", "clock": "spring", "anonymize": "true", "_document": "",
            ].map { name, value in
                "--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
            }
            let file = "--XX\r\nContent-Disposition: form-data; name=\"_file\"; filename=\"answers.json\"\r\n\r\n"
            let made = try await visitor.send(
                .post,
                "/console/actions/importCustomer",
                fields.joined() + file + Self.document + "\r\n--XX--\r\n",
                [.contentType: "multipart/form-data; boundary=XX"]
            )
            #expect(made.status == 200 && made.text.contains("Open zoe"), "\(made.text)")
            #expect(!made.text.contains("2000000912345678"))
        }
    }
}
