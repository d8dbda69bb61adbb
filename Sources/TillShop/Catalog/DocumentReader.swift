import TillCore
import TillJSON

/// A JSON object of a document, with its path.
struct DocumentObject {
    let path: String
    private let members: [String: JSONTree]

    /// The keys, in the order of the document.
    let keys: [String]

    init(path: String, members: [JSONTree.Member]) {
        self.path = path
        self.keys = members.map(\.key)
        self.members = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a key; `null` counts as absent, because Xcode writes it for missing values.
    subscript(key: String) -> JSONTree? {
        members[key].flatMap { $0 == .null ? nil : $0 }
    }

    /// The path of a key.
    func path(_ key: String) -> String { JSONTree.path(path, key) }
}

/// An element of a JSON array, with its path.
typealias DocumentElement = (value: JSONTree, path: String)

/// Reads typed values, and continues after a fault, so that all faults can be reported at once.
///
/// Each function returns nil for an absent or wrong value. A wrong value adds a fault. An absent value adds a
/// fault only if it is required.
struct DocumentReader {
    private(set) var faults: [JSONFault] = []

    /// Whether there are so many faults that reading stops.
    private(set) var isFull = false
    private var bytesOfPaths = 0

    /// Adds a fault.
    mutating func fault(_ path: String, expected: String, found: String) {
        guard !isFull else { return }
        bytesOfPaths += path.utf8.count
        if faults.count == CatalogLimits.faults || bytesOfPaths > JSONLimits.bytesOfFaults {
            isFull = true
            let more = "at least one more, and the rest is not listed"
            faults.append(JSONFault(path: "$", expected: "no more than \(faults.count) faults", found: more))
        } else {
            faults.append(JSONFault(path: path, expected: expected, found: found))
        }
    }

    /// Throws if there are any faults.
    func finish() throws(CatalogRefused) {
        if !faults.isEmpty { throw CatalogRefused(faults: faults) }
    }

    /// Reads the value under a key.
    ///
    /// - Parameters:
    ///   - expected: describes a right value.
    ///   - read: returns nil for a wrong value.
    private mutating func value<Value>(
        _ object: DocumentObject,
        _ key: String,
        _ expected: String,
        isRequired: Bool = false,
        _ read: (JSONTree) -> Value?
    ) -> Value? {
        if let tree = object[key] { return value((tree, object.path(key)), expected, read) }
        if isRequired { fault(object.path(key), expected: expected, found: "nothing") }
        return nil
    }

    private mutating func value<Value>(
        _ element: DocumentElement,
        _ expected: String,
        _ read: (JSONTree) -> Value?
    ) -> Value? {
        if let value = read(element.value) { return value }
        fault(element.path, expected: expected, found: element.value.summary)
        return nil
    }

    /// An object.
    mutating func object(_ element: DocumentElement) -> DocumentObject? {
        value(element, "an object", \.objectValue).map { DocumentObject(path: element.path, members: $0) }
    }

    /// The object under a key, if there is one.
    mutating func object(_ parent: DocumentObject, _ key: String) -> DocumentObject? {
        guard let value = parent[key] else { return nil }
        return object((value, parent.path(key)))
    }

    /// The elements of the array under a key; none if it is absent.
    mutating func elements(_ object: DocumentObject, _ key: String, atMost limit: Int) -> [DocumentElement] {
        guard let elements = value(object, key, "an array", \.arrayValue) else { return [] }
        let path = object.path(key)
        guard elements.count <= limit else {
            fault(path, expected: "at most \(limit) elements", found: "\(elements.count)")
            return []
        }
        return elements.enumerated().map { ($0.element, "\(path)[\($0.offset)]") }
    }

    /// The objects of the array under a key.
    mutating func objects(_ object: DocumentObject, _ key: String, atMost limit: Int) -> [DocumentObject] {
        elements(object, key, atMost: limit).compactMap { self.object($0) }
    }

    /// Any text, within ``CatalogLimits/text``.
    mutating func text(_ object: DocumentObject, _ key: String) -> String? {
        guard let text = value(object, key, "a string", \.stringValue) else { return nil }
        guard text.utf8.count <= CatalogLimits.text else {
            let found = "\(text.utf8.count) bytes"
            fault(object.path(key), expected: "a string of at most \(CatalogLimits.text) bytes", found: found)
            return nil
        }
        return text
    }

    /// A non-empty text without control characters, within ``CatalogLimits/identifier``.
    mutating func identifier(_ object: DocumentObject, _ key: String, isRequired: Bool = true) -> String? {
        let expected = "a string of 1 to \(CatalogLimits.identifier) characters"
        let read = value(object, key, expected, isRequired: isRequired) { value in
            value.stringValue.flatMap { (1...CatalogLimits.identifier).contains($0.unicodeScalars.count) ? $0 : nil }
        }
        guard let text = read else { return nil }
        let found = JSONTree.string(text).summary
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            fault(object.path(key), expected: "no control characters", found: found)
            return nil
        }
        // A URL cannot contain `.` or `..` as a path segment.
        guard text != ".", text != ".." else {
            fault(object.path(key), expected: "an identifier other than . and ..", found: found)
            return nil
        }
        return text
    }

