import Synchronization
import Testing

@testable import TillShop

@Suite("Operations run concurrently, and a restore runs exclusively")
struct AsyncReadWriteLockTests {
    /// Counts the tasks that hold the lock, and the overlaps with an exclusive section.
    private final class OverlapCounter: Sendable {
        private let state = Mutex((inside: 0, isExclusive: false, collisions: 0, maximum: 0))

        func enter(exclusive: Bool) {
            state.withLock { state in
                if state.isExclusive || (exclusive && state.inside > 0) { state.collisions += 1 }
                state.inside += 1
                state.isExclusive = exclusive
                state.maximum = max(state.maximum, state.inside)
            }
        }

        func leave(exclusive: Bool) {
            state.withLock { state in
                state.inside -= 1
                if exclusive { state.isExclusive = false }
            }
        }

        var collisions: Int { state.withLock { $0.collisions } }
        var maximum: Int { state.withLock { $0.maximum } }
    }

    @Test("No task overlaps an exclusive section, and every task completes")
    func contention() async {
        let lock = AsyncReadWriteLock()
        let counter = OverlapCounter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number % 40 == 0 {
                        await lock.exclusive {
                            counter.enter(exclusive: true)
                            try? await Task.sleep(for: .milliseconds(1))
                            counter.leave(exclusive: true)
                        }
                    } else {
                        await lock.shared {
                            counter.enter(exclusive: false)
                            await Task.yield()
                            await Task.yield()
                            counter.leave(exclusive: false)
                        }
                    }
                }
            }
        }
        #expect(counter.collisions == 0)
        #expect(counter.maximum > 1)
    }

    @Test("A replacement begins a new epoch of its app after the exclusive section, and none of another app")
    func epochs() async {
        let lock = AsyncReadWriteLock()
        let (a, b) = (lock.epoch(of: "a"), lock.epoch(of: "b"))
        await lock.exclusive {}
        let during = await lock.replacing { replaced in
            replaced = .app("a")
            return lock.epoch(of: "a")
        }
        #expect(during == a && lock.epoch(of: "a") > a && lock.epoch(of: "b") == b)
        let before = (lock.epoch(of: "a"), lock.epoch(of: "b"))
        await lock.replacing { $0 = .everything }
        #expect(lock.epoch(of: "a") > before.0 && lock.epoch(of: "b") > before.1)
        // Each of more apps than the lock remembers has an epoch that is later than before.
        let last = lock.epoch(of: "a")
        for number in 0...10_000 { await lock.replacing { $0 = .app("\(number)") } }
        #expect(lock.epoch(of: "a") > last)
    }

    @Test("A writer waits for the child tasks of a shared section, and a task that outlives the section for the writer")
    func children() async {
        let lock = AsyncReadWriteLock()
        let order = Synchronized<[String]>([])
        var outliving: Task<Void, Never>?
        var waiting: Task<Void, Never>?
        await lock.shared {
            waiting = Task {
                await lock.exclusive { order.value += ["exclusive"] }
            }
            while lock.waitingToBeAlone == 0 { await Task.yield() }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { order.value += ["child"] }
            }
            outliving = Task {
                while order.value.last != "exclusive" { await Task.yield() }
                await lock.shared { order.value += ["later"] }
            }
            await Task.detached { await lock.shared(aheadOfWriters: true) { order.value += ["pushing"] } }.value
        }
        await waiting?.value
        await outliving?.value
        #expect(order.value == ["child", "pushing", "exclusive", "later"])
    }

    @Test("A task that arrives while a writer waits enters after the writer, unless it has priority")
    func aheadOfWriters() async {
        let lock = AsyncReadWriteLock()
        let order = Synchronized<[String]>([])
        let (leave, leaving) = AsyncStream<Void>.makeStream()
        let first = Task.detached {
            await lock.shared { for await _ in leave { break } }
        }
        while lock.inside == 0 { await Task.yield() }
        let exclusive = Task.detached { await lock.exclusive { order.value += ["exclusive"] } }
        while lock.waitingToBeAlone == 0 { await Task.yield() }
        let second = Task.detached { await lock.shared { order.value += ["second"] } }
        while lock.waiting == 0 { await Task.yield() }
        await Task.detached { await lock.shared(aheadOfWriters: true) { order.value += ["pushing"] } }.value
        leaving.yield()
        await first.value
        await exclusive.value
        await second.value
        #expect(order.value == ["pushing", "exclusive", "second"])
    }

    @Test("A debug build stops when a task takes the lock that it holds, because it could wait for itself")
    func takenTwice() async {
        await #expect(processExitsWith: .failure) {
            let lock = AsyncReadWriteLock()
            await lock.shared { await lock.shared {} }
        }
    }
}
