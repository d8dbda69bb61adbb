import HummingbirdCore
import Logging
import NIOCore

/// Answers a connection's requests on the thread that reads and writes it.
///
/// A way to another thread and back costs more than most answers do, and an answer of eighty kilobytes is out of the
/// processor's cache by then. It is for routes that never take long: while one is answered, the thread's other
/// connections wait. What takes long elsewhere, such as an advance, does not hold these routes up.
struct LoopChannel<Connection: ServerChildChannel>: ServerChildChannel {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection.Value> {
        connection.setup(channel: channel, logger: logger)
    }

    func handle(value: Connection.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await connection.handle(value: value, logger: logger)
        }
    }
}

/// Runs tasks on an event loop, between its reads and its writes.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
