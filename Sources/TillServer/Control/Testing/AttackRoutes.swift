import TillControl
import TillCore
import TillShop

/// The operation that creates the attack pack.
extension ControlAPI {
    var attackRoutes: [ControlRoute] {
        [
            ControlRoute(ListAttacks.self) { call in
                do {
                    return try await call.receipts == true ? receiptAttacks(call) : attacks(call)
                } catch let refused as AttackRefused {
                    throw ControlError.conflict("no_attack", "The attacks cannot be created: \(refused).")
                }
            }
        ]
    }

    /// Notifications and transactions.
    private func attacks(_ call: ControlCall<ListAttacks>) async throws -> [AttackInfo] {
        let chosen = try Self.chosen(call.case, of: Attack.allCases, by: \.name)
        let pack = try AttackPack(shop, try call.scope(), about: try await purchase(call))
        return try chosen.map { AttackInfo(try pack.sample($0)) }
    }

    private func receiptAttacks(_ call: ControlCall<ListAttacks>) async throws -> [AttackInfo] {
        let chosen = try Self.chosen(call.case, of: ReceiptAttack.allCases, by: \.name)
        let pack = try await ReceiptAttackPack(shop, try call.scope(), about: try await purchase(call))
        return try chosen.map { AttackInfo(try pack.sample($0)) }
    }

    private func purchase(_ call: ControlCall<ListAttacks>) async throws -> (row: Transaction, account: Account)? {
        guard let id = call.transactionId else { return nil }
        return try await call.transaction(id)
    }

    /// The case with a name; all cases without a name.
    private static func chosen<Case>(_ name: AttackCase?, of cases: [Case], by key: (Case) -> AttackCase) throws
        -> [Case]
    {
        guard let name else { return cases }
        let chosen = cases.filter { key($0) == name }
        guard !chosen.isEmpty else {
            let names = cases.map { key($0).rawValue }.joined(separator: ", ")
            throw ControlError.bad("bad_query", "case must be one of \(names).", path: "case")
        }
        return chosen
    }
}

extension AttackInfo {
    fileprivate init(_ sample: AttackSample) {
        self.init(
            case: sample.attack.name,
            wrong: sample.attack.wrong,
            mustBeRefused: sample.attack.isRefused,
            refusal: sample.attack.refusal,
            signedPayload: sample.signedPayload,
            signedTransactionInfo: sample.signedTransactionInfo
        )
    }

    fileprivate init(_ sample: ReceiptAttackSample) {
        self.init(
            case: sample.attack.name,
            wrong: sample.attack.wrong,
            mustBeRefused: sample.attack.isRefused,
            status: sample.status,
            receipt: sample.receipt,
            deviceId: sample.deviceID
        )
    }
}
