import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillServer
import TillShop

/// Form data sent by a browser: fields and optionally a file.
struct FormData: Equatable, Sendable {
    /// A named field.
    struct Field: Equatable, Sendable {
        let name: String
        let value: String
    }

    var fields: [Field] = []
    /// The uploaded file; nil if none was selected.
    var file: [UInt8]?

    /// The first value of a field.
    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension FormData {
    /// The size limit of a form without a file. It is above the limit of every request body.
    private static let maxBytes = 512 * 1_024
    private static let maxFields = 500
    /// The names in the console's own forms are below these limits. A name is a path in the request body, so its depth
    /// must be limited.
    private static let maxNameLength = 256
    private static let maxParts = 8

    /// Reads a form as browsers send it.
    ///
    /// - Throws: `ControlError`.
    init(_ request: Request, mayHaveFile: Bool = true) async throws {
        let type = request.headers[.contentType] ?? ""
        let isMultipart = mayHaveFile && type.lowercased().hasPrefix("multipart/form-data")
        let limit = isMultipart ? CatalogLimits.bytes + Self.maxBytes : Self.maxBytes
        let bytes: [UInt8]
        do {
            bytes = Array(buffer: try await request.body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw ControlError.badForm("The form has more than \(limit) bytes.")
        }
        self = isMultipart ? try Self.multipart(bytes, type) : try Self.encoded(bytes)
    }

    /// Reads `application/x-www-form-urlencoded`.
    static func encoded(_ bytes: [UInt8]) throws(ControlError) -> FormData {
        guard let text = String(validating: bytes, as: UTF8.self), let items = Address.items(text) else {
            throw .badForm(
                "The form must be percent-encoded UTF-8 without U+0000 and have at most \(Self.maxFields) fields."
            )
        }
        var form = FormData()
        for item in items { try form.add(item.name, item.value) }
        return form
    }

    // MARK: Multipart

    /// Reads `multipart/form-data` as browsers send it (RFC 7578).
    static func multipart(_ bytes: [UInt8], _ type: String) throws(ControlError) -> FormData {
        let broken = ControlError.badForm("The form is not valid multipart/form-data.")
        guard let boundary = boundary(in: type) else { throw broken }
        let mark = Array("--\(boundary)".utf8)
        guard bytes.starts(with: mark) else { throw broken }
        var form = FormData()
        var rest = bytes[mark.count...]
        while !rest.starts(with: Array("--".utf8)) {
            guard form.fields.count < maxFields, rest.starts(with: lineEnd) else { throw broken }
            rest = rest.dropFirst(lineEnd.count)
            guard let head = rest.firstRange(of: lineEnd + lineEnd) else { throw broken }
            guard let end = rest[head.upperBound...].firstRange(of: lineEnd + mark) else { throw broken }
            try form.addPart(rest[rest.startIndex..<head.lowerBound], rest[head.upperBound..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        return form
    }

    private static let lineEnd = Array("\r\n".utf8)

    private mutating func addPart(_ head: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(ControlError) {
        let broken = ControlError.badForm("A part of the form has no name, is not UTF-8, or contains U+0000.")
        guard let text = String(validating: head, as: UTF8.self) else { throw broken }
        let line = text.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("content-disposition:") }
        guard let line, let name = Self.parameter("name", of: line) else { throw broken }
        if let file = Self.parameter("filename", of: line) {
            // If no file is selected, browsers send an empty file without a name.
            if !file.isEmpty || !value.isEmpty { self.file = Array(value) }
            return
        }
        guard let value = String(validating: value, as: UTF8.self), !value.utf8.contains(0) else { throw broken }
        try add(name, value)
    }

    /// - Throws: `ControlError` for a name that is too long or too deep.
    private mutating func add(_ name: String, _ value: String) throws(ControlError) {
        let dots = name.utf8.count <= Self.maxNameLength ? name.utf8.count { $0 == UInt8(ascii: ".") } : .max
        guard dots < Self.maxParts else {
            throw .badForm("A field name has more than \(Self.maxNameLength) bytes or \(Self.maxParts) parts.")
        }
        fields.append(Field(name: name, value: value))
    }

    private static func boundary(in type: String) -> String? {
        guard let range = type.range(of: "boundary=") else { return nil }
        let text = type[range.upperBound...].prefix { $0 != ";" }.trimmingCharacters(in: .init(charactersIn: "\" "))
        return (1...70).contains(text.utf8.count) ? text : nil
    }

    /// The value of `name="…"`; browsers encode quotation marks as %22.
    private static func parameter(_ name: String, of line: String) -> String? {
        guard let begin = line.range(of: "; \(name)=\"") else { return nil }
        let rest = line[begin.upperBound...]
        guard let end = rest.firstIndex(of: "\"") else { return nil }
        return String(rest[..<end]).replacing("%22", with: "\"").replacing("%0D", with: "\r")
            .replacing("%0A", with: "\n")
    }
}
