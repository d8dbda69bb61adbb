import Synchronization
import Testing

@testable import TillShop

@Suite("Acts go side by side, a restore alone")
struct AsyncReadWriteLockTests {
    /// Counts who is inside, and who met somebody who was to be alone.
    private final class Watch: Sendable {
        private let state = Mutex((inside: 0, isAlone: false, collisions: 0, most: 0))

        func enter(exclusive: Bool) {
            state.withLock { state in
                if state.isAlone || (exclusive && state.inside > 0) { state.collisions += 1 }
                state.inside += 1
                state.isAlone = exclusive
                state.most = max(state.most, state.inside)
            }
        }

        func leave(exclusive: Bool) {
            state.withLock { state in
                state.inside -= 1
                if exclusive { state.isAlone = false }
            }
        }

        var collisions: Int { state.withLock { $0.collisions } }
        var most: Int { state.withLock { $0.most } }
    }

    @Test("Whoever is alone meets nobody, and everybody comes through")
    func crowd() async {
        let gate = AsyncReadWriteLock()
        let watch = Watch()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number % 40 == 0 {
                        await gate.exclusive {
                            watch.enter(exclusive: true)
                            try? await Task.sleep(for: .milliseconds(1))
                            watch.leave(exclusive: true)
                        }
                    } else {
                        await gate.shared {
                            watch.enter(exclusive: false)
                            await Task.yield()
                            // Goes in again, although somebody may wait to be alone.
                            await gate.shared { await Task.yield() }
                            watch.leave(exclusive: false)
                        }
                    }
                }
            }
        }
        #expect(watch.collisions == 0)
        #expect(watch.most > 1)
        #expect(gate.era == 10)
    }

    @Test("What somebody reads while another is alone belongs to the era before")
    func eras() async {
        let gate = AsyncReadWriteLock()
        let during = await gate.exclusive { gate.era }
        #expect(during < gate.era)
    }

    @Test("Child tasks of who is inside go in while somebody waits; a task that outlives it does not")
    func children() async {
        let gate = AsyncReadWriteLock()
        let order = Synchronized<[String]>([])
        var outliving: Task<Void, Never>?
        var waiting: Task<Void, Never>?
        await gate.shared {
            waiting = Task {
                await gate.exclusive { order.value += ["alone"] }
            }
            while gate.waitingToBeAlone == 0 { await Task.yield() }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await gate.shared { order.value += ["child"] } }
            }
            outliving = Task {
                while order.value.last != "alone" { await Task.yield() }
                await gate.shared { order.value += ["later"] }
            }
            await gate.shared(pushing: true) { order.value += ["pushing"] }
        }
        await waiting?.value
        await outliving?.value
        #expect(order.value == ["child", "pushing", "alone", "later"])
    }

    @Test("Who comes while somebody waits to be alone comes after, and who pushes before")
    func pushing() async {
        let gate = AsyncReadWriteLock()
        let order = Synchronized<[String]>([])
        let (leave, leaving) = AsyncStream<Void>.makeStream()
        let first = Task.detached {
            await gate.shared { for await _ in leave { break } }
        }
        while gate.inside == 0 { await Task.yield() }
        let exclusive = Task.detached { await gate.exclusive { order.value += ["alone"] } }
        while gate.waitingToBeAlone == 0 { await Task.yield() }
        let second = Task.detached { await gate.shared { order.value += ["second"] } }
        while gate.waiting == 0 { await Task.yield() }
        await Task.detached { await gate.shared(pushing: true) { order.value += ["pushing"] } }.value
        leaving.yield()
        await first.value
        await exclusive.value
        await second.value
        #expect(order.value == ["pushing", "alone", "second"])
    }
}
