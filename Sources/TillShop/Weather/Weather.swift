/// What an app's environment puts on the wire beside the truth: less of it, or more (docs/operating/weather.md).
///
/// Fair weather is nil. What lies in the store is the same in every weather.
package enum Weather: Equatable, Sendable {
    /// Every key that may be absent is absent.
    case sparse
    /// Keys, values and a notification that nobody knows yet, drawn from a seed.
    case tomorrow(seed: UInt64)
    /// Keys that came after version 1.x of the API are absent.
    case version(Int)

    /// The newest version of the API that is known: 1.22.
    package static let newestVersion = 22
    /// The word for no weather at all.
    package static let fair = "fair"

    /// Reads `sparse`, `tomorrow`, `tomorrow:SEED` or `version:1.N`; nil for anything else.
    package init?(words: String) {
        let parts = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.dropFirst().first) {
        case ("sparse", nil): self = .sparse
        case ("tomorrow", nil): self = .tomorrow(seed: 1)
        case ("tomorrow", let seed?):
            guard let seed = UInt64(seed) else { return nil }
            self = .tomorrow(seed: seed)
        case ("version", let version?):
            guard let minor = (0...Self.newestVersion).first(where: { "1.\($0)" == version }) else { return nil }
            self = .version(minor)
        default: return nil
        }
    }

    /// What `init(words:)` reads.
    package var words: String {
        switch self {
        case .sparse: "sparse"
        case .tomorrow(let seed): "tomorrow:\(seed)"
        case .version(let minor): "version:1.\(minor)"
        }
    }
}

extension Weather: Codable {
    /// Reads its words.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let words = try container.decode(String.self)
        guard let weather = Weather(words: words) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(words) is no weather")
        }
        self = weather
    }

    /// Writes its words.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(words)
    }
}
