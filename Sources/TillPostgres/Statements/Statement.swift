/// All statements of the engine. Only migrations and the commands at the start of a connection are not listed. A test
/// can therefore ask the server which partitions each statement touches.
enum Statement: String, CaseIterable, Sendable, SentStatement {
    // Transactions.
    case begin, commit, rollback, savepoint, release, rollbackToSavepoint

    // Accounts.
    case accountByID, accountByCustomer, accountsOfScope, accountsOfAll, insertAccount, updateAccount, nextDueOfAccount

    // The ledger.
    case insertRow, moveRow, ownerOfRow, rowByID, rowsOfOrder, refundsAfter, latestRefunds
    case historyUp, historyDown, filteredHistoryUp, filteredHistoryDown

    // Due accounts and deliveries.
    case dueAccounts, nextDueOnClock, dueDeliveries, pendingCount, pendingEndpoints

    // Notifications and deliveries.
    case insertEntry, entryByID, entryByUUID
    case insertDelivery, recordDelivery, redeliver, dropDeliveries, moveDeliveries, deliveriesOfEntry,
        deliveryToEndpoint
    case madeUp, madeDown, madeForAccountUp, madeForAccountDown
    case triedUp, triedDown, triedOfTypeUp, triedOfTypeDown, failedUp, failedDown
    case triedForAccountUp, triedForAccountDown

    // Documents, identifiers, redemptions and the request log.
    case documentsOfKind, putDocument, removeDocument
    case reserveIdentifiers, identifierHighWater, countRedemption
    case appendRequestLog, trimRequestLog, requestLogByID, newestRequestLog

    // The audit log.
    case putAudit, newestAudit, oldestAudit, pruneAudit, eraseAuditCustomer, eraseAuditObject

    // Checks of `till doctor`.
    case beginExamination
    case misplacedRows, misplacedAccounts, miscounted, beyondHead, refundsWithoutNumber, strangeClocks
    case halfRevocations, copiesWithoutSource
    case deliveriesOnStrangeClocks, missingNotifications, orphanedDeliveries, missingChains, fallenIdentifiers

    case ping

    // Coordination of nodes.
    case lockShared, lockAlone, checkWritePrecondition, raiseConfigurationVersion, raiseEra, allConfigurationVersions,
        announce
    case enterNode, retireNode, beatNode, expiredNode, reapNodes, allNodes, leaveNode, noteSeen, notDurably, renewNode
    case takeLease, releaseLease, allLeases
    case keepDocument, documentByName
    case dueAccountsInPart, nextDueInPart, dueDeliveriesInPart

    // Retention.
    case prunable, pruneDeliveries, pruneEntry

    // Erasing a customer.
    case rowsOfAccount, entriesOfAccount, deliveriesOfAccount
    case eraseDeliveries, eraseEntries, eraseRows, eraseAccount, eraseRequestLogEntry, requestLogPage, snapshotsHolding

    // Snapshots.
    case enterSnapshot, countSnapshot, growSnapshot, removeSnapshot, snapshotByName, allSnapshots, raiseIdentifiers

    var name: String { rawValue }

    /// The part of the database that the statement touches. The list contains every statement that touches more than
    /// one partition.
    var reach: StatementReach {
        switch self {
        case .accountsOfScope, .accountsOfAll:
            .sweep("a list of accounts over all customers: an ordered merge of one index range of each partition")
        case .dueAccounts, .nextDueOnClock, .dueDeliveries:
            .sweep(
                "a clock's customers are in all partitions: an ordered merge, of at most a page and a row of each"
            )
        // The bounds select the partitions of a node. If the bounds contain one partition, the statement touches no
        // other.
        case .dueAccountsInPart, .nextDueInPart, .dueDeliveriesInPart: .onePartition
        case .prunable:
            .sweep("an app's oldest notifications: an ordered merge, of at most a page and a row of each partition")
        case .pendingCount, .pendingEndpoints, .dropDeliveries:
            .sweep("an endpoint has deliveries in all partitions: the indexes contain pending deliveries only")
        case .entryByUUID:
            .sweep("a UUID contains no partition; operators look up by UUID, but the App Store Server API never does")
        case .madeUp, .madeDown, .triedUp, .triedDown, .triedOfTypeUp, .triedOfTypeDown, .failedUp, .failedDown:
            .sweep("an app's notifications by date: an ordered merge, of at most a page and a row of each partition")
        case .triedForAccountUp, .triedForAccountDown, .madeForAccountUp, .madeForAccountDown: .onePartition
        case .misplacedRows, .misplacedAccounts, .miscounted, .beyondHead, .refundsWithoutNumber, .halfRevocations,
            .copiesWithoutSource, .strangeClocks,
            .deliveriesOnStrangeClocks, .missingNotifications, .orphanedDeliveries, .missingChains:
            .sweep("the doctor reads everything")
        case .begin, .commit, .rollback, .savepoint, .release, .rollbackToSavepoint, .ping, .beginExamination,
            .documentsOfKind, .putDocument, .removeDocument, .reserveIdentifiers, .identifierHighWater,
            .countRedemption, .appendRequestLog, .trimRequestLog, .requestLogByID, .newestRequestLog,
            .fallenIdentifiers,
            .enterSnapshot, .countSnapshot, .growSnapshot, .removeSnapshot, .snapshotByName, .allSnapshots,
            .raiseIdentifiers, .eraseRequestLogEntry,
            .requestLogPage, .snapshotsHolding,
            .lockShared, .lockAlone, .checkWritePrecondition, .raiseConfigurationVersion, .raiseEra,
            .allConfigurationVersions, .announce,
            .enterNode, .retireNode, .beatNode, .expiredNode, .reapNodes, .allNodes, .leaveNode, .noteSeen,
            .notDurably, .renewNode,
            .takeLease, .releaseLease, .allLeases, .keepDocument, .documentByName,
            .putAudit, .newestAudit, .oldestAudit, .pruneAudit, .eraseAuditCustomer, .eraseAuditObject:
            .unpartitioned
        case .accountByID, .accountByCustomer, .insertAccount, .updateAccount, .nextDueOfAccount, .insertRow, .moveRow,
            .ownerOfRow, .rowByID, .rowsOfOrder, .refundsAfter, .latestRefunds, .historyUp, .historyDown,
            .filteredHistoryUp, .filteredHistoryDown, .insertEntry, .entryByID, .insertDelivery, .recordDelivery,
            .redeliver, .moveDeliveries, .deliveriesOfEntry, .deliveryToEndpoint, .rowsOfAccount, .entriesOfAccount,
            .deliveriesOfAccount, .eraseDeliveries, .eraseEntries, .eraseRows, .eraseAccount, .pruneDeliveries,
            .pruneEntry:
            .onePartition
        }
    }
}
