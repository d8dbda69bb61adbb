import Foundation

/// What an engine throws when the way to its data is in trouble.
package protocol StorageTrouble: Error {
    /// Whether the same request may succeed a moment later: the server has gone and another takes over, it is crowded,
    /// or the disk is full. What came of the request is unknown.
    var isPassing: Bool { get }

    /// Whether the disk that the data lie on is full.
    var isForRoom: Bool { get }

    /// Whether nothing could be read, so that nothing is known of the data either.
    var isUnreached: Bool { get }
}

extension StorageTrouble {
    package var isForRoom: Bool { false }
    package var isUnreached: Bool { isPassing }
}

extension Error {
    /// Whether an engine threw it, and the same request may succeed a moment later.
    package var isPassingTrouble: Bool { (self as? any StorageTrouble)?.isPassing ?? false }

    /// Whether something could not be written because a disk is full.
    package var isFullDisk: Bool {
        switch self {
        case let trouble as any StorageTrouble: trouble.isForRoom
        case let error as CocoaError: error.code == .fileWriteOutOfSpace
        case let error as POSIXError: error.code == .ENOSPC || error.code == .EDQUOT
        default: false
        }
    }

    /// What a client is told of passing trouble, without a full stop; the log has its cause.
    package var passingWords: String { isFullDisk ? "There is no room on the disk" : "The store did not answer" }
}
