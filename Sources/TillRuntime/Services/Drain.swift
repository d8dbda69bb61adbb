import ServiceLifecycle
import TillShop

/// The first service to stop. It delays the stop of the others: `/readyz` reports that the server is not ready, and the
/// server still answers for a while, so that a load balancer can remove it. Then it stops long operations, because the
/// listeners stop only after their last request.
struct Drain: Service {
    let shop: Shop
    let time: Duration
    let ports: Ports

    func run() async throws {
        defer { shop.stopLongWork() }
        // The other services stop after this one, so this wait must not be cancelled.
        try await gracefulShutdown()
        shop.isDraining.value = true
        // No client can use a server that never opened all its ports, so there is nothing to wait for.
        guard ports.areOpen else { return }
        try? await Task.sleep(for: time)
    }
}
