import TillControl
import TillCore
import TillServer
import TillShop

/// On a server with the production guard, the console asks before an operation that cannot be undone
/// (docs/operating/production-guard.md).
extension Console {
    /// Whether the console asks before it runs the operation of a form.
    func needsConfirmation(_ operation: OperationForm, _ form: FormData) -> Bool {
        guard shop.settings.guardsProduction, form["_confirmed"] != "true",
            operation.isIrreversible || Confirmation.final.contains(operation.id)
        else { return false }
        // A form that replaces all data has a field for the typed confirmation.
        guard operation.productionEffect != .replaces, form["dryRun"] != "true" else { return false }
        return form["path.environment"] != StoreEnvironment.sandbox.rawValue
    }

    /// A page that shows a form's values and sends the form again when the user confirms.
    func confirmation(of operation: OperationForm, _ form: FormData, back: String, _ session: Session)
        -> RenderedPage
    {
        let title = Actions.title(operation, form)
        let values: PageValue = [
            "title": "\(title)?", "operation": operation.id, "label": title, "back": back,
            "fields": form.fields.listed { ["name": $0.name, "value": $0.value] },
            "facts": Confirmation.facts(form),
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

/// What the page that asks for a confirmation knows about operations and their fields.
private enum Confirmation {
    /// Operations that delete nothing, but whose effect on a customer, a price or a certificate no other operation
    /// takes back. A refund can be reversed, but the customer and the developer's server are notified of it at once.
    static let final: Set = [
        RefundTransaction.operationID, DeclineRefund.operationID, DeclinePurchase.operationID,
        AcceptPriceIncrease.operationID, DeclinePriceIncrease.operationID, ExtendSubscription.operationID,
        ExtendAll.operationID, RaisePrice.operationID, ShareProduct.operationID, RotateChain.operationID,
        SetSharedSecret.operationID, SetPrimarySharedSecret.operationID,
    ]

    /// The fields that the user has filled in, with the labels of their forms.
    static func facts(_ form: FormData) -> PageValue {
        form.fields.filter { !$0.name.hasPrefix("_") && !$0.value.isEmpty }.listed { field in
            let name = String(field.name.prefix { $0 != ":" }.trimmingPrefix("path."))
            return ["name": labels[name] ?? Words.sentence(name), "value": value(of: field, name)]
        }
    }

    private static func value(of field: FormData.Field, _ name: String) -> String {
        switch name {
        case "share": return Words.sentence(field.value)
        case "percentage": return "\(field.value) %"
        case "settle": return "up to \(field.value) seconds"
        case "at", "effectiveDate":
            return FormBody.instant(field.value).map { Words.instant($0, withSeconds: true) } ?? field.value
        default: return field.value == "true" ? "yes" : field.value == "false" ? "no" : field.value
        }
    }

    private static let labels = [
        "bundleId": "App", "transactionId": "Transaction", "originalTransactionId": "Subscription",
        "productId": "Product", "share": "Amount", "percentage": "Percent", "at": "Time of this action",
        "settle": "Wait for delivery", "removeSnapshots": "Also delete snapshots that contain the customer",
        "keyId": "Key", "faultId": "Rule", "reasonCode": "Reason code",
    ]
}
