import Foundation
import Testing
import TillStorage
import TillTesting

@testable import TillShop

/// What `/readyz` asks. That a full disk is seen is tested with one, in test_operating.py.
@Suite("Whether a purchase could be committed")
struct RoomWatchTests {
    @Test("A commit without room says no until something could be written again")
    func commits() async throws {
        let watch = RoomWatch()
        let writes = Synchronized(0)
        let full = POSIXError(.ENOSPC)
        #expect(try await watch.hasRoom(free: nil) { writes.value += 1 })
        watch.note([.success(()), .failure(.noRoom("full"))])
        #expect(try await !watch.hasRoom(free: nil) { throw full })
        #expect(try await !watch.hasRoom(free: .max) { throw full })
        await #expect(throws: CocoaError.self) {
            _ = try await watch.hasRoom(free: nil) { throw CocoaError(.fileReadUnknown) }
        }
        // Another failure says nothing of the room, and nothing is written while all is well.
        watch.note([.failure(.engine("broken"))])
        #expect(try await !watch.hasRoom(free: nil) { throw full })
        #expect(writes.value == 0)
        #expect(try await watch.hasRoom(free: nil) { writes.value += 1 })
        #expect(try await watch.hasRoom(free: nil) { writes.value += 1 })
        #expect(writes.value == 1)
        watch.note(full)
        watch.note([.success(())])
        #expect(try await watch.hasRoom(free: nil) { throw full })
    }

    @Test("A disk with less than a megabyte left has no room, without a write")
    func free() async throws {
        let watch = RoomWatch()
        #expect(try await !watch.hasRoom(free: RoomWatch.leastFree - 1) { Issue.record("written") })
        #expect(try await watch.hasRoom(free: RoomWatch.leastFree) { Issue.record("written") })
        #expect(RoomWatch.free(in: NSTemporaryDirectory()) != nil)
        #expect(RoomWatch.free(in: "/nowhere") == nil)
    }

    @Test("The shop asks its commits, and leaves nothing behind when it writes to find out")
    func shop() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        let before = try await test.shop.storage.documents(.shop)
        #expect(try await test.shop.hasRoom(in: test.directory.path))
        test.shop.room.note([.failure(.noRoom("full"))])
        #expect(try await test.shop.hasRoom(in: test.directory.path))
        #expect(try await test.shop.storage.documents(.shop) == before)
    }
}
