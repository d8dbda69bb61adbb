import HTTPTypes
import TillCore
import TillJSON
import TillShop
import TillSigning

/// Signed data that a correct verifier must refuse.
extension ControlAPI {
    private static let attackCase = Schema.object(
        "A case, signed for this call.",
        [
            Schema.required("case", .string("Its name.", oneOf: Attack.allCases.map(\.name))),
            Schema.required("wrong", .string("The flaw, in one sentence.")),
            Schema.required("mustBeRefused", .boolean("False for the valid cases: control and replayed-notification.")),
            Schema.required("refusal", .string("The status with which Apple's libraries refuse it.")),
            Schema.required("signedPayload", .string("A notification.")),
            Schema.required("signedTransactionInfo", .string("A transaction with the same flaw.")),
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
                    "Creates the attack pack: signed data that a correct verifier must refuse, each with its flaw.",
                query: [
                    Schema.optional("case", .string("Only this case.")),
                    Schema.optional(
                        "transactionId",
                        .string("The transaction in the data; by default an invented one.")
                    ),
                ],
                response: .object(
                    "The attack pack.",
                    [Schema.required("cases", .array("The valid case first.", of: Self.attackCase))]
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
