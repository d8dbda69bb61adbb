/// A metric of the server. This is the only list of the metrics: they are created, exported at `/metrics` and
/// documented (docs/production/metrics.md) as declared here. Names and units follow the conventions of Prometheus.
package enum Metric: String, CaseIterable, Sendable {
    case requests = "till_requests_total"
    case requestDuration = "till_request_duration_seconds"
    case tokenRefusals = "till_token_refusals_total"
    case receipts = "till_receipts_total"

    case deliveryAttempts = "till_delivery_attempts_total"
    case deliveriesPending = "till_deliveries_pending"
    case oldestPendingDelivery = "till_oldest_pending_delivery_age_seconds"

    case clockLag = "till_clock_lag_seconds"
    case overdueDeadlines = "till_overdue_deadlines"
    case quarantinedAccounts = "till_quarantined_accounts"

    case commits = "till_commits_total"
    case commitDuration = "till_commit_duration_seconds"
    case commitGroupSize = "till_commit_group_size"
    case commitRetries = "till_commit_retries_total"

    case storeUp = "till_store_up"
    case storeSize = "till_store_size_bytes"
    case storeWAL = "till_store_wal_bytes"
    case storeFree = "till_store_free_bytes"
    case connectionsInUse = "till_database_connections_in_use"
    case connectionLimit = "till_database_connections_limit"
    case connectionsWaiting = "till_database_connections_waiting"

    case clusterNodes = "till_cluster_nodes"
    case clusterMember = "till_cluster_member"
    case clusterLeases = "till_cluster_leases"
    case clusterPartitions = "till_cluster_partitions"
    case clusterRejoins = "till_cluster_rejoins_total"

    case signatures = "till_signatures_total"
    case signaturesReused = "till_signatures_reused_total"

    case tlsExpiration = "till_tls_certificate_expiration_timestamp_seconds"
    case buildInfo = "till_build_info"
    case startTime = "process_start_time_seconds"

    /// The type of a metric.
    package enum Kind: Equatable, Sendable {
        /// A number that only increases while the process runs.
        case counter
        /// A number that can increase and decrease.
        case gauge
        /// The number of observations up to each of these bounds.
        case histogram([Double])

        /// The type in the Prometheus text format.
        package var name: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    /// The type, the labels and the description of the metric.
    struct Declaration {
        let kind: Kind
        var labels: [String] = []
        let help: String
    }

    /// The type.
    package var kind: Kind { declaration.kind }
    /// The names of the labels. A label has few possible values: never an id, an app or a customer.
    package var labels: [String] { declaration.labels }
    /// The description, in one sentence or two.
    package var help: String { declaration.help }
}
