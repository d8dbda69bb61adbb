import TillServer

/// A row of actions without input fields. `{{>actions}}` shows it as one form with a button per action.
struct ActionButtons: Sendable {
    /// The button of an action.
    struct Button: Sendable {
        /// The ID of the control operation.
        var verb: String
        /// The button's text.
        var label: String
        /// A field of the request body and its value; nil for an empty body.
        var field: (name: String, value: String)?
        /// Whether the action deletes something.
        var isDestructive = false

        init(_ verb: String, _ label: String, _ name: String? = nil, _ value: String = "", isDestructive: Bool = false)
        {
            self.verb = verb
            self.label = label
            field = name.map { ($0, value) }
            self.isDestructive = isDestructive
        }
    }

    /// The ID of the form element, unique on the page.
    let id: String
    let buttons: [Button]
    /// Path parameters in addition to those of the page.
    var parameters: [String: String] = [:]

    /// The value for `{{>actions}}`; nothing if there are no buttons.
    func value(_ page: PageRequest) -> PageValue {
        let known = buttons.compactMap { button in page.verbs[button.verb].map { (button, $0) } }
        guard !known.isEmpty else { return .nothing }
        var path: [String: String] = [:]
        for key in known.flatMap(\.1.parameters) { path[key] = parameters[key] ?? page.parameters[key] }
        return [
            "id": .text(id), "proof": .text(page.proof), "once": .text(page.once), "back": .text(page.address),
            "first": .text(known[0].0.verb),
            "path": .list(path.sorted { $0.key < $1.key }.map { ["name": .text($0.key), "value": .text($0.value)] }),
            "buttons": .list(
                known.map { button, _ in
                    [
                        "id": .text([id, button.verb, button.field?.value].compactMap(\.self).joined(separator: "-")),
                        "verb": .text(button.verb), "label": .text(button.label),
                        "name": PageValue(button.field?.name), "value": PageValue(button.field?.value),
                        "isDestructive": .flag(button.isDestructive),
                    ]
                }
            ),
        ]
    }
}
