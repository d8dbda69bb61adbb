import CPostgres

/// What a server says unasked on a connection. It stays on the connection's thread.
final class Notices {
    /// Whether the server gave up waiting for its standby, and acknowledged the commit all the same.
    var isCommitDoubtful = false

    /// Told by libpq. The address is that of the notices.
    static let receiver: PQnoticeReceiver = { address, result in
        guard let address, let result, let place = PQresultErrorField(result, Notices.function) else { return }
        guard String(cString: place) == "SyncRepWaitForLSN" else { return }
        Unmanaged<Notices>.fromOpaque(address).takeUnretainedValue().isCommitDoubtful = true
    }

    /// The field for the function of the server's that speaks: its sentences are in the server's language.
    private static let function = Int32(UInt8(ascii: "R"))
}
