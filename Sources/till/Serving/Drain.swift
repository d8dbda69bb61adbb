import ServiceLifecycle
import TillShop

/// Before anything else stops: says that no new callers are wanted, and still answers all of them for a while, so that
/// a balancer has time to see it.
struct Drain: Service {
    let shop: Shop
    let time: Duration
    let ports: Ports

    func run() async throws {
        // Nobody cancels the wait: it is what the stop waits for.
        try await gracefulShutdown()
        shop.isDraining.value = true
        // Nobody calls a server that never got all of its ports.
        guard ports.areOpen else { return }
        try? await Task.sleep(for: time)
    }
}
