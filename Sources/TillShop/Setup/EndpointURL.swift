extension EndpointRecord {
    /// Whether notifications can be posted to a URL: `http` or `https`, with a host.
    package static func accepts(url: String) -> Bool { WebhookTarget(url) != nil }
}
