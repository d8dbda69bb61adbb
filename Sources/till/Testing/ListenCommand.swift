import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillControl
import TillJSON
import TillShop

struct ListenCommand: DocumentedCommand {
    static let summary = "Forwards notifications to a local server, until Ctrl-C."
    static let examples = "till listen --forward-to http://127.0.0.1:3000/apple"
    static let notes =
        "Till needs no network access to your server, because the command fetches notifications through the "
        + "control API. If no primary endpoint is set, the command acts as the primary endpoint."

    @Option(help: "The URL of your server.")
    var forwardTo: String
    @Option(help: "The number of notifications after which the command exits (default: unlimited).")
    var count: Int?
    @OptionGroup var options: EnvironmentOptions

    func validate() throws {
        guard let url = URL(string: forwardTo), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw ValidationError("--forward-to must be a URL such as http://127.0.0.1:3000/apple.")
        }
        if let count, count < 1 { throw ValidationError("--count must be 1 or more.") }
    }

    func run() async throws {
        let shop = try await options.connect()
        let (client, app) = (shop.client, shop.app)
        var left = count ?? .max
        _ = try await client.send(Listen(app: app, wait: 0))
        if !options.server.json { Self.say("Listening. Forwarding notifications to \(forwardTo).") }
        while left > 0 {
            let delivery = try await client.send(Listen(app: app, wait: 25))
            guard let token = delivery.deliveryToken, let body = delivery.body else { continue }
            let outcome = await forward(body)
            // An error is ignored: if the delivery has timed out on the server, the server repeats it.
            _ = try? await client.send(
                AnswerDelivery(app: app, deliveryToken: token, status: outcome.status, result: outcome.result)
            )
            show(delivery, outcome)
            left -= 1
        }
    }

    private struct Forwarded {
        var status: Int?
        var result: SendAttemptResult?
        var milliseconds: Int
    }

    private func forward(_ body: String) async -> Forwarded {
        var request = HTTPClientRequest(url: forwardTo)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: DeliveryHeader.name, value: DeliveryHeader.value)
        request.body = .bytes(ByteBuffer(string: body))
        let begun = ContinuousClock.now
        func milliseconds() -> Int { Int((ContinuousClock.now - begun) / .milliseconds(1)) }
        do {
            let (status, _) = try await WebClient.send(request, timeout: .seconds(10))
            return Forwarded(status: status, milliseconds: milliseconds())
        } catch let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout {
            return Forwarded(result: .timedOut, milliseconds: milliseconds())
        } catch {
            return Forwarded(result: .socketIssue, milliseconds: milliseconds())
        }
    }

    private func show(_ delivery: DeliveryOfferInfo, _ outcome: Forwarded) {
        let subtype = delivery.subtype.map { "/\($0)" } ?? ""
        let type = "\(delivery.notificationType ?? "")\(subtype)"
        let end = outcome.status.map { String($0) } ?? outcome.result?.rawValue ?? ""
        guard options.server.json else {
            return Self.say("\(type)  \(delivery.notificationUUID ?? "")  \(end)  \(outcome.milliseconds) ms")
        }
        let tree = JSONTree.members([
            "notificationUUID": .text(delivery.notificationUUID),
            "notificationType": .text(delivery.notificationType), "subtype": .text(delivery.subtype),
            "status": .count(outcome.status), "result": .text(outcome.result?.rawValue),
            "milliseconds": .count(outcome.milliseconds),
        ])
        let line = String(decoding: tree.written(), as: UTF8.self).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
        Self.say(line)
    }

    /// Prints a line at once, because standard output may be a pipe.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
