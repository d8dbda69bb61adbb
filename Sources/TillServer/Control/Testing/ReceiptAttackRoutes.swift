import TillControl
import TillCore
import TillShop

/// The operation that creates the attack pack for receipts.
extension ControlAPI {
    var receiptAttackRoutes: [ControlRoute] {
        [
            ControlRoute(ListReceiptAttacks.self) { call in
                let scope = try call.scope()
                var purchase: (row: Transaction, account: Account)?
                if let id = call.transactionId { purchase = try await call.transaction(id) }
                let pack: ReceiptAttackPack
                do {
                    pack = try await ReceiptAttackPack(shop, scope, about: purchase)
                } catch let refused as AttackRefused {
                    throw ControlError.conflict("no_attack", "The attacks cannot be created: \(refused).")
                }
                let attacks = ReceiptAttack.allCases.filter { call.case == nil || $0.name == call.case }
                return ReceiptAttackList(cases: try attacks.map { ReceiptAttackInfo(try pack.sample($0)) })
            }
        ]
    }
}

extension ReceiptAttackInfo {
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
