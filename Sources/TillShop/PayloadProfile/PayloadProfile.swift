/// Removes keys from payloads and answers, or adds some (docs/operating/payload-profiles.md).
///
/// The default profile is nil. Stored data is the same under every profile.
package enum PayloadProfile: Equatable, Sendable {
    /// Omits every optional key.
    case minimal
    /// Adds unknown keys, values and a notification, drawn from a seed.
    case forwardCompatible(seed: UInt64)
    /// Omits keys that are newer than version 1.x of the API.
    case version(Int)

    /// The newest known version of the API: 1.22.
    package static let newestVersion = 22
    /// The word for the default profile.
    package static let defaultWords = "fair"

    /// Reads `sparse`, `tomorrow`, `tomorrow:SEED` or `version:1.N`; nil for anything else.
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

    /// The text form, for `init(words:)`.
    package var words: String {
        switch self {
        case .minimal: "sparse"
        case .forwardCompatible(let seed): "tomorrow:\(seed)"
        case .version(let minor): "version:1.\(minor)"
        }
    }
}

extension PayloadProfile: Codable {
    /// Decodes the text form.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let words = try container.decode(String.self)
        guard let payloadProfile = PayloadProfile(words: words) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(words) is not a payload profile")
        }
        self = payloadProfile
    }

    /// Encodes the text form.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(words)
    }
}
