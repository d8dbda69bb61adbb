import Foundation

/// A temporary folder that is removed when the test releases this object.
package final class TemporaryFolder: Sendable {
    /// The absolute path, without a slash at the end.
    package let path = NSTemporaryDirectory() + "till-folder-\(UUID().uuidString)"

    /// Creates the folder.
    package init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
