import Foundation

/// Deletes what this process has created on a server that does not end with it, when this process ends without having
/// done so, for example because it was killed. It needs the program `curl`; without it, a killed process leaves its
/// apps behind.
final class Cleanup: Sendable {
    /// Each file in the folder has paths of the control API, a line each. When the pipe closes, the shell sends DELETE
    /// to them, and deletes the folder. If there are files, it does so twice, because the server may still have been
    /// creating an app. The token is not an argument, because all users of a machine see arguments.
    private static let script = """
        exec 3<&0 </dev/null
        trap : HUP INT TERM
        while read -r line <&3; do :; done
        for pass in 1 2; do
            for file in "$0"/*; do
                [ -e "$file" ] || continue
                while read -r path; do
                    printf '%s' "${CLEANUP_TOKEN:+header = \\"Authorization: Bearer $CLEANUP_TOKEN\\"}" |
                        curl --config - --globoff --noproxy '*' --max-time 60 --request DELETE "$1$path"
                done <"$file"
            done
            rmdir "$0" && exit
            [ "$pass" = 2 ] || sleep 1
        done
        rm -rf "$0"
        """

    private let shell: ShellProcess

    init(control url: String, token: String?) throws(TillTestingError) {
        do {
            shell = try ShellProcess(Self.script, environment: ["CLEANUP_TOKEN": token ?? ""]) { _ in [url] }
        } catch {
            throw TillTestingError("/bin/sh could not be started: \(error)")
        }
    }

    deinit { shell.closePipe() }

    /// Remembers what to delete, until `forget` is called with the same name.
    func remember(_ name: String, _ paths: [String]) {
        let text = Data(paths.map { "\($0)\n" }.joined().utf8)
        try? text.write(to: URL(fileURLWithPath: "\(shell.folder)/\(name)"), options: .atomic)
    }

    func forget(_ name: String) { try? FileManager.default.removeItem(atPath: "\(shell.folder)/\(name)") }
}
