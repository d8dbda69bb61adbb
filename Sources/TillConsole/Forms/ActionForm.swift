import TillControl
import TillJSON
import TillServer
import TillShop

extension PageRequest {
    /// A form that sends a request after the user has filled in the fields, for `{{>action}}`.
    ///
    /// - Parameters:
    ///   - request: the request with the values that the user need not enter. A property that has a field may be empty.
    ///   - label: the button's text.
    ///   - fields: fields with the names of the request's properties.
    ///   - more: fields that are rarely needed, below “More options”.
    ///   - name: distinguishes several forms of one operation on a page.
    ///   - file: the label of a file field; nil without one.
    ///   - back: the URL of the page that shows the result; nil for this page.
    ///   - isDestructive: whether the action deletes something.
    ///   - confirmation: the label of a checkbox that the user must tick to confirm; nil without one.
    func form(
        _ request: some ControlRequest,
        _ label: String,
        _ fields: [FormField] = [],
        more: [FormField] = [],
        name: String? = nil,
        file: String? = nil,
        needsFile: Bool = true,
        back: String? = nil,
        isDestructive: Bool = false,
        confirmation: String? = nil
    ) -> PageValue {
        let parts = FormParts(request)
        guard let operation = control[parts.operation] else {
            assertionFailure("There is no operation \(parts.operation)")
            return .nothing
        }
        let unknown = FormField.unknown(fields + more, in: operation)
        assert(unknown.isEmpty, "\(operation.id) has no \(unknown)")
        let id = operation.id + (name.map { "-\($0)" } ?? "")
        let refused = refused.flatMap { $0.id == id ? $0 : nil }
        let fields = fields + (fields.isEmpty ? [] : settleFields(of: operation)) + confirmationFields(of: operation)
        let names = Set((fields + more).map(\.name))
        if let refused { rejected.add(fields + more, of: refused) }
        let hidden = parts.fields.filter { !names.contains($0.name) }
            .map { FormField($0.name, "", .hidden, value: $0.value) }
        return formBase(id, parts.path.filter { !names.contains("path.\($0.key)") }).with([
            "operation": operation.id, "label": label, "back": back ?? address, "isDestructive": isDestructive,
            "file": file, "needsFile": needsFile, "confirmation": confirmation,
            "isRefused": refused != nil, "hasMore": !more.isEmpty,
            "isMoreOpen": more.contains { refused?.hasValue(of: $0) == true },
            "more": more.map { $0.withValue(of: parts.fields) }.listed { $0.value(in: id, operation, refused) },
            "fields": (hidden + fields.map { $0.withValue(of: parts.fields) }).listed {
                $0.value(in: id, operation, refused)
            },
        ])
    }

    /// The field for the typed confirmation that the production guard demands.
    private func confirmationFields(of operation: OperationForm) -> [FormField] {
        guard shop.settings.guardsProduction, operation.productionEffect == .replaces else { return [] }
        let help = "This erases or replaces production data for good."
        return [FormField("confirm", "Type “\(Settings.confirmationText)” to confirm", help: help)]
    }

    /// The field that every form of an operation with notifications has, if it has other fields.
    private func settleFields(of operation: OperationForm) -> [FormField] {
        guard operation.query.contains(where: { $0.name == "settle" }) else { return [] }
        let limits = [("", "No"), ("10", "Up to 10 seconds"), ("60", "Up to 60 seconds")]
        return [FormField("settle", "Wait for delivery", .choice(limits))]
    }

    /// A row of actions without input fields, for `{{>actions}}`: one form with a button per action. It is `nothing`
    /// without buttons.
    ///
    /// - Parameter id: the ID of the form element, unique on the page.
    func buttons(_ id: String, _ buttons: [ActionButton]) -> PageValue {
        guard let first = buttons.first else { return .nothing }
        let path = buttons.flatMap(\.parts.path).reduce(into: [String: String]()) { path, part in
            let isSame = path[part.key] ?? part.value == part.value
            assert(isSame, "The buttons of \(id) have different values of \(part.key)")
            path[part.key] = part.value
        }
        return formBase(id, path).with([
            "first": first.parts.operation, "back": address,
            "buttons": buttons.listed { button in
                let (operation, field) = (button.parts.operation, button.parts.fields.first)
                return [
                    "id": [id, operation, field?.value].compactMap(\.self).joined(separator: "-"),
                    "operation": operation, "label": button.label, "name": field?.name, "value": field?.value,
                    "isDestructive": button.isDestructive,
                ]
            },
        ])
    }

    /// The hidden fields of every form that performs an operation.
    private func formBase(_ id: String, _ path: [String: String]) -> PageValue {
        [
            "id": id, "proof": proof, "once": once,
            "path": path.sorted { $0.key < $1.key }.listed { ["name": $0.key, "value": $0.value] },
        ]
    }
}

/// The button of an action without input fields. It sends a request whose body has at most one property.
struct ActionButton: Sendable {
    /// The button's text.
    let label: String
    let parts: FormParts
    /// Whether the action deletes something.
    let isDestructive: Bool

    init(_ label: String, _ request: some ControlRequest, isDestructive: Bool = false) {
        parts = FormParts(request)
        assert(parts.fields.count <= 1, "\(parts.operation) needs a form, because its body has several properties")
        (self.label, self.isDestructive) = (label, isDestructive)
    }
}

/// A request as the names and values of a form.
struct FormParts: Sendable {
    /// The ID of the operation.
    let operation: String
    /// The path parameters.
    let path: [String: String]
    /// The other properties that have a value, with `.` between the keys of nested objects.
    let fields: [(name: String, value: String)]

    init<Request: ControlRequest>(_ request: Request) {
        operation = Request.operationID
        // The types of the contract encode without errors.
        let parts = try? RequestParts(request)
        path = parts?.path ?? [:]
        fields = (parts?.query ?? []) + Self.fields(parts?.others ?? [], in: "")
    }

    private static func fields(_ members: [JSONTree.Member], in parent: String) -> [(name: String, value: String)] {
        members.flatMap { member in
            let name = parent + member.key
            if !member.value.members.isEmpty { return fields(member.value.members, in: name + ".") }
            // A list is shown as lines.
            let lines = member.value.elements.compactMap(\.text)
            return [(name, member.value.text ?? lines.joined(separator: "\n"))]
        }
    }
}
