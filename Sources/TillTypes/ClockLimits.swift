import AppStoreTypes

/// The limits of a clock, for the rules and for requests.
public enum ClockLimits {
    /// The validity of the certificates, from 2008 to 2100. A clock shows no earlier time, and stays before the end.
    public static let times = Timestamp(milliseconds: 1_199_145_600_000)...Timestamp(milliseconds: 4_102_444_800_000)
    /// The maximum speed of a clock, as a multiple of real time.
    public static let maxSpeed: Int64 = 10_000_000
}
