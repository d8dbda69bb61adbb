import Foundation

/// An engine's error in the access to its data.
package protocol StorageError: Error {
    /// Whether the same request may succeed later: the database server has stopped and another takes over, it is
    /// overloaded, or the disk is full. It is unknown whether the failed request took effect.
    var isTransient: Bool { get }

    /// Whether the disk that contains the data is full.
    var isDiskFull: Bool { get }

    /// Whether the engine could not read anything, so that the state of the data is unknown.
    var isUnreached: Bool { get }
}

extension StorageError {
    package var isDiskFull: Bool { false }
    package var isUnreached: Bool { isTransient }
}

extension Error {
    /// Whether this is an engine's error and the same request may succeed later.
    package var isTransient: Bool { (self as? any StorageError)?.isTransient ?? false }

    /// Whether a write failed because a disk is full.
    package var isFullDisk: Bool {
        switch self {
        case let trouble as any StorageError: trouble.isDiskFull
        case let error as CocoaError: error.code == .fileWriteOutOfSpace
        case let error as POSIXError: error.code == .ENOSPC || error.code == .EDQUOT
        default: false
        }
    }

    /// The message to a client about a temporary failure, without a full stop. The log has the cause.
    package var passingWords: String { isFullDisk ? "The disk is full" : "The database did not respond" }
}
