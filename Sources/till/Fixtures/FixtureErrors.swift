import TillControl
import TillJSON
import TillServer
import TillShop

/// The errors of the App Store Server API, and the forged data of the attack pack.
extension FixtureShop {
    /// A request that is refused: it is about a transaction that does not exist.
    private static let path = "/inApps/v1/transactions/1"

    /// Adds the answer with each documented error. A fault rule causes it, because some errors occur only at Apple.
    mutating func addErrors() async throws {
        for error in APIError.documentedErrors {
            let fault = try await client.send(
                AddFault(
                    kind: .error,
                    environment: app.environment,
                    code: error.code,
                    retryAfter: error.code == 4_290_000 ? 60 : nil
                )
            )
            try addError(try await get(Self.path), "\(error.code)", error.message, code: error.code)
            _ = try await client.send(RemoveFaults(faultId: fault.id))
        }
        let unauthorized = try await get(Self.path, isAuthorized: false)
        try addError(unauthorized, "401", "The request has no token, or an invalid one.")
        try addError(try await get("/inApps/v9/none"), "404", "There is no such route.")
        let fault = try await client.send(AddFault(kind: .status, environment: app.environment, code: 503))
        try addError(try await get(Self.path), "503", "A server error without an error object.")
        _ = try await client.send(RemoveFaults(faultId: fault.id))
    }

    private mutating func addError(_ answer: Answer, _ name: String, _ shows: String, code: Int? = nil) throws {
        let expected = code.map { $0 / 10_000 } ?? Int(name)
        guard answer.status == expected else {
            throw CommandRefused("The App Store Server API answered \(answer.status) for the fixture \(name).")
        }
        // An answer without a code has no error object.
        var fixture = fixture(.apiError, name, shows, suffix: code == nil ? "txt" : nil)
        (fixture.status, fixture.errorCode, fixture.retryAfter) = (answer.status, code, answer.retryAfter)
        try add(fixture, String(decoding: answer.body, as: UTF8.self))
    }

    /// Adds the attack pack about the purchases of the stories.
    mutating func addAttacks() async throws {
        let rows = try await client.send(ListTransactions(app: app, customer: "uma")).transactions
        let id = rows.first?.transactionId
        for attack in try await client.send(ListAttacks(app: app, transactionId: id)) {
            // In this case, the notification is valid, and the transaction in it is not.
            let hidesFlaw = attack.case == .renewalInfo
            try addAttack(.notification, attack, attack.signedPayload, isRefused: attack.mustBeRefused && !hidesFlaw)
            try addAttack(.transaction, attack, attack.signedTransactionInfo, isRefused: attack.mustBeRefused)
        }
        try await addReceiptAttacks(about: id)
    }

    private mutating func addAttack(
        _ kind: Fixture.Kind,
        _ attack: AttackInfo,
        _ jws: String?,
        isRefused: Bool
    ) throws {
        var fixture = fixture(kind, attack.case.rawValue, attack.wrong, folder: "attacks")
        (fixture.attack, fixture.isAccepted) = (attack.case, !isRefused)
        fixture.refusal = isRefused ? attack.refusal : nil
        fixture.complete(with: jws ?? "")
        try add(fixture, jws ?? "")
    }
}
