import TillControl
import TillCore
import TillServer
import TillShop

/// On a server with the production guard, the console asks before an operation that cannot be undone
/// (docs/operating/production-guard.md).
extension Console {
    /// Whether the console asks before it runs the operation of a form.
    func needsConfirmation(_ operation: OperationForm, _ form: FormData) -> Bool {
        guard shop.settings.guardsProduction, operation.isIrreversible, form["_confirmed"] != "true" else {
            return false
        }
        // A form that replaces all data has a field for the typed confirmation.
        guard operation.productionEffect != .replaces, form["dryRun"] != "true" else { return false }
        return form["path.environment"] != StoreEnvironment.sandbox.rawValue
    }

    /// A page that shows a form's values and sends the form again when the user confirms.
    func confirmation(of operation: OperationForm, _ form: FormData, back: String, _ session: Session)
        -> RenderedPage
    {
        let title = Actions.title(operation, form)
        let shown = form.fields.filter { !$0.name.hasPrefix("_") && !$0.value.isEmpty }
        let values: PageValue = [
            "title": "\(title)?", "operation": operation.id, "label": title, "back": back,
            "fields": form.fields.listed { ["name": $0.name, "value": $0.value] },
            "facts": shown.listed {
                let name = String($0.name.prefix { $0 != ":" }.trimmingPrefix("path."))
                return ["name": Words.sentence(name), "value": $0.value]
            },
        ]
        var request = request("/console/", session)
        request.parameters = FormBody.parameters(form)
        return render(values, "confirmation", request)
    }

    /// The band above every page of production, and above every page of a server that guards production.
    func band(_ request: PageRequest) -> String? {
        let environment = request.parameters["environment"]
        if environment == StoreEnvironment.sandbox.rawValue { return nil }
        let guarding = "clocks show real time, and you confirm what cannot be undone."
        let isGuarded = shop.settings.guardsProduction
        guard environment != nil else { return isGuarded ? "This server guards production: \(guarding)" : nil }
        return isGuarded ? "Production, guarded: \(guarding)" : "Production"
    }
}
