import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop

/// The form of an action, shown by `{{>action}}`. The schema of the operation gives the fields' types.
struct ActionForm: Sendable {
    /// A field of the form, named by its path in the request body, or by its name in the query.
    struct Field: Sendable {
        /// The kind of input field; nil if it follows from the schema.
        enum Kind: Sendable {
            /// A select field; the first option is the default.
            case choice([(value: String, name: String)])
            /// An amount such as 4.99, sent in thousandths.
            case money
            /// A percentage, sent in thousandths.
            case thousandths
            /// A choice of offers; each value is the kind and, after a colon, the identifier.
            case offer([(value: String, name: String)])
            /// A choice of all notification types with their subtypes.
            case notice
            /// A date and time in UTC.
            case instant
            /// Text of several lines.
            case lines
            /// A hidden field.
            case hidden
        }

        var name: String
        var label: String
        var kind: Kind?
        /// The initial value.
        var value: String
        /// An example, shown while the field is empty.
        var hint: String?
        /// A help text, always shown.
        var help: String?

        init(
            _ name: String,
            _ label: String,
            _ kind: Kind? = nil,
            value: String = "",
            hint: String? = nil,
            help: String? = nil
        ) {
            self.name = name
            self.label = label
            self.kind = kind
            self.value = value
            self.hint = hint
            self.help = help
        }
    }

    /// The ID of the operation.
    let operation: String
    /// The button's text.
    let label: String
    let fields: [Field]
    /// The path parameters of the request.
    let path: [String: String]
    /// The values of the request's other properties: the initial value of a field, or a hidden field.
    let values: [(name: String, value: String)]
    /// Distinguishes several forms of one operation on a page.
    let name: String
    /// The label of a file field; nil without one.
    let file: String?
    /// Whether the file is required.
    let needsFile: Bool
    /// The URL of the page that shows the result; nil for the page with the form.
    let back: String?
    /// Whether the action deletes something.
    let isDestructive: Bool
    /// The label of a checkbox that the user must tick to confirm; nil without one.
    let confirmation: String?

    /// A form that sends a request after the user has filled in the fields.
    ///
    /// - Parameters:
    ///   - request: the request with the values that the user need not enter. A property that has a field may be empty.
    ///   - fields: fields with the names of the request's properties.
    init(
        _ request: some ControlRequest,
        _ label: String,
        _ fields: [Field] = [],
        name: String = "",
        file: String? = nil,
        needsFile: Bool = true,
        back: String? = nil,
        isDestructive: Bool = false,
        confirmation: String? = nil
    ) {
        let parts = FormParts(request)
        (operation, path, values) = (parts.operation, parts.path, parts.fields)
        self.label = label
        self.fields = fields
        self.name = name
        self.file = file
        self.needsFile = needsFile
        self.back = back
        self.isDestructive = isDestructive
        self.confirmation = confirmation
    }

    /// The value for `{{>action}}`; a rejected form keeps its entered values.
    func value(_ page: PageRequest) -> PageValue {
        guard let operation = page.control[operation] else {
            assertionFailure("There is no operation \(operation)")
            return .nothing
        }
        assert(unknownFields(of: operation).isEmpty, "\(operation.id) has no \(unknownFields(of: operation))")
        let id = ([operation.id] + (name.isEmpty ? [] : [name])).joined(separator: "-")
        let refused = page.refused.flatMap { $0.id == id ? $0 : nil }
        let fields = fields + commonFields(of: operation) + Self.confirmationFields(of: operation, page)
        let hidden = values.filter { value in !fields.contains { $0.name == value.name } }
            .map { Field($0.name, "", .hidden, value: $0.value) }
        return [
            "id": .text(id), "operation": .text(operation.id), "label": .text(label), "proof": .text(page.proof),
            "once": .text(page.once),
            "back": .text(back ?? page.address), "isDestructive": .flag(isDestructive), "file": PageValue(file),
            "needsFile": .flag(needsFile),
            "confirmation": PageValue(confirmation),
            "path": FormParts.hiddenFields(hiddenPath),
            "fields": .list((hidden + fields.map(withRequestValue)).map { $0.value(in: id, operation, refused) }),
        ]
    }

    /// The field for the typed confirmation that the production guard demands.
    private static func confirmationFields(of operation: OperationForm, _ page: PageRequest) -> [Field] {
        guard page.shop.settings.guardsProduction, operation.productionEffect == .replaces else { return [] }
        let help = "This erases or replaces production data for good."
        return [Field("confirm", "Type “\(Shop.confirmationText)” to confirm", help: help)]
    }

    /// The fields that every form of an operation with fields has.
    private func commonFields(of operation: OperationForm) -> [Field] {
        guard !fields.isEmpty, operation.query.contains(where: { $0.name == "settle" }) else { return [] }
        let limits = [("", "No"), ("10", "Up to 10 seconds"), ("60", "Up to 60 seconds")]
        return [Field("settle", "Wait for delivery", .choice(limits))]
    }

    /// The path parameters that the user does not enter.
    private var hiddenPath: [String: String] {
        path.filter { part in !fields.contains { $0.name == "path.\(part.key)" } }
    }

