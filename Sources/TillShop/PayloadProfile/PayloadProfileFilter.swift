import TillCore
import TillJSON

/// Applies a payload profile to a serialized JSON object (docs/operating/payload-profiles.md).
package struct PayloadProfileFilter: Sendable {
    private let payloadProfile: PayloadProfile
    private let environment: StoreEnvironment

    /// Creates a filter for the payload profile of an environment.
    package init(_ payloadProfile: PayloadProfile, in environment: StoreEnvironment) {
        self.payloadProfile = payloadProfile
        self.environment = environment
    }

    /// Returns the object with the payload profile applied.
    ///
    /// - Parameters:
    ///   - bytes: the output of `PayloadWriter`.
    ///   - identity: a text that replaces the id in the random choice, for an object without an id of its own.
    package func filtered(_ bytes: [UInt8], as object: WireObject, identity: String = "") -> [UInt8] {
        var filtered: [UInt8] = []
        filtered.reserveCapacity(bytes.count + 256)
        write(JSONSlice(bytes), as: object, identity, to: &filtered)
        return filtered
    }

    /// The unknown text value, for a key whose values Apple lists.
    package static let unheardOfWord = "TOMORROW"
    /// The unknown number, for a key whose values Apple lists.
    package static let unheardOfNumber = 99
    /// On average, one in this many values is unknown.
    package static let share: UInt64 = 4

    /// The unknown keys, one for each JSON type.
    private static let unheardOfKeys = Array(
        """
        "tomorrowText":"a new day","tomorrowNumber":4.2,"tomorrowFlag":true,"tomorrowList":[1,"two",{"three":3}],\
        "tomorrowObject":{"text":"a new day","number":7}
        """.utf8
    )

    private func write(
        _ value: JSONSlice,
        as object: WireObject,
        _ identity: String,
        to filtered: inout [UInt8]
    ) {
        guard let members = value.members else { return filtered.append(contentsOf: value.bytes) }
        let identity = Self.identity(of: members) ?? identity
        filtered.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in members {
            let key = object.key(member.key)
            guard key.map(isPresent) ?? true else { continue }
            if !isFirst { filtered.append(UInt8(ascii: ",")) }
            isFirst = false
            filtered.append(contentsOf: "\"\(member.key)\":".utf8)
            write(member.value, of: member.key, key, identity, to: &filtered)
        }
        if case .forwardCompatible = payloadProfile {
            if !isFirst { filtered.append(UInt8(ascii: ",")) }
            filtered.append(contentsOf: Self.unheardOfKeys)
        }
        filtered.append(UInt8(ascii: "}"))
    }

    private func write(
        _ value: JSONSlice,
        of name: String,
        _ key: WireKey?,
        _ identity: String,
        to filtered: inout [UInt8]
    ) {
        if key?.isListed == true, isUnheardOf(name, of: identity) {
            let value = value.isString ? "\"\(Self.unheardOfWord)\"" : String(Self.unheardOfNumber)
            filtered.append(contentsOf: value.utf8)
        } else if let inner = key?.inner, let elements = value.elements {
            filtered.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { filtered.append(UInt8(ascii: ",")) }
                write(element, as: inner, "\(identity)/\(name)/\(place)", to: &filtered)
            }
            filtered.append(UInt8(ascii: "]"))
        } else if let inner = key?.inner {
            write(value, as: inner, identity, to: &filtered)
        } else {
            filtered.append(contentsOf: value.bytes)
        }
    }

    private func isPresent(_ key: WireKey) -> Bool {
        switch payloadProfile {
        case .minimal: key.presence == .always || (key.presence == .inProduction && environment == .production)
        case .version(let minor): key.since <= minor
        case .forwardCompatible: true
        }
    }

    // MARK: Randomness

    /// Whether to replace the value of a key with an unknown value. The result is always the same for the same object,
    /// key and seed.
    private func isUnheardOf(_ key: String, of identity: String) -> Bool {
        guard case .forwardCompatible(let seed) = payloadProfile else { return false }
        var mixed = 0xcbf2_9ce4_8422_2325 ^ seed &* 0x9e37_79b9_7f4a_7c15
        for byte in "\(identity)/\(key)".utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return SeededRandom.mixed(mixed) % Self.share == 0
    }

    /// The keys that identify an object, the most specific key first.
    private static let names = ["transactionId", "notificationUUID", "originalTransactionId", "appTransactionId"]

    private static func identity(of members: [(key: String, value: JSONSlice)]) -> String? {
        for name in names {
            if let member = members.first(where: { $0.key == name }) {
                return String(decoding: member.value.bytes, as: UTF8.self)
            }
        }
        return nil
    }
}