    /// Reads true or false; returns the default for an absent value.
    mutating func flag(_ object: DocumentObject, _ key: String, default standard: Bool = false) -> Bool {
        value(object, key, "true or false", \.boolValue) ?? standard
    }

    /// A whole number in a range, without a point or exponent.
    mutating func integer(
        _ object: DocumentObject,
        _ key: String,
        in range: ClosedRange<Int>,
        isRequired: Bool = false
    ) -> Int? {
        let expected =
            range.upperBound == .max
            ? "a whole number of at least \(range.lowerBound)"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return value(object, key, expected, isRequired: isRequired) { Self.integer($0, in: range) }
    }

    /// A whole number in a range.
    mutating func integer(_ element: DocumentElement, in range: ClosedRange<Int>, expected: String) -> Int? {
        value(element, expected) { Self.integer($0, in: range) }
    }

    private static func integer(_ value: JSONTree, in range: ClosedRange<Int>) -> Int? {
        guard case .number(let digits) = value, let number = Int(digits), range.contains(number) else { return nil }
        return number
    }

    /// Reports every key that is not allowed, so that a mistyped key is not ignored.
    mutating func onlyKeys(_ object: DocumentObject, _ allowed: [String], why: String = "") {
        for key in object.keys where !allowed.contains(key) && object[key] != nil {
            let expected = "one of the keys " + allowed.joined(separator: ", ") + why
            fault(object.path(key), expected: expected, found: "the key \"\(JSONTree.short(key))\"")
        }
    }

    /// Reads one of the permitted words under a key, and returns its meaning.
    mutating func choice<Meaning>(
        _ object: DocumentObject,
        _ key: String,
        of words: KeyValuePairs<String, Meaning>,
        isRequired: Bool = true
    ) -> Meaning? {
        value(object, key, Self.expected(words), isRequired: isRequired) { Self.choice($0, of: words) }
    }

    /// Reads one of the permitted words, and returns its meaning.
    mutating func choice<Meaning>(_ element: DocumentElement, of words: KeyValuePairs<String, Meaning>) -> Meaning? {
        value(element, Self.expected(words)) { Self.choice($0, of: words) }
    }

    private static func choice<Meaning>(_ value: JSONTree, of words: KeyValuePairs<String, Meaning>) -> Meaning? {
        words.first { $0.key == value.stringValue }?.value
    }

    private static func expected<Meaning>(_ words: KeyValuePairs<String, Meaning>) -> String {
        (words.count == 1 ? "" : "one of ") + words.map { "\"\($0.key)\"" }.joined(separator: ", ")
    }
}

extension DocumentReader {
    /// A period in ISO 8601, from a list of allowed periods.
    mutating func period(
        _ object: DocumentObject,
        _ key: String,
        oneOf allowed: [Period],
        why: String = ""
    ) -> Period? {
        let expected = (allowed.count == 1 ? "" : "one of ") + allowed.map(\.iso8601).joined(separator: ", ") + why
        return value(object, key, expected, isRequired: true) { value in
            value.stringValue.flatMap { Period(iso8601: $0) }.flatMap { allowed.contains($0) ? $0 : nil }
        }
    }

    /// An amount in a currency, as a string or a number.
    mutating func money(_ object: DocumentObject, _ key: String, currency: String, isRequired: Bool = true) -> Money? {
        let expected = "an amount of 0 or more with at most 3 decimals, such as \"4.99\""
        return value(object, key, expected, isRequired: isRequired) { value in
            let digits: String? =
                switch value {
                case .string(let text), .number(let text): text
                default: nil
                }
            return digits.flatMap(DecimalAmount.milliunits).map { Money(milliunits: $0, currency: currency) }
        }
    }

    /// Names and descriptions by language, under `localizations`.
    mutating func localizations(_ object: DocumentObject) -> [Localization] {
        objects(object, "localizations", atMost: CatalogLimits.localizations).compactMap { entry in
            guard let locale = identifier(entry, "locale") else { return nil }
            return Localization(
                locale: locale,
                displayName: text(entry, "displayName") ?? "",
                description: text(entry, "description") ?? ""
            )
        }
    }

    /// The code of an existing storefront; nil if absent.
    mutating func storefront(_ object: DocumentObject, _ key: String) -> String? {
        value(object, key, "the three capital letters of a storefront, such as \"USA\"") { value in
            value.stringValue.flatMap { Storefront(code: $0)?.code }
        }
    }

    /// One of Xcode's numbers for the renewal rate; nil if absent.
    mutating func timeRate(_ object: DocumentObject, _ key: String) -> Int? {
        guard let rate = integer(object, key, in: 0...Int.max) else { return nil }
        if CatalogRates.all.contains(rate) { return rate }
        let expected = "one of " + CatalogRates.all.map(String.init).joined(separator: ", ")
        fault(object.path(key), expected: expected, found: "the number \(rate)")
        return nil
    }
}

extension JSONTree {
    fileprivate var objectValue: [Member]? { if case .object(let members) = self { members } else { nil } }
    fileprivate var arrayValue: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }
    fileprivate var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var boolValue: Bool? { if case .bool(let flag) = self { flag } else { nil } }
}
