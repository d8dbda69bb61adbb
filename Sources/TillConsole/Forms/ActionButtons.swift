import TillControl
import TillJSON
import TillServer

/// A row of actions without input fields. `{{>actions}}` shows it as one form with a button per action.
struct ActionButtons: Sendable {
    /// The button of an action.
    struct Button: Sendable {
        /// The ID of the operation.
        let operation: String
        /// The button's text.
        let label: String
        /// The path parameters of the request.
        let path: [String: String]
        /// The property of the request body and its value; nil for an empty body.
        let field: (name: String, value: String)?
        /// Whether the action deletes something.
        let isDestructive: Bool

        /// A button that sends a request, whose body has at most one property.
        init(_ label: String, _ request: some ControlRequest, isDestructive: Bool = false) {
            let parts = FormParts(request)
            assert(parts.fields.count <= 1, "\(parts.operation) needs a form, because its body has several properties")
            self.label = label
            self.isDestructive = isDestructive
            (operation, path, field) = (parts.operation, parts.path, parts.fields.first)
        }
    }

    /// The ID of the form element, unique on the page.
    let id: String
    let buttons: [Button]

    /// The value for `{{>actions}}`; nothing if there are no buttons.
    func value(_ page: PageRequest) -> PageValue {
        guard let first = buttons.first else { return .nothing }
        let path = buttons.flatMap(\.path).reduce(into: [String: String]()) { path, part in
            assert(
                path[part.key] ?? part.value == part.value,
                "The buttons of \(id) have different values of \(part.key)"
            )
            path[part.key] = part.value
        }
        return [
            "id": .text(id), "proof": .text(page.proof), "once": .text(page.once), "back": .text(page.address),
            "first": .text(first.operation), "path": FormParts.hiddenFields(path),
            "buttons": .list(
                buttons.map { button in
                    let id = [id, button.operation, button.field?.value].compactMap(\.self).joined(separator: "-")
                    return [
                        "id": .text(id), "operation": .text(button.operation), "label": .text(button.label),
                        "name": PageValue(button.field?.name), "value": PageValue(button.field?.value),
                        "isDestructive": .flag(button.isDestructive),
                    ]
                }
            ),
        ]
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

    /// Hidden fields with path parameters.
    static func hiddenFields(_ path: [String: String]) -> PageValue {
        .list(path.sorted { $0.key < $1.key }.map { ["name": .text($0.key), "value": .text($0.value)] })
    }
}
