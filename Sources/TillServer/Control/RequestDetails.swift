import Synchronization
import TillControl

/// What is derived from the type of a request. Calls of the operation, its form in the console and the OpenAPI document
/// need it.
struct RequestDetails: Sendable {
    let summary: String
    /// The parameters in the path, with their schemas.
    let pathParameters: [Schema.Property]
    let query: [Schema.Property]
    /// The schema of the body; nil for an operation without a body.
    let body: Schema?
    /// What the operation may do to production data.
    let productionEffect: ProductionEffect
    /// Whether the operation deletes data that no other operation restores.
    let isIrreversible: Bool

    /// - Parameter body: the schema of a body that is not in the type of the request.
    init<Request: ControlCallable>(_ schema: RequestSchema<Request>, body: Schema?) {
        summary = schema.summary
        pathParameters = schema.pathParameters
        query = schema.query
        self.body = body ?? schema.body
        productionEffect = Request.productionEffect
        isIrreversible = Request.isIrreversible
    }
}

/// A value that is made when it is first needed. Deriving the schemas of all operations would take most of the time of
/// a start.
final class OnFirstUse<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value {
        made.withLock { made in
            if let made { return made }
            let value = make()
            made = value
            return value
        }
    }
}
