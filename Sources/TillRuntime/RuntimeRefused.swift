/// Why a server cannot start with its configuration. The message names the flags of `till serve` that set it.
package struct RuntimeRefused: Error, CustomStringConvertible {
    /// What is wrong, and what the operator can do.
    package let description: String

    init(_ description: String) { self.description = description }

    static func deliveryRoots(_ error: any Error) -> RuntimeRefused {
        RuntimeRefused("--delivery-root: \(error). Give PEM files that contain certificates.")
    }
}
