/// What an app's environment puts on the wire beside the truth: less of it, or more (docs/operating/weather.md).
///
/// the default profile is nil. What lies in the store is the same in every payload profile.
package enum PayloadProfile: Equatable, Sendable {
    /// Every key that may be absent is absent.
    case minimal
    /// Keys, values and a notification that nobody knows yet, drawn from a seed.
    case forwardCompatible(seed: UInt64)
    /// Keys that came after version 1.x of the API are absent.
    case version(Int)

    /// The newest version of the API that is known: 1.22.
    package static let newestVersion = 22
    /// The word for no payload profile at all.
    package static let defaultWords = "fair"

    /// Reads `minimal`, `forwardCompatible`, `forwardCompatible:SEED` or `version:1.N`; nil for anything else.
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

    /// What `init(words:)` reads.
    package var words: String {
        switch self {
        case .minimal: "sparse"
        case .forwardCompatible(let seed): "tomorrow:\(seed)"
        case .version(let minor): "version:1.\(minor)"
        }
    }
}

extension PayloadProfile: Codable {
    /// Reads its words.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let words = try container.decode(String.self)
        guard let payloadProfile = PayloadProfile(words: words) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(words) is no weather")
        }
        self = payloadProfile
    }

    /// Writes its words.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(words)
    }
}
