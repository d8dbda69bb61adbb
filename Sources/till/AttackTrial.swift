import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillShop

/// Posts the attack pack to a backend, and says what it accepted.
struct AttackTrial {
    let url: String

    /// What became of one post.
    struct Attempt {
        let name: String
        let wrong: String
        /// Nil when no answer came.
        let status: Int?

        var isAccepted: Bool { status.map { (200..<300).contains($0) } ?? false }
        var words: String { status.map { "HTTP \($0)" } ?? "no answer" }
    }

    struct Report {
        let url: String
        let control: Attempt
        var attacks: [Attempt] = []
        /// The second time that the right one was sent.
        var replay: Attempt?

        var accepted: [Attempt] { attacks.filter(\.isAccepted) }

        /// Why the report says nothing about the attacks.
        var failure: String? {
            if control.status == nil { return "Nobody answers at \(url)." }
            return control.isAccepted
                ? nil
                : "The endpoint refused a notification that is right (\(control.words)): it refuses everything."
                    + " Give it Till's root (till ca export), the bundle id and the realm."
        }
    }

    /// - Parameter only: the one attack to try; nil is all.
    func run(_ cases: [JSONTree], only: String?) async -> Report {
        func attempt(_ name: String) async -> Attempt {
            let entry = cases.first { $0["case"]?.text == name }
            let status = await post(entry?["signedPayload"]?.text ?? "")
            return Attempt(name: name, wrong: entry?["wrong"]?.text ?? "", status: status)
        }
        var report = Report(url: url, control: await attempt("control"))
        guard report.control.isAccepted else { return report }
        for entry in cases where entry["mustBeRefused"]?.text == "true" {
            guard let name = entry["case"]?.text, only == nil || only == name else { continue }
            report.attacks.append(await attempt(name))
        }
        if only == nil || only == "replayed-notification" {
            _ = await attempt("replayed-notification")
            report.replay = await attempt("replayed-notification")
        }
        return report
    }

    private func post(_ signedPayload: String) async -> Int? {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: JSONTree.members(["signedPayload": .string(signedPayload)]).written()))
        return try? await ControlClient.send(request, timeout: .seconds(30)).status
    }
}

extension AttackTrial.Report {
    var text: String {
        var lines = ["control".column + "\(control.words)  " + (control.isAccepted ? "accepted, as it must be" : "")]
        for attempt in attacks {
            let verdict = attempt.isAccepted ? "ACCEPTED  \(attempt.wrong)" : "refused"
            lines.append(attempt.name.column + "\(attempt.words)  \(verdict)")
        }
        if let replay {
            let verdict =
                replay.isAccepted
                ? "accepted the second time too, as it must be; see that it acted once"
                : "refused the second time; it will be sent again and again"
            lines.append(replay.name.column + "\(replay.words)  \(verdict)")
        }
        if failure == nil {
            lines.append("")
            lines.append(
                accepted.isEmpty
                    ? "Nothing was accepted that must be refused."
                    : "\(accepted.count) of \(attacks.count) were accepted that must be refused."
            )
        }
        return lines.joined(separator: "\n")
    }

    var json: JSONTree {
        .members([
            "url": .string(url), "control": control.json, "attacks": .array(attacks.map(\.json)),
            "replay": replay?.json, "accepted": .array(accepted.map { .string($0.name) }),
        ])
    }
}

extension AttackTrial.Attempt {
    fileprivate var json: JSONTree {
        .members([
            "case": .string(name), "wrong": .string(wrong), "status": .count(status),
            "accepted": .bool(isAccepted),
        ])
    }
}

extension String {
    fileprivate var column: String { padding(toLength: 28, withPad: " ", startingAt: 0) }
}
