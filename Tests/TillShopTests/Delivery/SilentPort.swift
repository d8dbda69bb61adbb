import Foundation

/// A port that never completes a connection: its accept queue is full and never emptied.
final class SilentPort {
    let port: Int
    private var sockets: [Int32] = []

    init() throws {
        #if os(Linux)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let server = socket(AF_INET, stream, 0)
        sockets.append(server)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(server, pointer, length) + listen(server, 0) + getsockname(server, pointer, &length)
            }
        }
        guard code == 0 else { throw CocoaError(.fileReadUnknown) }
        port = Int(UInt16(bigEndian: address.sin_port))
        for _ in 0..<4 {
            let client = socket(AF_INET, stream, 0)
            sockets.append(client)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
            }
        }
    }

    deinit { for socket in sockets { close(socket) } }
}
