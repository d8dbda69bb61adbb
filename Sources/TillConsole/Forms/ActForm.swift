import TillCore
import TillServer
import TillShop

/// A form by which something is done: `{{>act}}` shows it. Its fields are typed and explained by the verb's own schema.
struct ActForm: Sendable {
    /// A field of the form, by its place in the verb's body.
    struct Field: Sendable {
        /// How it is filled in; nil is what the schema says.
        enum Kind: Sendable {
            /// A choice; the first is what is chosen unless another is.
            case choice([(value: String, name: String)])
            /// An amount such as 4.99, which the verb takes in thousandths.
            case money
            /// The same of a percentage.
            case thousandths
            /// A choice of offers, each with its kind and, behind a colon, its identifier.
            case offer([(value: String, name: String)])
            /// A choice of all types of notifications, each with the subtypes that go with it.
            case notice
            /// A date and time, UTC.
            case instant
            /// Several lines.
            case lines
            /// A whole number of a body whose shape no schema says.
            case number
            /// A flag of such a body.
            case flag
            /// There, but not seen.
            case hidden
        }

        var name: String
        var label: String
        var kind: Kind?
        /// What it says at first.
        var value: String
        /// An example, shown while it is empty.
        var hint: String?
        /// A sentence that is always there.
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

    /// The operation id of the verb.
    let verb: String
    /// What stands on the button.
    let label: String
    let fields: [Field]
    /// Parameters of the verb's path beside those of the page.
    var parameters: [String: String] = [:]
    /// Tells several forms of one verb on a page apart.
    var name = ""
    /// The label of a file that goes along.
    var file: String?
    /// Whether nothing is sent without the file.
    var needsFile = true
    /// The page on which its effect is shown; nil for the one on which it stands.
    var back: String?
    /// Whether it takes something away for good.
    var isGrave = false
    /// What must be ticked before a browser sends it; nil for nothing.
    var confirmation: String?

    init(
        _ verb: String,
        _ label: String,
        _ fields: [Field] = [],
        parameters: [String: String] = [:],
        name: String = "",
        file: String? = nil,
        needsFile: Bool = true,
        back: String? = nil,
        isGrave: Bool = false,
        confirmation: String? = nil
    ) {
        self.verb = verb
        self.label = label
        self.fields = fields
        self.parameters = parameters
        self.name = name
        self.file = file
        self.needsFile = needsFile
        self.back = back
        self.isGrave = isGrave
        self.confirmation = confirmation
    }

    /// The form for `{{>act}}`; what was refused a moment ago stands in it again.
    func value(_ page: PageRequest) -> PageValue {
        guard let verb = page.verbs[verb] else { return .nothing }
        var path: [String: String] = [:]
        for key in verb.parameters { path[key] = parameters[key] ?? page.parameters[key] }
        let id = ([self.verb] + (name.isEmpty ? [] : [name])).joined(separator: "-")
        let refused = page.refused.flatMap { $0.id == id ? $0 : nil }
        return [
            "id": .text(id), "verb": .text(self.verb), "label": .text(label), "proof": .text(page.proof),
            "once": .text(page.once),
            "back": .text(back ?? page.address), "isGrave": .flag(isGrave), "file": PageValue(file),
            "needsFile": .flag(needsFile),
            "confirmation": PageValue(confirmation),
            "path": .list(
                path.sorted { $0.key < $1.key }.map { ["name": .text($0.key), "value": .text($0.value)] }
            ),
            "fields": .list(fields.map { $0.value(in: id, verb, refused) }),
        ]
    }
}

extension ActForm.Field {
    fileprivate func value(in form: String, _ verb: ControlVerb, _ refused: RefusedForm?) -> PageValue {
        let path = name.split(separator: ".").map(String.init)
        let property = verb.request?.property(at: path)
        let (suffix, shape) = shape(property?.schema)
        let typed = refused.map { $0.form[name + suffix] ?? "" } ?? value
        let id = "\(form)-\(name)".replacing(".", with: "-")
        let fault = refused?.fault(at: "$.\(name)").map { words(of: $0, typed, property?.schema) }
        let describing = [fault.map { _ in "\(id)-fault" }, help.map { _ in "\(id)-help" }].compactMap(\.self)
        var values: [String: PageValue] = [
            "id": .text(id), "name": .text(name + suffix), "help": PageValue(help),
            "describedBy": PageValue(describing.isEmpty ? nil : describing.joined(separator: " ")),
            "label": .text(label), "value": .text(typed), "hint": PageValue(hint),
            "isRequired": .flag(property?.isRequired == true && path.count == 1),
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

    /// What was wrong, in the unit in which it was typed.
    private func words(of fault: String, _ typed: String, _ schema: Schema?) -> String {
        guard case .integer(_, let range)? = schema else { return fault }
        let bounds = range.map { ", \(Words.thousandths($0.lowerBound)) to \(Words.thousandths($0.upperBound))" } ?? ""
        return switch kind {
        case .money?: "An amount such as 4.99\(bounds)."
        case .thousandths?: "A percentage such as 37.5\(bounds)."
        default: fault
        }
    }

    /// What is put behind the name so that it is read rightly, and the template's word for the field.
    private func shape(_ schema: Schema?) -> (suffix: String, shape: String) {
        switch (kind, schema) {
        case (.choice?, _): ("", "isChoice")
        case (.offer?, _): (":offer", "isChoice")
        case (.notice?, _): (":notice", "isChoice")
        case (.money?, _), (.thousandths?, _): (":money", "isText")
        case (.instant?, _): (":instant", "isInstant")
        case (.number?, _): (":json", "isNumber")
        case (.flag?, _): (":json", "isFlag")
        case (.lines?, _), (nil, .array?), (nil, .anyObject?), (nil, .object?): ("", "isLines")
        case (.hidden?, _): ("", "isHidden")
        case (nil, .string(_, _, let words, _)?): ("", words.isEmpty ? "isText" : "isChoice")
        case (nil, .integer?): ("", "isNumber")
        case (nil, .boolean?): ("", "isFlag")
        case (nil, nil): ("", "isText")
        }
    }

    private func choices(_ property: Schema.Property?) -> Kind? {
        if case .notice? = kind { return .choice(NotificationList.everything.map { ($0, $0) }) }
        if let kind { return kind }
        guard case .string(_, _, let words, _)? = property?.schema, !words.isEmpty else { return nil }
        let nothing: [(value: String, name: String)] = property?.isRequired == true ? [] : [("", "–")]
        return .choice(nothing + words.map { ($0, Words.sentence($0)) })
    }
}

/// A form that was refused, and where.
struct RefusedForm: Sendable {
    /// Which form it was.
    let id: String
    let form: FormData
    let error: ControlError

    /// What was wrong at a place of the body.
    func fault(at path: String) -> String? {
        error.faults.first { $0.path == path || $0.path.hasPrefix(path + "[") }
            .map { $0.expected == error.message ? error.message : "Expected \($0.expected); found \($0.found)." }
    }
}