    /// A field with the value of the request's property, unless it has another value.
    private func withRequestValue(_ field: Field) -> Field {
        switch field.kind {
        // The user enters these values in another unit, or several properties with one field.
        case .money?, .thousandths?, .instant?, .notice?, .offer?: return field
        case .choice?, .lines?, .hidden?, nil: break
        }
        var field = field
        if field.value.isEmpty { field.value = values.first { $0.name == field.name }?.value ?? "" }
        return field
    }

    /// The names of fields that are neither properties of the request nor the console's own.
    func unknownFields(of operation: OperationForm) -> [String] {
        let path = operation.parameters.map { "path.\($0)" }
        return fields.map(\.name).filter { name in
            !name.hasPrefix("_") && !path.contains(name)
                && operation.property(at: name.split(separator: ".").map(String.init)) == nil
        }
    }
}

extension ActionForm.Field {
    fileprivate func value(in form: String, _ operation: OperationForm, _ refused: RefusedForm?) -> PageValue {
        let path = name.split(separator: ".").map(String.init)
        let property = operation.property(at: path)
        let isInPath = path.first == "path"
        let (suffix, shape) = shape(property?.schema)
        let typed = refused.map { $0.form[name + suffix] ?? "" } ?? value
        let id = "\(form)-\(name)".replacing(".", with: "-")
        // A parameter in the path has no prefix in the error.
        let place = isInPath ? path.dropFirst().joined(separator: ".") : name
        let fault = refused?.fault(at: "$.\(place)").map { words(of: $0, typed, property?.schema) }
        let describing = [fault.map { _ in "\(id)-fault" }, help.map { _ in "\(id)-help" }].compactMap(\.self)
        var values: [String: PageValue] = [
            "id": .text(id), "name": .text(name + suffix), "help": PageValue(help),
            "describedBy": PageValue(describing.isEmpty ? nil : describing.joined(separator: " ")),
            "label": .text(label), "value": .text(typed), "hint": PageValue(hint),
            "isRequired": .flag(isInPath || property?.isRequired == true && path.count == 1),
            "fault": PageValue(fault),
            "isHidden": false, "isText": false, "isNumber": false, "isFlag": false, "isChoice": false, "isLines": false,
            "isInstant": false, "isChecked": .flag(typed == "true"), "options": .nothing,
        ]
        values[shape] = true
        switch choices(property) {
        case .choice(let options)?, .offer(let options)?:
            values["options"] = .list(
                options.map {
                    ["value": .text($0.value), "name": .text($0.name), "isChosen": .flag($0.value == typed)]
                }
            )
        default: break
        }
        return .object(values)
    }

    /// The error of a field, with bounds in the unit that the user enters.
    private func words(of fault: String, _ typed: String, _ schema: Schema?) -> String {
        guard case .integer(_, let range)? = schema?.plain else { return fault }
        let bounds = range.map { ", \(Words.thousandths($0.lowerBound)) to \(Words.thousandths($0.upperBound))" } ?? ""
        return switch kind {
        case .money?: "Enter an amount such as 4.99\(bounds)."
        case .thousandths?: "Enter a percentage such as 37.5\(bounds)."
        default: fault
        }
    }

    /// The suffix of the field name, which selects the parser, and the template's key for the kind of input field.
    private func shape(_ schema: Schema?) -> (suffix: String, shape: String) {
        switch (kind, schema?.plain) {
        case (.choice?, _): ("", "isChoice")
        case (.offer?, _): (":offer", "isChoice")
        case (.notice?, _): (":notice", "isChoice")
        case (.money?, _), (.thousandths?, _): (":money", "isText")
        case (.instant?, _): (":instant", "isInstant")
        case (.lines?, _), (nil, .array?), (nil, .anyObject?), (nil, .object?), (nil, .map?): ("", "isLines")
        case (.hidden?, _): ("", "isHidden")
        case (nil, .string(_, _, let words, _)?): ("", words.isEmpty ? "isText" : "isChoice")
        case (nil, .integer?), (nil, .integerOf?), (nil, .number?): ("", "isNumber")
        case (nil, .boolean?): ("", "isFlag")
        case (nil, .component?), (nil, nil): ("", "isText")
        }
    }

    private func choices(_ property: Schema.Property?) -> Kind? {
        if case .notice? = kind { return .choice(NotificationTable.everything.map { ($0, $0) }) }
        if let kind { return kind }
        guard case .string(_, _, let words, _)? = property?.schema.plain, !words.isEmpty else { return nil }
        let nothing: [(value: String, name: String)] = property?.isRequired == true ? [] : [("", "–")]
        return .choice(nothing + words.map { ($0, Words.sentence($0)) })
    }
}

/// A rejected form and its errors.
struct RefusedForm: Sendable {
    /// The form's ID.
    let id: String
    let form: FormData
    let error: ControlError

    /// The error at a path of the body.
    func fault(at path: String) -> String? {
        error.faults.first { $0.path == path || $0.path.hasPrefix(path + "[") }
            .map { $0.expected == error.message ? error.message : "Expected \($0.expected); found \($0.found)." }
    }
}
