import TillControl
import TillShop
import TillSigning

/// Operations on API keys.
extension ControlAPI {
    var keyRoutes: [ControlRoute] {
        [
            ControlRoute(ListKeys.self) { _ in shop.registry.keys.map { KeyInfo($0) } },
            ControlRoute(CreateKey.self) { call in
                let team = try await teamOrDefault(call.issuerId)
                let (record, secret) = try await shop.makeKey(named: call.name ?? "key", issuerID: team.issuerID)
                var key = KeyInfo(record)
                key.privateKey = secret.exposed
                return key
            },
            ControlRoute(RevokeKey.self) { call in
                var record = try key(call.keyId, of: call.bundleId)
                record.revokedAt = record.revokedAt ?? shop.wallClock()
                try await shop.registry.put(record)
                return KeyInfo(record)
            },
        ]
    }

    /// The key with an id and, if an app is given, for this app's offers.
    private func key(_ id: String, of bundleID: String?) throws -> KeyRecord {
        let known = shop.registry.keys(id).map(\.record).filter { bundleID == nil || $0.offersOf == bundleID }
        guard let record = known.first else {
            let app = bundleID.map { " that signs offers of \($0.prefix(128))" } ?? ""
            throw ControlError.notFound(
                "unknown_key",
                "There is no key \(id.prefix(64))\(app). List them with till key list."
            )
        }
        guard known.count == 1 else {
            throw ControlError.conflict(
                "ambiguous_key",
                "Key \(id.prefix(64)) signs offers of \(known.compactMap(\.offersOf).joined(separator: ", ")). "
                    + "Name the app, as bundleId or with till key delete --app."
            )
        }
        return record
    }
}

extension KeyInfo {
    init(_ key: KeyRecord) {
        self.init(
            keyId: key.id,
            issuerId: key.issuerID,
            name: key.name,
            offersOf: key.offersOf,
            revokedDate: key.revokedAt
        )
    }
}
