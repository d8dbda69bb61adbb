/// The query of a request: names and values in URL order. A name may occur several times.
struct Query: Sendable {
    private let items: [(name: String, value: String)]

    /// The maximum number of parameters, more than any documented call has.
    private static let maxItems = 500
    /// The maximum length of a URL in bytes. Longer URLs are refused before they are parsed.
    static let maxURI = 32_768

    /// Parses a query. An empty query, which Node clients send as a trailing `?`, has no items.
    ///
    /// - Throws: `APIError.generalBadRequest` for too many items or for text that is not UTF-8.
    init(_ text: String?) throws {
        var items: [(name: String, value: String)] = []
        for part in (text ?? "").split(separator: "&") {
            guard items.count < Self.maxItems else {
                throw APIError.generalBadRequest.because("The query has more than \(Self.maxItems) parameters.")
            }
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(pair[0]), let value = Self.decode(pair.count > 1 ? pair[1] : "") else {
                throw APIError.generalBadRequest.because("The query is not percent-encoded UTF-8.")
            }
            items.append((name, value))
        }
        self.items = items
    }

    /// Creates a query from names and values.
    init(_ items: [(name: String, value: String)]) { self.items = items }

    /// Whether a name or a value contains U+0000.
    var hasNull: Bool { items.contains { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) } }

    /// The names, in URL order.
    var names: [String] { items.map(\.name) }

    /// All values of a name, in URL order.
    func values(_ name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// The value of a name that may have only one value.
    ///
    /// - Throws: `error` if the name occurs with two different values.
    func value(_ name: String, orThrow error: APIError) throws -> String? {
        try value(name) { error.because($0) }
    }

    /// The value of a name that may have only one value.
    ///
    /// - Parameter error: makes the error for a name with two different values, from a sentence for people.
    func value(_ name: String, orThrow error: (String) -> any Error) throws -> String? {
        let values = Set(values(name))
        guard values.count <= 1 else { throw error("\(name) has \(values.count) different values. Give one.") }
        return values.first
    }

    private static func decode(_ text: Substring) -> String? {
        PercentEncoding.decoded(text, plusIsSpace: true)
    }
}
