/// The answer of `/healthz` and `/readyz`.
public struct HealthInfo: ControlObject {
    /// `ok` or `ready`, or why Till cannot commit purchases.
    public var status: String

    public init(status: String) {
        self.status = status
    }
}
