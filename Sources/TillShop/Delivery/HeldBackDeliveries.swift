import Synchronization
import TillCore
import TillStorage

/// The deliveries that the fault `reorder` holds back on this node. They are due, but nothing waits for them.
final class HeldBackDeliveries: Sendable {
    private struct Key: Hashable {
        let notification: NotificationID
        let endpoint: String
    }

    private struct Hold {
        let until: Timestamp
        let epoch: Shop.Epoch
        let scope: AccountScope
    }

    private let holds = Mutex<[Key: Hold]>([:])

    /// Notes that a delivery is held back until a wall-clock time.
    func hold(_ delivery: Delivery, until: Timestamp, _ epoch: Shop.Epoch) {
        let key = Key(notification: delivery.notification, endpoint: delivery.endpoint)
        holds.withLock { $0[key] = Hold(until: until, epoch: epoch, scope: delivery.scope) }
    }

    /// Notes that deliveries, which were held back for another one, and that one are held back no longer.
    func release(_ deliveries: [Delivery], after later: Delivery) {
        holds.withLock { holds in
            guard !holds.isEmpty else { return }
            for delivery in deliveries + [later] {
                holds[Key(notification: delivery.notification, endpoint: delivery.endpoint)] = nil
            }
        }
    }

    /// Whether a delivery is held back now.
    ///
    /// - Parameter epoch: the current epoch of an app. In a later epoch than that of the hold, the delivery is not held
    ///   back, because all deliveries of the app start again.
    func contains(_ delivery: Delivery, at realTime: Timestamp, _ epoch: (String) -> Shop.Epoch) -> Bool {
        let key = Key(notification: delivery.notification, endpoint: delivery.endpoint)
        guard let hold = holds.withLock({ $0[key] }) else { return false }
        return realTime < hold.until && epoch(hold.scope.app) == hold.epoch
    }

    /// The number of deliveries to an endpoint of an app's environment that may be held back.
    func count(to endpoint: String, in scope: AccountScope) -> Int {
        holds.withLock { holds in holds.count(where: { $0.key.endpoint == endpoint && $0.value.scope == scope }) }
    }
}

extension Shop {
    /// Whether the fault `reorder` holds a delivery back, so that it will not be made now although it is due.
    func isHeldBack(_ delivery: Delivery) -> Bool {
        signals.heldBack.contains(delivery, at: wallClock(), epoch(of:))
    }
}
