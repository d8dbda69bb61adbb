import Synchronization
import TillJSON
import TillServer

/// The fields of a page that have errors of the rejected form. The page collects them while it is rendered, and the
/// result of the action above the page links to them, so that each error appears once.
final class RejectedFields: Sendable {
    /// A field with an error.
    struct Field: Sendable {
        /// The ID of the input element.
        let id: String
        let label: String
        /// The path in the body.
        let path: String
    }

    private let all = Mutex<[Field]>([])

    var fields: [Field] { all.withLock { $0 } }

    /// Adds the fields of the rejected form that have an error.
    func add(_ fields: [FormField], of refused: RefusedForm) {
        let found = fields.filter { refused.fault(at: $0.place) != nil }
            .map { Field(id: $0.id(in: refused.id), label: $0.label, path: $0.place) }
        all.withLock { $0 += found }
    }
}

extension Effect {
    /// The errors of a rejected action: links to the fields that have errors, and every other error as a sentence.
    static func rejection(_ error: ControlError, _ page: PageRequest) -> PageValue {
        let fields = page.rejected.fields
        let others = error.faults.filter { fault in !fields.contains { RefusedForm.isFault(fault, at: $0.path) } }
        let isShownAtFields = !fields.isEmpty && others.isEmpty
        var message = error.message.replacing("till endpoint create", with: "“Set endpoint”")
        // The message of an invalid body repeats the errors.
        if error.code == "bad_request", !error.faults.isEmpty { message = "The form has errors." }
        return [
            "isRefused": true, "message": isShownAtFields ? nil : message,
            "fields": fields.listed { ["id": $0.id, "label": $0.label] },
            // Omits errors whose text is the same as the message.
            "faults": others.filter { $0.expected != error.message }.prefix(20).listed {
                ["path": $0.path, "words": FormField.sentence($0)]
            },
            "endpointLink": error.code == "no_endpoint"
                ? page.link(.environment) + EnvironmentSettingsForm.endpoints : nil,
        ]
    }
}
