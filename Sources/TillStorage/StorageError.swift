import Foundation

/// An engine's error about access to its data.
package protocol StorageError: Error {
    /// Whether the same request may succeed a moment later: the server has gone and another takes over, it is
    /// overloaded, or the disk is full. Whether the request took effect is unknown.
    var isTransient: Bool { get }

    /// Whether the disk with the data is full.
    var isDiskFull: Bool { get }

    /// Whether nothing could be read, so the state of the data is unknown.
    var isUnreached: Bool { get }
}

extension StorageError {
    package var isDiskFull: Bool { false }
    package var isUnreached: Bool { isTransient }
}

extension Error {
    /// Whether it is an engine's error, and the same request may succeed a moment later.
    package var isTransient: Bool { (self as? any StorageError)?.isTransient ?? false }

    /// Whether something could not be written because a disk is full.
    package var isFullDisk: Bool {
        switch self {
        case let trouble as any StorageError: trouble.isDiskFull
        case let error as CocoaError: error.code == .fileWriteOutOfSpace
        case let error as POSIXError: error.code == .ENOSPC || error.code == .EDQUOT
        default: false
        }
    }

    /// The message to a client about a temporary failure, without a full stop; the log has its cause.
    package var passingWords: String { isFullDisk ? "There is no room on the disk" : "The store did not answer" }
}
