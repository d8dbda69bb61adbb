import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop

/// A field of a form, named by its path in the request body, or by its name in the query. The schema of the operation
/// gives its type.
struct FormField: Sendable {
    /// An option of a select field.
    typealias Option = (value: String, name: String)

    /// The kind of input field; nil if it follows from the schema.
    enum Kind: Sendable {
        case text
        /// A select field; the first option is the default.
        case choice([Option])
        /// An amount such as 4.99, sent in thousandths.
        case money
        /// A percentage, sent in thousandths.
        case thousandths
        /// A text field that suggests values, with a description for each.
        case suggestions([Option])
        /// A choice of offers; each value is the kind and, after a colon, the identifier.
        case offer(OfferList)
        /// A choice of all notification types with their subtypes.
        case notice
        /// A date and time in UTC.
        case instant
        /// Text of several lines.
        case lines
        case hidden
    }

    let name: String
    let label: String
    let kind: Kind?
    /// The initial value.
    var value: String
    /// An example, shown while the field is empty.
    let hint: String?
    /// A help text, always shown.
    let help: String?

    init(
        _ name: String,
        _ label: String,
        _ kind: Kind? = nil,
        value: String = "",
        hint: String? = nil,
        help: String? = nil
    ) {
        (self.name, self.label, self.kind) = (name, label, kind)
        (self.value, self.hint, self.help) = (value, hint, help)
    }

    /// The field with the value of the request's property, unless it has another value.
    func withValue(of values: [(name: String, value: String)]) -> FormField {
        switch kind {
        // The user enters these values in another unit, or several properties with one field.
        case .money?, .thousandths?, .instant?, .notice?, .offer?: return self
        case .text?, .choice?, .suggestions?, .lines?, .hidden?, nil: break
        }
        var field = self
        if value.isEmpty { field.value = values.first { $0.name == name }?.value ?? "" }
        return field
    }

    /// The names of fields that are neither properties of the operation's request nor the console's own.
    static func unknown(_ fields: [FormField], in operation: OperationForm) -> [String] {
        let path = operation.parameters.map { "path.\($0)" }
        return fields.map(\.name).filter { name in
            !name.hasPrefix("_") && !path.contains(name)
                && operation.property(at: name.split(separator: ".").map(String.init)) == nil
        }
    }

    // MARK: Values

    /// The value for `{{>field}}` of a form that performs an operation.
    ///
    /// - Parameters:
    ///   - form: the ID of the form.
    ///   - refused: the rejected form, which keeps the entered values; nil without one.
    func value(in form: String, _ operation: OperationForm, _ refused: RefusedForm?) -> PageValue {
        let path = name.split(separator: ".").map(String.init)
        let property = operation.property(at: path)
        let typed = refused.map { $0.form[inputName] ?? "" } ?? value
        let fault = refused.flatMap { refused in
            refused.fault(at: place).map { words(of: $0, property?.schema, refused.error) }
        }
        let id = id(in: form)
        let describing = [fault.map { _ in "\(id)-fault" }, help.map { _ in "\(id)-help" }].compactMap(\.self)
        let described = describing.isEmpty ? nil : describing.joined(separator: " ")
        let common: PageValue = ["id": id, "name": inputName, "fault": fault, "describedBy": described]
        let offers = offers.map { $0.value(typed, of: refused?.form[OfferList.product]).with(common) }
        return value(id: id, name: inputName, typed, options(of: property), property?.schema).with(common).with([
            "help": help, "hasLimits": true, "offers": offers,
            "isRequired": path.first == "path" || property?.isRequired == true && path.count == 1,
        ])
    }

    /// The value for `{{>field}}` of a form that filters the list of an operation.
    ///
    /// - Parameter typed: the value in the query; nil if the list is not filtered by it.
    func value(inFilterOf operation: OperationForm, _ typed: String?) -> PageValue {
        let typed = typed ?? ""
        var options = options(of: nil)
        if let all = options {
            // A value from a link stays selected, even if it is not among the options.
            let isUnknown = !typed.isEmpty && !all.contains { $0.value == typed }
            options = [("", "Any")] + all + (isUnknown ? [(typed, typed)] : [])
        }
        return value(id: "filter-\(name)", name: name, typed, options, operation.property(at: [name])?.schema)
    }

    private func value(id: String, name: String, _ typed: String, _ options: [Option]?, _ schema: Schema?) -> PageValue
    {
        PageValue.object([shape(schema): .flag(true)]).with([
            "id": id, "name": name, "label": label, "value": typed, "hint": hint, "isChecked": typed == "true",
            "options": options?.listed { ["value": $0.value, "name": $0.name, "isChosen": $0.value == typed] },
            "hasSuggestions": !suggestions.isEmpty,
            "suggestions": suggestions.listed { ["value": $0.value, "name": $0.name] },
        ])
    }

