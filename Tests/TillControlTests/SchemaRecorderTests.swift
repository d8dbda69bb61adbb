import Testing
import TillJSON

@testable import TillControl

/// Derives schemas from types.
@Suite("The schema of a type")
struct SchemaRecorderTests {
    private enum Size: String, Codable, CaseIterable { case small, large }

    private enum Level: Int, Codable, CaseIterable {
        case low = 1
        case high = 3
    }

    private struct Part: ControlObject {
        var text: String
    }

    private struct Whole: ControlObject {
        static let limits: [ControlLimit] = [.range(CodingKeys.count, 1...10), .format(CodingKeys.name, "uuid")]

        var name: String
        var count: Int?
        var size: Size
        var level: Level?
        var parts: [Part]
        var date: Timestamp?
        var isNew: Bool
        var ratio: Double?
    }

    private var schema: Schema {
        SchemaRecorder(texts: ["\(SchemaRecorder.path(Whole.self)).name": "Its name."]).schema(of: Whole.self)
    }

    @Test("Every property has its type, its limits and its description, and optional properties are not required")
    func properties() throws {
        guard case .component(_, _, .object(_, let properties)) = schema else {
            Issue.record("\(schema)")
            return
        }
        #expect(properties.map(\.name) == ["name", "count", "size", "level", "parts", "date", "isNew", "ratio"])
        #expect(properties.filter(\.isRequired).map(\.name) == ["name", "size", "parts", "isNew"])
        guard case .string("Its name.", "uuid", [], nil) = properties[0].schema,
            case .integer(_, 1...10) = properties[1].schema,
            case .component(_, _, .string(_, nil, ["small", "large"], nil)) = properties[2].schema,
            case .component(_, _, .integerOf(_, [1, 3])) = properties[3].schema,
            case .array(_, of: .component(_, _, .object(_, let inner))) = properties[4].schema,
            case .integer = properties[5].schema, case .boolean = properties[6].schema,
            case .number = properties[7].schema
        else {
            Issue.record("\(properties)")
            return
        }
        #expect(inner.map(\.name) == ["text"])
    }

    @Test(
        "The schema accepts what the type decodes, and names every fault",
        arguments: [
            (#"{"name":"n","size":"small","parts":[],"isNew":true}"#, []),
            (
                #"{"name":"n","count":null,"size":"large","level":3,"parts":[{"text":""}],"isNew":false,"ratio":0.5}"#,
                []
            ),
            (
                #"{"name":1,"count":11,"size":"tiny","level":2,"parts":[{}],"other":1}"#,
                ["$.name", "$.count", "$.size", "$.level", "$.parts[0].text", "$.other", "$.isNew"]
            ),
        ]
    )
    func faults(text: String, paths: [String]) throws {
        let tree = try JSONTree.parse(Array(text.utf8))
        #expect(schema.faults(in: tree).map(\.path) == paths)
        #expect(((try? tree.decode(Whole.self)) != nil) == paths.isEmpty)
    }

    @Test("A list has the schema of its elements")
    func list() {
        let schema = SchemaRecorder().schema(of: [Part].self)
        guard case .array("", of: .component(_, _, .object(_, let properties))) = schema else {
            Issue.record("\(schema)")
            return
        }
        #expect(properties.map(\.name) == ["text"])
        #expect(schema.document["description"] == nil)
    }

    @Test("A parameter's text becomes a value of the property's type")
    func parameters() {
        #expect(Schema.integer("").value(of: "12") == .number("12"))
        #expect(Schema.integer("").value(of: "twelve") == .string("twelve"))
        #expect(Schema.boolean("").value(of: "true") == .bool(true))
        #expect(Schema.string("").value(of: "12") == .string("12"))
    }
}
