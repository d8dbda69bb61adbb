/// Why a server cannot start with its configuration. The text names the flags of `till serve`, where people set it.
package struct RuntimeRefused: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    init(_ description: String) { self.description = description }

    static func deliveryRoots(_ error: any Error) -> RuntimeRefused {
        RuntimeRefused("--delivery-root: \(error). Name PEM files with certificates.")
    }
}
