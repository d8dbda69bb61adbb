// Requests and answers of the control API, and the values of the App Store, need no further import.
@_exported import TillControl

/// What a test with the trait `.till(catalog:)` has: an app of its own on a Till server, the clock of this app, and an
/// endpoint that receives its notifications.
///
/// ```swift
/// @Suite(.till(catalog: "Shop.storekit"))
/// struct SubscriptionTests {
///     @Test func trial() async throws {
///         let purchase = try await Till.app.customer("ann").buy("pro.month")
///         try await Till.clock.advance("1w")
///         let renewed = try await Till.endpoint.expect(.didRenew)
///         #expect(renewed.transaction?.originalTransactionId == purchase.originalTransactionId)
///     }
/// }
/// ```
///
/// The values belong to the task of the test and to its child tasks. A detached task does not have them.
public enum Till {
    @TaskLocal static var current: (app: App, endpoint: Endpoint)?

    /// The app of the test.
    ///
    /// - Throws: `TillTestingError` outside of a test with the trait.
    public static var app: App { get throws { try found().app } }

    /// The clock of the app, which is frozen.
    ///
    /// - Throws: `TillTestingError` outside of a test with the trait.
    public static var clock: Clock { get throws { try found().app.clock } }

    /// The receiver of the app's notifications.
    ///
    /// - Throws: `TillTestingError` outside of a test with the trait.
    public static var endpoint: Endpoint { get throws { try found().endpoint } }

    private static func found() throws(TillTestingError) -> (app: App, endpoint: Endpoint) {
        guard let current else {
            throw TillTestingError(
                "This task has no app. Add the trait to the test or suite: @Suite(.till(catalog: \"Shop.storekit\")). "
                    + "A detached task does not have the app: take Till.app before it."
            )
        }
        return current
    }
}
