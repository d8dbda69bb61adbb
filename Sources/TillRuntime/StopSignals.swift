import Logging
import ServiceLifecycle
import Synchronization
import TillShop
import UnixSignals

/// Waits for a signal that stops the server, and logs it. When this service ends, the others stop.
final class StopSignals: Service {
    private let signals: [UnixSignal]
    private let logger: Logger
    /// Kept until the server has stopped, so that another signal does not end the process before that.
    private let trapped = Synchronized<UnixSignalsSequence?>(nil)
    private let received = Synchronized<UnixSignal?>(nil)

    init(_ signals: [UnixSignal], _ logger: Logger) { (self.signals, self.logger) = (signals, logger) }

    /// Why the server stops: the name of the signal.
    var reason: String { received.value?.description ?? "no signal" }

    func run() async throws {
        guard !signals.isEmpty else {
            try? await gracefulShutdown()
            return
        }
        let sequence = await UnixSignalsSequence(trapping: signals)
        trapped.value = sequence
        guard let signal = await sequence.cancelOnGracefulShutdown().first(where: { _ in true }) else { return }
        received.value = signal
        logger.notice("stopping", metadata: ["reason": "\(signal)"])
    }
}
