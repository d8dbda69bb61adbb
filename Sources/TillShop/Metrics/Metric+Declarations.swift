extension Metric {
    var declaration: Declaration {
        switch self {
        case .requests, .requestDuration, .tokenRefusals, .receipts: requestDeclaration
        case .deliveryAttempts, .deliveriesPending, .oldestPendingDelivery: deliveryDeclaration
        case .clockLag, .overdueDeadlines, .quarantinedAccounts: clockDeclaration
        case .commits, .commitDuration, .commitGroupSize, .commitRetries: commitDeclaration
        case .storeUp, .storeSize, .storeWAL, .storeFree, .connectionsInUse, .connectionLimit, .connectionsWaiting:
            storeDeclaration
        case .clusterNodes, .clusterMember, .clusterLeases, .clusterPartitions, .clusterRejoins: clusterDeclaration
        case .signatures, .signaturesReused, .tlsExpiration, .buildInfo, .startTime: serverDeclaration
        }
    }

    private var requestDeclaration: Declaration {
        switch self {
        case .requests:
            Declaration(
                kind: .counter,
                labels: ["environment", "route", "status"],
                help: "Answered requests. The environment is control for the control port; the route is a template "
                    + "without ids, or none."
            )
        case .requestDuration:
            Declaration(
                kind: .histogram([0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]),
                labels: ["environment", "route"],
                help: "Time from the arrival of a request's header until its answer begins. It includes the waits that "
                    + "a request asks for, such as settle."
            )
        case .receipts:
            Declaration(
                kind: .counter,
                labels: ["status"],
                help: "Answers of verifyReceipt, by the status in the body; the HTTP status is always 200. With 21009, "
                    + "Till itself failed."
            )
        default:
            Declaration(
                kind: .counter,
                labels: ["api", "reason"],
                help: "Requests that were refused because of their token, by API (app_store or control) and reason."
            )
        }
    }

    private var deliveryDeclaration: Declaration {
        switch self {
        case .deliveryAttempts:
            Declaration(
                kind: .counter,
                labels: ["environment", "result"],
                help: "Attempts to deliver a notification, by the sendAttemptResult of the App Store Server API. "
                    + "SUCCESS is a delivery, and every other result is a failure."
            )
        case .deliveriesPending:
            Declaration(
                kind: .gauge,
                labels: ["environment"],
                help: "Deliveries that are waiting for their first or next attempt, in the whole database."
            )
        default:
            Declaration(
                kind: .gauge,
                labels: ["environment"],
                help: "Age of the oldest pending delivery since its notification was signed, on the clock of the "
                    + "delivery; 0 without pending deliveries."
            )
        }
    }

    private var clockDeclaration: Declaration {
        switch self {
        case .clockLag:
            Declaration(
                kind: .gauge,
                help: "Real time since the earliest unprocessed event of all moving clocks was due."
            )
        case .overdueDeadlines:
            Declaration(
                kind: .gauge,
                help: "Accounts of this node with an event that is due on a moving clock and not processed yet. At "
                    + "most 1000 of each clock are counted, on at most 20 clocks."
            )
        default:
            Declaration(
                kind: .gauge,
                help: "Accounts whose due events could not be processed. Till tries again every minute."
            )
        }
    }

    private var commitDeclaration: Declaration {
        switch self {
        case .commits:
            Declaration(
                kind: .counter,
                labels: ["result"],
                help: "Changes that were committed, or were rejected or failed. A conflict is decided and committed "
                    + "again."
            )
        case .commitDuration:
            Declaration(
                kind: .histogram([0.0005, 0.002, 0.01, 0.05, 0.25, 1, 5]),
                help: "Time of a database transaction with a group of changes. The count is the number of "
                    + "transactions."
            )
        case .commitGroupSize:
            Declaration(
                kind: .histogram([1, 2, 4, 8, 16, 32, 64, 128]),
                help: "Changes that were written in one database transaction."
            )
        default:
            Declaration(
                kind: .counter,
                help: "Decisions that were repeated because another writer changed the data or the configuration first."
            )
        }
    }

    private var storeDeclaration: Declaration {
        switch self {
        case .storeUp:
            Declaration(kind: .gauge, help: "Whether the store answered when these metrics were last read: 1 or 0.")
        case .storeSize:
            Declaration(
                kind: .gauge,
                help: "Size of the database file without its write-ahead log, or of the PostgreSQL database."
            )
        case .storeWAL:
            Declaration(kind: .gauge, help: "Size of the write-ahead log. Only with SQLite.")
        case .storeFree:
            Declaration(
                kind: .gauge,
                help: "Free space of the file system with the data directory. Only with SQLite."
            )
        case .connectionsInUse:
            Declaration(kind: .gauge, help: "Connections that run a statement. Only with PostgreSQL.")
        case .connectionLimit:
            Declaration(kind: .gauge, help: "Maximum number of connections of the pool. Only with PostgreSQL.")
        default:
            Declaration(kind: .gauge, help: "Statements that wait for a connection. Only with PostgreSQL.")
        }
    }

    private var clusterDeclaration: Declaration {
        switch self {
        case .clusterNodes:
            Declaration(
                kind: .gauge,
                help: "Live nodes on the database, this one included, as this node knows them. Only with PostgreSQL."
            )
        case .clusterMember:
            Declaration(
                kind: .gauge,
                help: "Whether the other nodes certainly consider this node alive: 1 or 0. With 0, it processes no "
                    + "events and makes no deliveries. Only with PostgreSQL."
            )
        case .clusterLeases:
            Declaration(
                kind: .gauge,
                help: "Leases that this node holds: one for each 32 partitions, and one for each single task. "
                    + "Only with PostgreSQL."
            )
        case .clusterPartitions:
            Declaration(
                kind: .gauge,
                help: "Partitions whose events and deliveries this node processes; 1024 over all nodes. Only with "
                    + "PostgreSQL."
            )
        default:
            Declaration(
                kind: .counter,
                help: "Times that this node joined again after the other nodes had removed it. Only with PostgreSQL."
            )
        }
    }

    private var serverDeclaration: Declaration {
        switch self {
        case .signatures:
            Declaration(kind: .counter, labels: ["format"], help: "Signatures that were made, of a jws or a receipt.")
        case .signaturesReused:
            Declaration(
                kind: .counter,
                labels: ["format"],
                help: "Signatures that were kept from an earlier answer and sent again, of a jws or a receipt."
            )
        case .tlsExpiration:
            Declaration(
                kind: .gauge,
                help: "End of validity of the TLS certificate, in seconds since 1970. Only with TLS."
            )
        case .buildInfo:
            Declaration(kind: .gauge, labels: ["version"], help: "The version of Till; the value is always 1.")
        default:
            Declaration(kind: .gauge, help: "Start of the process, in seconds since 1970.")
        }
    }
}
