import HummingbirdCore
import Logging
import NIOCore

/// Answers a connection's requests on its event loop thread.
///
/// Switching to another thread and back costs more than most answers, and an answer of 80 KB would leave the CPU cache.
/// Only for routes that are always fast: the thread's other connections wait during an answer. Long operations
/// elsewhere, such as an advance, do not block these routes.
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
