import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillControl
import TillJSON
import TillShop

/// Posts the attack pack to a backend, and reports which cases the backend accepted.
struct AttackTrial {
    /// The form of the posts, and of the answers with which a backend refuses them.
    enum Form {
        /// Posts `{"signedPayload": …}`. Any 2xx answer means accepted.
        case notifications
        /// Posts `{"receipt-data": …, "deviceId": …}`. A `status` other than 0 in the answer means refused, too.
        case receipts

        var noun: String { self == .notifications ? "notification" : "receipt" }

        /// What the user can do if the endpoint refuses valid data.
        var advice: String {
            switch self {
            case .notifications: "Give your backend Till's root (till ca export), the bundle id and the environment."
            case .receipts: "Give your backend the root of receipts (till ca export --receipts), and use --about."
            }
        }

        func saysNo(_ answer: [UInt8]) -> Bool {
            guard self == .receipts, let status = (try? JSONTree.parse(answer))?["status"] else { return false }
            return status.text != "0"
        }
    }

    let url: String
    let form: Form

    /// The result of one post.
    struct Attempt {
        let name: String
        let wrong: String
        /// The HTTP status of the answer; nil if no answer came.
        var status: Int?
        /// Whether the body of the answer refuses the data, although the HTTP status is 2xx.
        var saysNo = false
        /// Why there was no answer: the connection was refused, reset or closed, or the time limit passed.
        var failure: String?

        /// What the backend did with one post.
        enum Verdict: String {
            case accepted
            case refused
            /// The backend failed instead of deciding: the HTTP status was 500 to 599.
            case crashed
            /// The backend closed the connection without an answer, or did not answer in time.
            case unanswered
        }

        var verdict: Verdict {
            guard let status else { return .unanswered }
            if status >= 500 { return .crashed }
            return (200..<300).contains(status) && !saysNo ? .accepted : .refused
        }
        var isAccepted: Bool { verdict == .accepted }
        var isError: Bool { verdict == .crashed || verdict == .unanswered }
        var words: String { status.map { "HTTP \($0)" } ?? failure.map { "no answer (\($0))" } ?? "no answer" }
    }

    struct Report {
        let url: String
        let form: Form
        let control: Attempt
        var attacks: [Attempt] = []
        /// The results for data that a correct verifier may accept, because it has no flaw, or a flaw that only a check
        /// of the device finds.
        var others: [Attempt] = []
        /// The result of sending the valid data a second time.
        var replay: Attempt?

        var accepted: [Attempt] { attacks.filter(\.isAccepted) }
        /// The posts on which the backend failed, whether the backend should have accepted or refused them.
        var errors: [Attempt] { ([control] + attacks + others + [replay].compactMap(\.self)).filter(\.isError) }

        /// Why the results for the attacks mean nothing; nil if the valid data was accepted.
        var failure: String? {
            switch control.verdict {
            case .accepted: nil
            case .unanswered: "No answer from \(url): \(control.words)."
            case .crashed:
                "The endpoint failed on a valid \(form.noun) (\(control.words)), so the results for attacks mean "
                    + "nothing. See its log."
            case .refused:
                "The endpoint refused a valid \(form.noun) (\(control.words)), so it refuses everything. "
                    + form.advice
            }
        }
    }

    /// - Parameter only: the name of the attack to post; nil for all attacks.
    func run(_ cases: [AttackInfo], only: String?) async -> Report {
        var report = Report(url: url, form: form, control: await attempt("control", of: cases))
        guard report.control.isAccepted else { return report }
        let chosen = cases.filter { only == nil || only == $0.name }
        for entry in chosen where entry.mustBeRefused {
            report.attacks.append(await attempt(entry.name, of: cases))
        }
        if form == .receipts {
            for entry in chosen where !entry.mustBeRefused && entry.name != "control" {
                report.others.append(await attempt(entry.name, of: cases))
            }
        } else if only == nil || only == "replayed-notification" {
            let first = await attempt("replayed-notification", of: cases)
            report.replay = first.isError ? first : await attempt("replayed-notification", of: cases)
        }
        return report
    }

    private func attempt(_ name: String, of cases: [AttackInfo]) async -> Attempt {
        guard let entry = cases.first(where: { $0.name == name }) else {
            return Attempt(name: name, wrong: "", failure: "the server has no such case")
        }
        do {
            let (status, answer) = try await post(entry.body)
            return Attempt(name: name, wrong: entry.wrong, status: status, saysNo: form.saysNo(answer))
        } catch {
            return Attempt(name: name, wrong: entry.wrong, failure: Self.words(error))
        }
    }

    private func post(_ body: JSONTree) async throws -> (status: Int, body: [UInt8]) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        // A receipt is posted as an app would send it, without Till's header, so that Till's own verifyReceipt can be
        // tested.
        if form == .notifications { request.headers.add(name: DeliveryHeader.name, value: DeliveryHeader.value) }
        request.body = .bytes(ByteBuffer(bytes: body.written()))
        return try await WebClient.send(request, timeout: .seconds(30))
    }

    /// Why no answer came.
    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as IOError: String(cString: strerror(error.errnoCode))
        default: "\(error)"
        }
    }
}

extension AttackTrial.Report {
    var text: String {
        var lines = ["control".column + "\(control.words)  " + (control.isAccepted ? "accepted, as it should be" : "")]
        for attempt in attacks {
            let verdict =
                switch attempt.verdict {
                case .accepted: "ACCEPTED  \(attempt.wrong)"
                case .refused: "refused"
                case .crashed: "CRASHED  \(attempt.wrong)"
                case .unanswered: "NO ANSWER  \(attempt.wrong)"
                }
            lines.append(attempt.name.column + "\(attempt.words)  \(verdict)")
        }
        for attempt in others {
            let verdict = attempt.isError ? attempt.verdict.rawValue.uppercased() : attempt.verdict.rawValue
            lines.append(attempt.name.column + "\(attempt.words)  \(verdict)  \(attempt.wrong)")
        }
        if let replay {
            let verdict =
                switch replay.verdict {
                case .accepted: "accepted the second time too, as it should be; check that it was processed once"
                case .refused: "refused the second time; the App Store would keep resending it"
                case .crashed: "CRASHED; the App Store would keep resending it"
                case .unanswered: "NO ANSWER; the App Store would keep resending it"
                }
            lines.append(replay.name.column + "\(replay.words)  \(verdict)")
        }
        if failure == nil {
            let count = accepted.isEmpty ? "no attack" : "\(accepted.count) of \(attacks.count) attacks"
            lines += ["", "The backend accepted \(count)."]
            if !errors.isEmpty {
                let names = errors.map(\.name).joined(separator: ", ")
                lines.append("The backend failed on \(errors.count) instead of refusing or accepting: \(names).")
            }
        }
        return lines.joined(separator: "\n")
    }

    var json: JSONTree {
        .members([
            "url": .string(url), "control": control.json, "attacks": .array(attacks.map(\.json)),
            "others": form == .receipts ? .array(others.map(\.json)) : nil, "replay": replay?.json,
            "accepted": .array(accepted.map { .string($0.name) }),
            "errors": .array(errors.map { .string($0.name) }),
        ])
    }
}

extension AttackTrial.Attempt {
    fileprivate var json: JSONTree {
        .members([
            "case": .string(name), "wrong": .string(wrong), "status": .count(status),
            "accepted": .bool(isAccepted), "verdict": .string(verdict.rawValue), "failure": .text(failure),
        ])
    }
}
