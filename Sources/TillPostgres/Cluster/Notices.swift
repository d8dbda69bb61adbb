import CPostgres

/// Notices that the server sends on a connection. Used on the connection's thread only.
final class Notices {
    /// Whether the server stopped waiting for its standby and acknowledged the commit anyway.
    var isCommitDoubtful = false

    /// Called by libpq; the address points to the `Notices`.
    static let receiver: PQnoticeReceiver = { address, result in
        guard let address, let result, let place = PQresultErrorField(result, Notices.function) else { return }
        guard String(cString: place) == "SyncRepWaitForLSN" else { return }
        Unmanaged<Notices>.fromOpaque(address).takeUnretainedValue().isCommitDoubtful = true
    }

    /// The notice field with the server's C function name: the message text itself is localized.
    private static let function = Int32(UInt8(ascii: "R"))
}
