import Foundation
import Testing
import TillStorage
import TillTestSupport

@testable import TillShop

/// Checks the disk space check of `/readyz`. test_operating.py runs it with a full disk.
@Suite("The readiness check finds out whether a purchase could be committed")
struct DiskSpaceMonitorTests {
    @Test("After a commit failed for lack of space, the check fails until a write succeeds")
    func commits() async throws {
        let watch = DiskSpaceMonitor()
        let writes = Synchronized(0)
        let full = POSIXError(.ENOSPC)
        #expect(try await watch.hasDiskSpace(free: nil) { writes.value += 1 })
        watch.note([.success(()), .failure(.diskFull("full"))])
        #expect(try await !watch.hasDiskSpace(free: nil) { throw full })
        #expect(try await !watch.hasDiskSpace(free: .max) { throw full })
        await #expect(throws: CocoaError.self) {
            _ = try await watch.hasDiskSpace(free: nil) { throw CocoaError(.fileReadUnknown) }
        }
        // Any other error does not mean a full disk. While commits succeed, the check writes nothing.
        watch.note([.failure(.engine("broken"))])
        #expect(try await !watch.hasDiskSpace(free: nil) { throw full })
        #expect(writes.value == 0)
        #expect(try await watch.hasDiskSpace(free: nil) { writes.value += 1 })
        #expect(try await watch.hasDiskSpace(free: nil) { writes.value += 1 })
        #expect(writes.value == 1)
        watch.note(full)
        watch.note([.success(())])
        #expect(try await watch.hasDiskSpace(free: nil) { throw full })
    }

    @Test("Less than a megabyte of free space counts as a full disk, without a test write")
    func free() async throws {
        let watch = DiskSpaceMonitor()
        #expect(try await !watch.hasDiskSpace(free: DiskSpaceMonitor.leastFree - 1) { Issue.record("written") })
        #expect(try await watch.hasDiskSpace(free: DiskSpaceMonitor.leastFree) { Issue.record("written") })
        #expect(DiskSpaceMonitor.free(in: NSTemporaryDirectory()) != nil)
        #expect(DiskSpaceMonitor.free(in: "/nowhere") == nil)
    }

    @Test("The shop passes the results of its commits to the check, and the test write leaves no data")
    func shop() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let before = try await test.shop.storage.documents(.shop)
        #expect(try await test.shop.hasDiskSpace(in: test.directory.path))
        test.shop.transactor.commits.room.note([.failure(.diskFull("full"))])
        #expect(try await test.shop.hasDiskSpace(in: test.directory.path))
        #expect(try await test.shop.storage.documents(.shop) == before)
    }
}
