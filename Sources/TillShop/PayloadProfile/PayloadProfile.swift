/// Defines which keys the server omits from, or adds to, payloads and responses (docs/operating/payload-profiles.md).
///
/// A nil profile is the default profile, which changes nothing. The profile does not affect stored accounts and
/// transactions.
package enum PayloadProfile: Equatable, Sendable {
    /// Omits every optional key.
    case minimal
    /// Adds unknown keys, unknown values and an unknown notification type. A seed determines which values are unknown.
    case forwardCompatible(seed: UInt64)
    /// Omits keys that Apple introduced after version 1.N of the App Store Server API.
    case version(Int)

    /// The newest known minor version of the App Store Server API (1.22).
    package static let newestVersion = 22
    /// The name of the default profile in settings.
    package static let defaultWords = "fair"

    /// Parses `sparse`, `tomorrow`, `tomorrow:SEED` or `version:1.N`; nil for any other text.
    package init?(words: String) {
        let parts = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.dropFirst().first) {
        case ("sparse", nil): self = .minimal
        case ("tomorrow", nil): self = .forwardCompatible(seed: 1)
        case ("tomorrow", let seed?):
            guard let seed = UInt64(seed) else { return nil }
            self = .forwardCompatible(seed: seed)
        case ("version", let version?):
            guard let minor = (0...Self.newestVersion).first(where: { "1.\($0)" == version }) else { return nil }
            self = .version(minor)
        default: return nil
        }
    }

    /// The profile as text, which `init(words:)` parses.
    package var words: String {
        switch self {
        case .minimal: "sparse"
        case .forwardCompatible(let seed): "tomorrow:\(seed)"
        case .version(let minor): "version:1.\(minor)"
        }
    }
}

extension PayloadProfile: Codable {
    /// Decodes a profile from its text.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let words = try container.decode(String.self)
        guard let payloadProfile = PayloadProfile(words: words) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(words) is not a payload profile")
        }
        self = payloadProfile
    }

    /// Encodes the profile as text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(words)
    }
}
