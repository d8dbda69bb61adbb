import ServiceLifecycle
import TillShop

/// Runs before anything else stops: `/readyz` reports not ready while the server still answers for a while, so that
/// a load balancer can take it out.
struct Drain: Service {
    let shop: Shop
    let time: Duration
    let ports: Ports

    func run() async throws {
        // The stop waits for this, so it must not be cancelled.
        try await gracefulShutdown()
        shop.isDraining.value = true
        // A server that never opened all of its ports has no clients.
        guard ports.areOpen else { return }
        try? await Task.sleep(for: time)
    }
}
