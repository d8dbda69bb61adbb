import HTTPTypes
import TillControl
import TillCore
import TillShop
import TillStorage

/// Imports customers of other App Store servers (docs/client/import.md).
extension ControlAPI {
    var importRoutes: [ControlRoute] {
        [
            ControlRoute(ImportCustomer.self) { call in
                let customer = try ControlExchange.checked(newCustomer: call.customer)
                let name = CustomerName(try call.scope(), customer)
                let clock = call.clock ?? customer
                try Self.check(clockName: clock, path: "clock")
                let imported = try await shop.importCustomer(
                    name,
                    from: call.document,
                    clockName: clock,
                    isAnonymous: call.anonymize ?? false
                )
                return CustomerImportInfo(imported, clock: clock)
            }
        ]
    }
}

extension CustomerImportInfo {
    init(_ imported: ImportedAccount, clock: String) {
        self.init(
            customer: imported.account.customer,
            appTransactionId: imported.account.shownID,
            clock: clock,
            now: imported.instant,
            transactions: imported.rows.count,
            subscriptions: imported.account.heldSubscriptions.count,
            productsCreated: imported.productsMade,
            quarantined: imported.quarantined.map { ImportFinding($0) },
            assumptions: imported.assumptions.map { ImportFinding($0) },
            differences: imported.differences.map { ImportFinding($0) }
        )
    }
}

extension ImportFinding {
    fileprivate init(_ finding: ImportedAccount.Finding) {
        self.init(subject: finding.subject, reason: finding.words)
    }
}

extension ImportRefused {
    /// The HTTP status: 400 for a document that cannot be imported, 409 for a customer or identifier that exists.
    var status: HTTPResponse.Status {
        switch self {
        case .badDocument, .incompleteHistory, .severalCustomers, .nothingToImport: .badRequest
        case .customerExists, .identifierExists, .identifierTwice: .conflict
        }
    }
}
