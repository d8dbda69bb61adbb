/// The mode of a clock.
public enum ClockMode: String, Codable, CaseIterable, Sendable {
    /// The clock shows real time.
    case real
    /// The clock shows the same time until it is advanced.
    case frozen
    /// The clock runs at a multiple of real time.
    case running
}