    /// The values that a text field suggests.
    private var suggestions: [Option] {
        if case .suggestions(let options)? = kind { options } else { [] }
    }

    private var offers: OfferList? {
        if case .offer(let list)? = kind { list } else { nil }
    }

    /// The ID of the input element in a form.
    func id(in form: String) -> String { "\(form)-\(name)".replacing(".", with: "-") }

    /// The path in errors. A parameter in the path of the URL has no prefix there.
    var place: String { "$.\(name.hasPrefix("path.") ? String(name.dropFirst(5)) : name)" }

    /// The error of the field, with its label, and with bounds in the unit that the user enters.
    private func words(of fault: JSONFault, _ schema: Schema?, _ error: ControlError) -> String {
        if case .integer(_, let range)? = schema?.plain {
            let bounds =
                range.map { ", \(Words.thousandths($0.lowerBound)) to \(Words.thousandths($0.upperBound))" } ?? ""
            switch kind {
            case .money?: return "Enter an amount such as 4.99\(bounds)."
            case .thousandths?: return "Enter a percentage such as 37.5\(bounds)."
            default: break
            }
        }
        guard fault.expected == error.message else { return Self.sentence(fault) }
        let property = name.split(separator: ".").last.map { "\($0) " } ?? ""
        guard !property.isEmpty, error.message.hasPrefix(property) else { return error.message }
        return "\(label) \(error.message.dropFirst(property.count))"
    }

    /// An error as a sentence. An error of a value that was rejected is a sentence already.
    static func sentence(_ fault: JSONFault) -> String {
        if fault.expected.contains("is not a storefront") { return "Enter a storefront, such as USA or DEU." }
        if fault.expected.hasSuffix(".") { return fault.expected }
        return fault.found == "nothing" ? "Enter a value." : "Expected \(fault.expected); found \(fault.found)."
    }

    /// The name in the sent form.
    var inputName: String { name + suffix }

    /// The suffix of the field's name, which selects the parser of its value.
    private var suffix: String {
        switch kind {
        case .offer?: ":offer"
        case .notice?: ":notice"
        case .money?, .thousandths?: ":money"
        case .instant?: ":instant"
        case .text?, .choice?, .suggestions?, .lines?, .hidden?, nil: ""
        }
    }

    /// The template's key for the kind of input field.
    private func shape(_ schema: Schema?) -> String {
        switch (kind, schema?.plain) {
        case (.choice?, _), (.notice?, _): "isChoice"
        case (.offer?, _): "isOffer"
        case (.suggestions?, .integer?), (.suggestions?, .integerOf?): "isNumber"
        case (.text?, _), (.suggestions?, _), (.money?, _), (.thousandths?, _): "isText"
        case (.instant?, _): "isInstant"
        case (.lines?, _), (nil, .array?), (nil, .anyObject?), (nil, .object?), (nil, .map?): "isLines"
        case (.hidden?, _): "isHidden"
        case (nil, .string(_, _, let words, _)?): words.isEmpty ? "isText" : "isChoice"
        case (nil, .integer?), (nil, .integerOf?), (nil, .number?): "isNumber"
        case (nil, .boolean?): "isFlag"
        case (nil, .component?), (nil, nil): "isText"
        }
    }

    /// The options of a select field; nil for another field.
    private func options(of property: Schema.Property?) -> [Option]? {
        switch kind {
        case .choice(let options)?: return options
        case .notice?: return NotificationTable.everything.map { ($0, $0) }
        case nil: break
        default: return nil
        }
        guard case .string(_, _, let words, _)? = property?.schema.plain, !words.isEmpty else { return nil }
        return (property?.isRequired == true ? [] : [("", "–")]) + words.map { ($0, Words.sentence($0)) }
    }
}

/// A rejected form and its errors.
struct RefusedForm: Sendable {
    /// The form's ID.
    let id: String
    let form: FormData
    let error: ControlError

    /// Whether the user filled in a field, or the field has an error.
    func hasValue(of field: FormField) -> Bool {
        form[field.inputName]?.isEmpty == false || fault(at: field.place) != nil
    }

    /// The error at a path of the body.
    func fault(at path: String) -> JSONFault? { error.faults.first { Self.isFault($0, at: path) } }

    /// Whether an error belongs to the field with this path.
    static func isFault(_ fault: JSONFault, at path: String) -> Bool {
        // The paths of parameters of the URL and the query have no prefix.
        fault.path == path || fault.path.hasPrefix(path + "[") || "$.\(fault.path)" == path
    }
}
