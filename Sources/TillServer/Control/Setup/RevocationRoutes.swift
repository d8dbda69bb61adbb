import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning

/// Operations on the OCSP status of certificates.
extension ControlAPI {
    private static let certificate = Schema.object(
        "A certificate and its OCSP status.",
        [
            Schema.required("serialNumber", .string("Hexadecimal.")),
            Schema.required(
                "certificate",
                .string("The position of the certificate in its chain.", oneOf: ["leaf", "intermediate"])
            ),
            Schema.required("chainId", .string("The id of the certificate's chain.")),
            Schema.required("isCurrent", .boolean("Whether this chain signs data now.")),
            Schema.required("state", .string("The OCSP status.", oneOf: OCSPState.Word.allCases.map(\.rawValue))),
            Schema.optional(
                "revocationDate",
                .integer("Only for revoked: the revocation date, in milliseconds since 1970.")
            ),
            Schema.optional(
                "reason",
                .string("Only for revoked: the reason.", oneOf: OCSPRevocationReason.allCases.map(\.rawValue))
            ),
            Schema.optional("delay", .integer("Only for slow: the delay in milliseconds.")),
            Schema.optional(
                "error",
                .string("Only for error: the kind of error.", oneOf: OCSPFailure.allCases.map(\.rawValue))
            ),
        ]
    )

    private static let certificates = Schema.object(
        "The certificates that the OCSP responder knows.",
        [
            Schema.required(
                "certificates",
                .array("The leaf and intermediate certificates of all chains under the root.", of: certificate)
            )
        ]
    )

    private static let saying = Schema.object(
        "The new OCSP status.",
        [
            Schema.required("state", .string("The OCSP status.", oneOf: OCSPState.Word.allCases.map(\.rawValue))),
            Schema.optional(
                "chainId",
                .string("Only for leaf and intermediate: the id of the chain; by default the chain that signs now.")
            ),
            Schema.optional(
                "revocationDate",
                .integer(
                    "Only for revoked: the revocation date, in milliseconds since 1970; by default now.",
                    0...253_402_300_799_000
                )
            ),
            Schema.optional(
                "reason",
                .string("Only for revoked: the reason.", oneOf: OCSPRevocationReason.allCases.map(\.rawValue))
            ),
            Schema.optional(
                "delay",
                .integer("Only for slow: the delay in milliseconds; by default 5000.", 0...Int64(OCSPState.maxDelay))
            ),
            Schema.optional(
                "error",
                .string(
                    "Only for error: the kind of error; by default tryLater.",
                    oneOf: OCSPFailure.allCases.map(\.rawValue)
                )
            ),
        ]
    )

    var revocationRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/ca/ocsp",
                id: "getRevocation",
                tag: "revocation",
                summary: "Lists the OCSP status of each certificate.",
                response: Self.certificates
            ) { _ in answer(shop.authority.certificates) },
            ControlRoute(
                method: .put,
                path: "/v1/ca/ocsp/{certificate}",
                id: "setRevocation",
                tag: "revocation",
                summary: "Sets the OCSP status of the leaf, the intermediate, a serial number, or all certificates.",
                request: Self.saying,
                response: Self.certificates
            ) { exchange in
                let chosen = try chosen(exchange)
                try await shop.authority.setState(try Self.state(exchange.body, now: shop.wallClock()), of: chosen)
                return answer(shop.authority.certificates.filter { chosen.contains($0.certificate) })
            },
        ]
    }

    /// The certificates that the path selects.
    private func chosen(_ exchange: ControlExchange) throws -> [OCSPResponder.Known] {
        let known = shop.authority.certificates.map(\.certificate)
        let name = exchange.parameter("certificate")
        let chainID = exchange.body.text("chainId")
        if let chainID, !known.contains(where: { $0.chainID == chainID }) {
            throw ControlError.notFound(
                "unknown_chain",
                "There is no chain \(chainID.prefix(64)). List them with till ca ocsp show."
            )
        }
        let chosen = known.filter { certificate in
            switch name {
            case "all": chainID == nil || certificate.chainID == chainID
            case "leaf": certificate.part == .leaf && certificate.chainID == chainID ?? shop.signingChain.id
            case "intermediate":
                certificate.part == .intermediate && certificate.chainID == chainID ?? shop.signingChain.id
            default: Self.digits(of: certificate.serial) == Self.digits(of: name)
            }
        }
        guard !chosen.isEmpty else {
            throw ControlError.notFound(
                "unknown_certificate",
                "There is no certificate \(name.prefix(64)). Give leaf, intermediate, all, or a serial number."
            )
        }
        return chosen
    }

    /// A serial number in a form to compare: without colons and leading zeros, in lower case.
    private static func digits(of serial: String) -> Substring {
        serial.lowercased().replacing(":", with: "").drop { $0 == "0" }
    }

    private static func state(_ body: ControlBody, now: Timestamp) throws -> OCSPState {
        let word = body.text("state").flatMap(OCSPState.Word.init(rawValue:)) ?? .good
        for (key, owner) in [("revocationDate", OCSPState.Word.revoked), ("reason", .revoked), ("delay", .slow)] {
            let isGiven = body.text(key) != nil || body.number(key) != nil
            if isGiven, word != owner { throw misplaced(key, owner) }
        }
        if body.text("error") != nil, word != .error { throw misplaced("error", .error) }
        return switch word {
        case .good: .good
        case .revoked:
            .revoked(
                at: body.number("revocationDate") ?? now.milliseconds,
                reason: body.text("reason").flatMap(OCSPRevocationReason.init(rawValue:))
            )
        case .unknown: .unknown
        case .slow: .slow(milliseconds: Int(body.number("delay") ?? 5_000))
        case .error: .error(body.text("error").flatMap(OCSPFailure.init(rawValue:)) ?? .tryLater)
        case .stale: .stale
        case .dead: .dead
        }
    }

    private static func misplaced(_ key: String, _ owner: OCSPState.Word) -> ControlError {
        ControlError.bad("bad_state", "\(key) is only for the state \(owner.rawValue).", path: "$.\(key)")
    }

    private func answer(_ certificates: [(certificate: OCSPResponder.Known, state: OCSPState)]) -> [UInt8] {
        let current = shop.signingChain.id
        var json = JSONWriter()
        json.put(
            "certificates",
            objects: certificates.map { certificate, state in
                var json = JSONWriter()
                json.put("serialNumber", certificate.serial)
                json.put("certificate", certificate.part == .leaf ? "leaf" : "intermediate")
                json.put("chainId", certificate.chainID)
                json.put("isCurrent", certificate.chainID == current)
                json.put("state", state.word.rawValue)
                switch state {
                case .revoked(let instant, let reason):
                    json.put("revocationDate", instant)
                    json.put("reason", reason?.rawValue)
                case .slow(let delay): json.put("delay", delay)
                case .error(let failure): json.put("error", failure.rawValue)
                case .good, .unknown, .stale, .dead: break
                }
                return json.finish()
            }
        )
        return json.finish()
    }
}
