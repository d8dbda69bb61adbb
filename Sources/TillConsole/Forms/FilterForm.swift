/// A form that filters a list, shown by `{{>filter}}`. Its fields become the page's query.
struct FilterForm: Sendable {
    /// A field, named by its query parameter.
    struct Field: Sendable {
        /// The kind of input field.
        enum Kind: Sendable {
            case text(hint: String)
            case choice([String])
            case instant
            case flag
        }

        let name: String
        let label: String
        let kind: Kind

        init(_ name: String, _ label: String, _ kind: Kind) {
            self.name = name
            self.label = label
            self.kind = kind
        }
    }

    /// The list's path.
    let address: String
    let fields: [Field]

    /// The value for `{{>filter}}`, with the current query.
    func value(_ page: PageRequest) -> PageValue {
        let isFiltered = fields.contains { page.value($0.name) != nil }
        return [
            "address": .text(address), "isFiltered": .flag(isFiltered),
            "fields": .list(fields.map { $0.value(page.value($0.name) ?? "") }),
        ]
    }

    /// The active filters, for links to further pages.
    func query(_ page: PageRequest) -> [(name: String, value: String)] {
        fields.compactMap { field in page.value(field.name).map { (name: field.name, value: $0) } }
    }
}

extension FilterForm.Field {
    fileprivate func value(_ typed: String) -> PageValue {
        var values: [String: PageValue] = [
            "id": .text("filter-\(name)"), "name": .text(name), "label": .text(label), "value": .text(typed),
            "isText": false, "isChoice": false, "isInstant": false, "isFlag": false,
            "isChecked": .flag(typed == "true"), "hint": .nothing, "options": .nothing,
        ]
        switch kind {
        case .text(let hint):
            values["isText"] = true
            values["hint"] = .text(hint)
        case .instant: values["isInstant"] = true
        case .flag: values["isFlag"] = true
        case .choice(let words):
            values["isChoice"] = true
            // A value from a link stays selected, even if it is not among the options.
            let all = [""] + words + (typed.isEmpty || words.contains(typed) ? [] : [typed])
            values["options"] = .list(
                all.map {
                    [
                        "value": .text($0), "name": .text($0.isEmpty ? "Any" : $0), "isChosen": .flag($0 == typed),
                    ]
                }
            )
        }
        return .object(values)
    }
}
