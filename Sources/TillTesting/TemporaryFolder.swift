import Foundation

/// A folder of a test's own, removed when the test lets go of it.
package final class TemporaryFolder: Sendable {
    /// An absolute path without a slash at its end.
    package let path = NSTemporaryDirectory() + "till-folder-\(UUID().uuidString)"

    /// Makes the folder.
    package init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
