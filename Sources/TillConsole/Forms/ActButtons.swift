import TillServer

/// Acts that need nothing but a press: `{{>acts}}` shows a row of them, as one form with a button for each.
struct ActButtons: Sendable {
    /// One of the acts.
    struct Button: Sendable {
        /// The operation id of the verb.
        var verb: String
        /// What stands on it.
        var label: String
        /// A place in the verb's body, with what it says there; nil for a body without anything.
        var field: (name: String, value: String)?
        /// Whether it takes something away.
        var isGrave = false

        init(_ verb: String, _ label: String, _ name: String? = nil, _ value: String = "", isGrave: Bool = false) {
            self.verb = verb
            self.label = label
            field = name.map { ($0, value) }
            self.isGrave = isGrave
        }
    }

    /// Tells the row apart from others on the page.
    let id: String
    let buttons: [Button]
    /// Parameters of the verbs' paths beside those of the page.
    var parameters: [String: String] = [:]

    /// The row for `{{>acts}}`; nothing without a button.
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
                        "isGrave": .flag(button.isGrave),
                    ]
                }
            ),
        ]
    }
}
