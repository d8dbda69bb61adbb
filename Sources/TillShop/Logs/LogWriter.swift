import Foundation
import Synchronization

/// Writes log lines to a file descriptor such that a reader that stops reading blocks no request.
///
/// A line is written at once while the descriptor accepts it, so that a crash loses no line. Otherwise it waits in a
/// queue, which a thread writes. If the queue is full, the line is lost, and a later line says how many were.
package final class LogWriter: Sendable {
    private struct State {
        var waiting: [[UInt8]] = []
        /// The number of bytes in `waiting`.
        var bytes = 0
        /// The lines that were lost since the last line about them.
        var lost = 0
        /// Whether the thread has something to write.
        var isWriting = false
        var describeLost: @Sendable (Int) -> [UInt8] = { Array("\($0) log lines were lost\n".utf8) }
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    /// The limits of the queue. As many lines again can be with the thread.
    private let maxLines: Int
    private static let maxBytes = 4 << 20
    /// The maximum length of a line that is written at once: a pipe that accepts any byte accepts as many as this.
    private static let maxAtOnce = Int(PIPE_BUF)

    /// Writes to standard error.
    package static let standardError = LogWriter(STDERR_FILENO)

    /// - Parameter descriptor: an open file descriptor.
    package init(_ descriptor: Int32, maxLines: Int = 5_000) {
        (self.descriptor, self.maxLines) = (descriptor, maxLines)
    }

    /// Sets how the line about lost lines is made from their number.
    package func describeLost(_ describe: @escaping @Sendable (Int) -> [UInt8]) {
        state.withLock { $0.describeLost = describe }
    }

    /// Writes a line with its line break, or puts it into the queue.
    package func write(_ line: [UInt8]) {
        let needsThread = state.withLock { state in
            if !state.isWriting, line.count <= Self.maxAtOnce, accepts() {
                put(line)
                return false
            }
            guard state.waiting.count < maxLines, state.bytes + line.count <= Self.maxBytes else {
                state.lost += 1
                return false
            }
            state.waiting.append(line)
            state.bytes += line.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if needsThread { Thread.detachNewThread { self.writeWaiting() } }
    }

    /// Waits until the queue is empty, for a second at most.
    package func flush() {
        for _ in 0..<200 where state.withLock({ $0.isWriting }) { usleep(5_000) }
    }

    /// Writes the queue until it is empty. Runs in a thread of its own, which the descriptor can block.
    private func writeWaiting() {
        while true {
            let (lines, lost, describe) = state.withLock { state in
                defer { (state.waiting, state.bytes, state.lost) = ([], 0, 0) }
                state.isWriting = !state.waiting.isEmpty || state.lost > 0
                return (state.waiting, state.lost, state.describeLost)
            }
            // The lost lines are newer than these lines, which filled the queue.
            lines.forEach(put)
            if lost > 0 { put(describe(lost)) }
            if lines.isEmpty, lost == 0 { return }
        }
    }

    /// Whether the descriptor accepts a short line without blocking.
    private func accepts() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, 0) != 0
    }

    /// Writes a whole line. If the descriptor is closed, the line is lost.
    private func put(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let count = Foundation.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                if count > 0 {
                    start += count
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}

/// A stream of whole lines.
package struct LogLines: TextOutputStream, Sendable {
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: receives each line with its line break.
    package init(_ write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    /// Writes a line.
    package func write(_ line: String) { write(Array(line.utf8)) }
}
