import HTTPTypes
import TillCore
import TillJSON
import TillShop
import TillSigning

/// Receipts that a correct verifier must refuse.
extension ControlAPI {
    private static let receiptAttackCase = Schema.object(
        "A case, signed for this call.",
        [
            Schema.required("case", .string("Its name.", oneOf: ReceiptAttack.allCases.map(\.name))),
            Schema.required("wrong", .string("The flaw, in one sentence.")),
            Schema.required(
                "mustBeRefused",
                .boolean("False for valid receipts, and for flaws that only a check of the device finds.")
            ),
            Schema.required("status", .integer("The status from Till's verifyReceipt with the right password.")),
            Schema.required("receipt", .string("The value for receipt-data: Base64, one line.")),
            Schema.required("deviceId", .string("The device that sends it.", format: "uuid")),
        ]
    )

    var receiptAttackRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/attacks/receipts",
                id: "listReceiptAttacks",
                tag: "attacks",
                summary: "Creates receipts that a correct verifier must refuse, each with its flaw.",
                query: [
                    Schema.optional("case", .string("Only this case.")),
                    Schema.optional(
                        "transactionId",
                        .string("The transaction in the receipts; by default an invented one.")
                    ),
                ],
                response: .object(
                    "The receipts.",
                    [Schema.required("cases", .array("The valid case first.", of: Self.receiptAttackCase))]
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
