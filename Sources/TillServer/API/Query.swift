/// The query of a request: names and values in the order of the URL; names may repeat.
struct Query: Sendable {
    private let items: [(name: String, value: String)]

    /// More parameters than any documented call has.
    private static let maxItems = 500
    /// Longer URLs are refused before they are parsed.
    static let maxURI = 32_768

    /// Parses a query; an empty one, as Node's clients send, has no items.
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

    /// Whether a name or value has U+0000.
    var hasNull: Bool { items.contains { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) } }

    /// Every value of a name.
    func values(_ name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// The value of a name that may occur once.
    ///
    /// - Throws: the given error if the name has two different values.
    func value(_ name: String, orThrow error: APIError) throws -> String? {
        let values = Set(values(name))
        guard values.count <= 1 else {
            throw error.because("\(name) was given \(values.count) different values; give one.")
        }
        return values.first
    }

    private static func decode(_ text: Substring) -> String? {
        PercentEncoding.decoded(text, plusIsSpace: true)
    }
}
