import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillShop

/// Posts the attack pack to a backend, and says what it accepted.
struct AttackTrial {
    /// What is posted, and how a backend says no to it.
    enum Form {
        /// `{"signedPayload": …}`; whatever is answered with 2xx is accepted.
        case notifications
        /// `{"receipt-data": …, "deviceId": …}`; a `status` other than 0 in the answer says no too.
        case receipts

        var noun: String { self == .notifications ? "notification" : "receipt" }

        /// How an endpoint comes to refuse what is right.
        var advice: String {
            switch self {
            case .notifications: "Give it Till's root (till ca export), the bundle id and the realm."
            case .receipts:
                "Give it the root of receipts (till ca export --receipts), and name a purchase with --about."
            }
        }

        func body(of entry: JSONTree?) -> JSONTree {
            switch self {
            case .notifications: .members(["signedPayload": .string(entry?["signedPayload"]?.text ?? "")])
            case .receipts:
                .members([
                    "receipt-data": .string(entry?["receipt"]?.text ?? ""),
                    "deviceId": .string(entry?["deviceId"]?.text ?? ""),
                ])
            }
        }

        func saysNo(_ answer: [UInt8]) -> Bool {
            guard self == .receipts, let status = (try? JSONTree.parse(answer))?["status"] else { return false }
            return status.text != "0"
        }
    }

    let url: String
    var form = Form.notifications

    /// What became of one post.
    struct Attempt {
        let name: String
        let wrong: String
        /// Nil when no answer came.
        let status: Int?
        /// Whether the answer says no although its status does not.
        var saysNo = false

        var isAccepted: Bool { !saysNo && status.map { (200..<300).contains($0) } ?? false }
        var words: String { status.map { "HTTP \($0)" } ?? "no answer" }
    }

    struct Report {
        let url: String
        let form: Form
        let control: Attempt
        var attacks: [Attempt] = []
        /// What a right verifier may accept: nothing is wrong with it, or only who knows the device can tell.
        var others: [Attempt] = []
        /// The second time that the right one was sent.
        var replay: Attempt?

        var accepted: [Attempt] { attacks.filter(\.isAccepted) }

        /// Why the report says nothing about the attacks.
        var failure: String? {
            if control.status == nil { return "Nobody answers at \(url)." }
            return control.isAccepted
                ? nil
                : "The endpoint refused a \(form.noun) that is right (\(control.words)): it refuses everything. "
                    + form.advice
        }
    }

    /// - Parameter only: the one attack to try; nil is all.
    func run(_ cases: [JSONTree], only: String?) async -> Report {
        func attempt(_ name: String) async -> Attempt {
            let entry = cases.first { $0["case"]?.text == name }
            let (status, answer) = await post(form.body(of: entry))
            let wrong = entry?["wrong"]?.text ?? ""
            return Attempt(name: name, wrong: wrong, status: status, saysNo: form.saysNo(answer))
        }
        var report = Report(url: url, form: form, control: await attempt("control"))
        guard report.control.isAccepted else { return report }
        for entry in cases where entry["mustBeRefused"]?.text == "true" {
            guard let name = entry["case"]?.text, only == nil || only == name else { continue }
            report.attacks.append(await attempt(name))
        }
        guard form == .notifications else {
            for entry in cases where entry["mustBeRefused"]?.text != "true" {
                guard let name = entry["case"]?.text, name != "control", only == nil || only == name else { continue }
                report.others.append(await attempt(name))
            }
            return report
        }
        if only == nil || only == "replayed-notification" {
            _ = await attempt("replayed-notification")
            report.replay = await attempt("replayed-notification")
        }
        return report
    }

    private func post(_ body: JSONTree) async -> (status: Int?, answer: [UInt8]) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body.written()))
        guard let answer = try? await ControlClient.send(request, timeout: .seconds(30)) else { return (nil, []) }
        return (answer.status, answer.body)
    }
}

extension AttackTrial.Report {
    var text: String {
        var lines = ["control".column + "\(control.words)  " + (control.isAccepted ? "accepted, as it must be" : "")]
        for attempt in attacks {
            let verdict = attempt.isAccepted ? "ACCEPTED  \(attempt.wrong)" : "refused"
            lines.append(attempt.name.column + "\(attempt.words)  \(verdict)")
        }
        for attempt in others {
            let verdict = attempt.isAccepted ? "accepted" : "refused"
            lines.append(attempt.name.column + "\(attempt.words)  \(verdict)  \(attempt.wrong)")
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
            "others": form == .receipts ? .array(others.map(\.json)) : nil, "replay": replay?.json,
            "accepted": .array(accepted.map { .string($0.name) }),
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
    fileprivate var column: String { padding(toLength: 32, withPad: " ", startingAt: 0) }
}
