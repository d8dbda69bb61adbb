extension EndpointRecord {
    /// Whether Till can post notifications to a URL. The URL must use `http` or `https` and contain a host.
    package static func accepts(url: String) -> Bool { WebhookTarget(url) != nil }
}
