import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning

/// The operation that creates the attack pack for signed data.
extension ControlAPI {
    private static let attackCase = Schema.object(
        "A case of the attack pack, signed for this request.",
        [
            Schema.required("case", .string("The name of the case.", oneOf: Attack.allCases.map(\.name))),
            Schema.required("wrong", .string("The flaw, in one sentence.")),
            Schema.required(
                "mustBeRefused",
                .boolean("Whether a correct verifier refuses the case; false for control and replayed-notification.")
            ),
            Schema.required(
                "refusal",
                .string("The verification status with which Apple's libraries refuse the case.")
            ),
            Schema.required("signedPayload", .string("A signed notification with the flaw.")),
            Schema.required("signedTransactionInfo", .string("A signed transaction with the same flaw.")),
        ]
    )

    var attackRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/attacks",
                id: "listAttacks",
                tag: "attacks",
                summary:
                    "Creates the attack pack: signed data with one flaw each, which a correct verifier refuses.",
                query: [
                    Schema.optional("case", .string("The name of a case; by default all cases.")),
                    Schema.optional(
                        "transactionId",
                        .string("The id of the transaction in the data; by default an invented transaction.")
                    ),
                ],
                response: .object(
                    "The attack pack.",
                    [Schema.required("cases", .array("The cases, the valid case first.", of: Self.attackCase))]
                )
            ) { exchange in
                let attacks = try exchange.query.values("case").first.map { [try Self.attack($0)] } ?? Attack.allCases
                let scope = try exchange.scope()
                var purchase: (row: Transaction, account: Account)?
                if let id = exchange.query.values("transactionId").first {
                    purchase = try await exchange.transaction(id)
                }
                let pack: AttackPack
                do {
                    pack = try AttackPack(shop, scope, about: purchase)
                } catch let refused as AttackRefused {
                    throw ControlError.conflict("no_attack", "The attacks cannot be created: \(refused).")
                }
                var json = JSONWriter(capacity: 65_536)
                json.put("cases", objects: try attacks.map { Self.json(try pack.sample($0)) })
                return json.finish()
            }
        ]
    }

    private static func attack(_ name: String) throws -> Attack {
        guard let attack = Attack(name: name) else {
            let known = Attack.allCases.map(\.name).joined(separator: ", ")
            throw ControlError.notFound("unknown_case", "There is no case \(name.prefix(64)). Cases: \(known).")
        }
        return attack
    }

    private static func json(_ sample: AttackSample) -> [UInt8] {
        var json = JSONWriter(capacity: 16_384)
        json.put("case", sample.attack.name)
        json.put("wrong", sample.attack.wrong)
        json.put("mustBeRefused", sample.attack.isRefused)
        json.put("refusal", sample.attack.refusal)
        json.put("signedPayload", sample.signedPayload)
        json.put("signedTransactionInfo", sample.signedTransactionInfo)
        return json.finish()
    }
}
