/// The subscription renewal rate, which determines how long a month lasts: a calendar month in Pacific time, or an
/// accelerated month of the sandbox, TestFlight or Xcode (docs/api/lifecycle.md, Rates).
public enum RenewalRate: String, Codable, CaseIterable, Sendable {
    /// Calendar months in Pacific time.
    case calendar
    case sandbox3Minutes = "sandbox-3-minutes"
    /// The default rate of Apple's sandbox, at which a month lasts five minutes.
    case sandbox5Minutes = "sandbox-5-minutes"
    case sandbox15Minutes = "sandbox-15-minutes"
    case sandbox30Minutes = "sandbox-30-minutes"
    case sandbox1Hour = "sandbox-1-hour"
    case testFlight = "testflight"
    // The rates of Xcode have the numbers in a .storekit file (`_timeRate`).
    case xcode1 = "xcode-1"
    case xcode2 = "xcode-2"
    case xcode3 = "xcode-3"
    case xcode4 = "xcode-4"
    case xcode5 = "xcode-5"
    case xcode6 = "xcode-6"
    case xcode10 = "xcode-10"
    case xcode11 = "xcode-11"
    case xcode12 = "xcode-12"
    case xcode13 = "xcode-13"
    case xcode15 = "xcode-15"
    case xcode1000 = "xcode-1000"
    case xcode1001 = "xcode-1001"
    case xcode1002 = "xcode-1002"
    case xcode1003 = "xcode-1003"
    case xcode1004 = "xcode-1004"
    case xcode1005 = "xcode-1005"
}
