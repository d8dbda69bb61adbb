import Foundation

/// A temporary folder, removed when the test releases it.
package final class TemporaryFolder: Sendable {
    /// An absolute path without a slash at its end.
    package let path = NSTemporaryDirectory() + "till-folder-\(UUID().uuidString)"

    /// Creates the folder.
    package init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
