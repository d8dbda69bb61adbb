import CPostgres

/// The notices that the server sends on a connection. It is used on the connection's thread only.
final class Notices {
    /// Whether the server stopped waiting for its standby and acknowledged the commit without it.
    var isCommitDoubtful = false

    /// The function that libpq calls. The address points to the `Notices` object.
    static let receiver: PQnoticeReceiver = { address, result in
        guard let address, let result, let place = PQresultErrorField(result, Notices.function) else { return }
        guard String(cString: place) == "SyncRepWaitForLSN" else { return }
        Unmanaged<Notices>.fromOpaque(address).takeUnretainedValue().isCommitDoubtful = true
    }

    /// The field of a notice that contains the name of the server's C function. The text of the message cannot be
    /// compared, because it is localized.
    private static let function = Int32(UInt8(ascii: "R"))
}
