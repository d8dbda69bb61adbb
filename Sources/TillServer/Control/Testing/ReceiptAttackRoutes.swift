import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning

/// The operation that creates the attack pack for receipts.
extension ControlAPI {
    private static let receiptAttackCase = Schema.object(
        "A case of the attack pack, signed for this request.",
        [
            Schema.required("case", .string("The name of the case.", oneOf: ReceiptAttack.allCases.map(\.name))),
            Schema.required("wrong", .string("The flaw, in one sentence.")),
            Schema.required(
                "mustBeRefused",
                .boolean(
                    "False if the receipt is valid, or if only a check of the device finds the flaw."
                )
            ),
            Schema.required(
                "status",
                .integer("The status that Till's verifyReceipt returns for the correct password.")
            ),
            Schema.required("receipt", .string("The value for receipt-data: Base64, one line.")),
            Schema.required("deviceId", .string("The id of the device that sends the receipt.", format: "uuid")),
        ]
    )

    var receiptAttackRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/attacks/receipts",
                id: "listReceiptAttacks",
                tag: "attacks",
                summary: "Creates receipts with one flaw each, which a correct verifier must refuse.",
                query: [
                    Schema.optional("case", .string("The name of a case; by default all cases.")),
                    Schema.optional(
                        "transactionId",
                        .string("The id of the transaction in the receipts; by default an invented transaction.")
                    ),
                ],
                response: .object(
                    "The receipts.",
                    [Schema.required("cases", .array("The cases, the valid case first.", of: Self.receiptAttackCase))]
                )
            ) { exchange in
                let name = exchange.query.values("case").first
                let attacks = try name.map { [try Self.receiptAttack($0)] } ?? ReceiptAttack.allCases
                var purchase: (row: Transaction, account: Account)?
                if let id = exchange.query.values("transactionId").first {
                    purchase = try await exchange.transaction(id)
                }
                let pack: ReceiptAttackPack
                do {
                    pack = try await ReceiptAttackPack(shop, try exchange.scope(), about: purchase)
                } catch let refused as AttackRefused {
                    throw ControlError.conflict("no_attack", "The attacks cannot be created: \(refused).")
                }
                var json = JSONWriter(capacity: 131_072)
                json.put("cases", objects: try attacks.map { Self.json(try pack.sample($0)) })
                return json.finish()
            }
        ]
    }

    private static func receiptAttack(_ name: String) throws -> ReceiptAttack {
        guard let attack = ReceiptAttack(name: name) else {
            let known = ReceiptAttack.allCases.map(\.name).joined(separator: ", ")
            throw ControlError.notFound("unknown_case", "There is no case \(name.prefix(64)). Cases: \(known).")
        }
        return attack
    }

    private static func json(_ sample: ReceiptAttackSample) -> [UInt8] {
        var json = JSONWriter(capacity: 8_192)
        json.put("case", sample.attack.name)
        json.put("wrong", sample.attack.wrong)
        json.put("mustBeRefused", sample.attack.isRefused)
        json.put("status", sample.status)
        json.put("receipt", sample.receipt)
        json.put("deviceId", sample.deviceID)
        return json.finish()
    }
}
