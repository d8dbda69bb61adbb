import Logging
import ServiceLifecycle
import TillStorage

/// Deletes old notifications and audit records in the background: every hour, in small batches.
package struct Pruner: Service {
    private let shop: Shop
    /// The delay before the first run, so that servers that run only briefly do not prune.
    private static let first = Duration.seconds(15)
    private static let interval = Duration.seconds(3_600)

    /// Creates the service for a shop.
    package init(_ shop: Shop) { self.shop = shop }

    /// Prunes until the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.first)
            while !Task.isCancelled {
                await prune()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func prune() async {
        do {
            try await shop.retention.noteHighWaterMark()
            let records = try await shop.retention.pruneAudit()
            if records > 0 {
                shop.logger.notice("old audit records were deleted", metadata: ["count": "\(records)"])
            }
            let report = try await shop.retention.prune(pausing: .milliseconds(50))
            guard report.notifications > 0 else { return }
            shop.logger.notice("old notifications were deleted", metadata: ["count": "\(report.notifications)"])
        } catch is CancellationError {
        } catch is ShopBusy {
        } catch {
            shop.logger.warning(
                "old notifications and audit records could not be deleted",
                metadata: ["cause": "\(error.logText)"]
            )
        }
    }
}
