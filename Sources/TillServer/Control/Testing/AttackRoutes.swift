import TillControl
import TillCore
import TillShop

/// The operation that creates the attack pack for signed data.
extension ControlAPI {
    var attackRoutes: [ControlRoute] {
        [
            ControlRoute(ListAttacks.self) { call in
                let scope = try call.scope()
                var purchase: (row: Transaction, account: Account)?
                if let id = call.transactionId { purchase = try await call.transaction(id) }
                let pack: AttackPack
                do {
                    pack = try AttackPack(shop, scope, about: purchase)
                } catch let refused as AttackRefused {
                    throw ControlError.conflict("no_attack", "The attacks cannot be created: \(refused).")
                }
                let attacks = Attack.allCases.filter { call.case == nil || $0.name == call.case }
                return AttackList(cases: try attacks.map { AttackInfo(try pack.sample($0)) })
            }
        ]
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
}
