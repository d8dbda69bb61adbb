import Foundation

extension Document {
    /// A value as a document. The JSON has sorted keys, so that equal values have equal texts.
    ///
    /// - Throws: `EncodingError` if the value cannot be encoded.
    package init(kind: DocumentKind, name: String, app: String? = nil, encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(kind: kind, name: name, app: app, body: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The value that the document contains.
    ///
    /// - Throws: `DamagedRow` if the JSON does not have the structure of the type.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(body.utf8))
        } catch {
            throw DamagedRow(
                table: ShopTable.documents.rawValue,
                row: "kind \(kind.rawValue), name \(name)",
                column: "body",
                problem: "cannot be read (\(error.logText))"
            )
        }
    }
}
