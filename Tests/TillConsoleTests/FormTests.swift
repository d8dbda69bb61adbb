import Testing
import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// Form data and its conversion to request bodies.
@Suite("Forms become request bodies")
struct FormTests {
    private let schema = Schema.object(
        "A thing.",
        [
            Schema.required("name", .string("A name.")),
            Schema.optional("count", .integer("A number.", 1...10)),
            Schema.optional("price", .integer("Thousandths.")),
            Schema.optional("at", .integer("When.")),
            Schema.optional("isOpen", .boolean("A flag.")),
            Schema.optional("types", .array("Texts.", of: .string("A text."))),
            Schema.optional("offer", .object("An offer.", [Schema.required("kind", .string("Its kind."))])),
        ]
    )

    private func tree(_ fields: [(String, String)]) -> JSONTree {
        FormBody.tree(FormData(fields: fields.map { .init(name: $0.0, value: $0.1) }), schema)
    }

    @Test("Fields are converted by the schema and set at their paths")
    func typed() throws {
        let body = tree([
            ("name", "7"), ("count", " 7 "), ("price:money", "4.99"), ("at:instant", "2026-03-01T10:00"),
            ("isOpen", "true"), ("types", "A\r\n\r\n B "), ("offer.kind", "CODE"),
        ])
        let wanted = """
            {"name":"7","count":7,"price":4990,"at":1772359200000,"isOpen":true,"types":["A","B"],"offer":{"kind":"CODE"}}
            """
        #expect(body == (try JSONTree.parse(Array(wanted.utf8))))
        #expect(schema.faults(in: body).isEmpty)
    }

    @Test("An offer field sets the kind and the ID")
    func offer() throws {
        for (typed, wanted) in [
            ("WIN_BACK:come:back", #"{"offer":{"kind":"WIN_BACK","id":"come:back"}}"#),
            ("NONE", #"{"offer":{"kind":"NONE"}}"#), ("", "{}"),
        ] {
            #expect(tree([("offer:offer", typed)]) == (try JSONTree.parse(Array(wanted.utf8))))
        }
        let body = tree([("offer:offer", "PROMOTIONAL:a"), ("offer.token", "t")])
        #expect(body["offer"]?["token"]?.text == "t" && body["offer"]?["id"]?.text == "a")
    }

    @Test("Empty, internal and path fields are omitted; invalid values are passed on")
    func left() {
        let body = tree([
            ("name", ""), ("_proof", "x"), ("path.environment", "sandbox"), ("count", "many"), ("other", "y"),
        ])
        #expect(body == .object([.init("count", .string("many")), .init("other", .string("y"))]))
        #expect(schema.faults(in: body).map(\.path) == ["$.count", "$.other", "$.name"])
    }

    @Test("A form names the fields that its request lacks")
    func unknownFields() async throws {
        let control = ControlCaller(try await TestShop().controlAPI())
        let operation = try #require(control[RefundTransaction.operationID])
        let names = ["share", "shares", "path.transactionId", "path.customer", "_own"]
        let unknown = FormField.unknown(names.map { FormField($0, "") }, in: operation)
        #expect(unknown == ["shares", "path.customer"])
    }

    @Test("A request becomes path parameters and the values of fields")
    func requests() {
        let app = AppEnvironment("com.example.shop")
        let parts = FormParts(UpdateSettings(app: app, grace: GracePeriodInfo(days: 16), released: false))
        #expect(parts.path == ["bundleId": "com.example.shop", "environment": "sandbox"])
        #expect(parts.fields.map { "\($0.name)=\($0.value)" } == ["grace.days=16", "released=false"])
        let endpoint = FormParts(SetEndpoint(app: app, endpoint: "primary", url: "", types: ["TEST", "REFUND"]))
        #expect(endpoint.fields.map(\.value) == ["", "TEST\nREFUND"])
    }

    @Test("A URL-encoded form is parsed, and one that is not UTF-8 is rejected")
    func encoded() throws {
        let form = try FormData.encoded(Array("a=1+2&b=%F0%9F%8D%8E&a=3".utf8))
        #expect(form["a"] == "1 2")
        #expect(form["b"] == "🍎")
        #expect(throws: ControlError.self) { try FormData.encoded(Array("a=%FF".utf8)) }
        #expect(throws: ControlError.self) { try FormData.encoded(Array("a=%00".utf8)) }
    }

    @Test(
        "A field name that is too deep is rejected",
        arguments: [8, 10_000]
    )
    func deep(dots: Int) {
        let name = String(repeating: "a.", count: dots) + "a"
        let multipart = "--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\nx\r\n--XX--"
        #expect(throws: ControlError.self) { try FormData.encoded(Array("\(name)=x".utf8)) }
        #expect(throws: ControlError.self) {
            try FormData.multipart(Array(multipart.utf8), "multipart/form-data; boundary=XX")
        }
    }

    @Test("A field name that is too long is rejected")
    func longNames() throws {
        let name = String(repeating: "a", count: 257)
        #expect(throws: ControlError.self) { try FormData.encoded(Array("\(name)=x".utf8)) }
        let form = try FormData.encoded(Array("\(name.dropLast())=x&.=x&a.b.c.d.e.f.g.h=x".utf8))
        #expect(FormBody.tree(form, schema).members.count == 2)
    }

    @Test("A multipart form with a file is parsed")
    func multipart() throws {
        let text = [
            "--XX", "Content-Disposition: form-data; name=\"bundleId\"", "", "com.example", "--XX",
            "Content-Disposition: form-data; name=\"_file\"; filename=\"a;b.storekit\"", "Content-Type: x/y", "",
            "{\r\n--X}", "--XX--", "",
        ].joined(separator: "\r\n")
        let form = try FormData.multipart(Array(text.utf8), "multipart/form-data; boundary=XX")
        #expect(form["bundleId"] == "com.example")
        #expect(form.file == Array("{\r\n--X}".utf8))
        for broken in ["", "--XX", "--XX\r\nno head", text.replacing("name=\"bundleId\"", with: "")] {
            #expect(throws: ControlError.self) {
                try FormData.multipart(Array(broken.utf8), "multipart/form-data; boundary=XX")
            }
        }
        #expect(throws: ControlError.self) { try FormData.multipart(Array(text.utf8), "multipart/form-data") }
    }

    @Test("A byte order mark in a URL or a form is kept")
    func marks() {
        #expect(Address.parts("/console/%EF%BB%BFzoe") == ["console", "\u{FEFF}zoe"])
        #expect(Address.items("a=%EF%BB%BFzoe")?.first?.value == "\u{FEFF}zoe")
    }

    @Test(
        "Actions return only to pages of the console",
        arguments: [
            "https://evil.example/", "//evil.example/", "/console//evil", "/v1/status", "/console/\\evil",
            "/console/a b",
            "console/", "",
        ]
    )
    func back(address: String) {
        #expect(Address.local(address) == nil)
    }
}
