import HummingbirdCore
import Logging
import NIOCore

/// Answers the requests of a connection on the thread of its event loop.
///
/// A switch to another thread and back costs more than most answers, and a body of 80 KB would leave the CPU cache. Use
/// it only for routes that always answer fast, because the thread's other connections wait meanwhile. Long operations
/// of other routes, such as an advance, run on other threads and do not block this one.
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

/// Runs tasks on the thread of an event loop.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
