import ArgumentParser
import TillCore
import TillJSON
import TillShop

/// The options that every operation has: time, app and environment, server, and output.
struct ActionOptions: ParsableArguments {
    @Option(help: "The time, such as 2026-03-01, 2026-03-01T10:00:00Z, or milliseconds since 1970 (default: now).")
    var at: WrittenInstant?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    /// Sends an operation to the server and prints its effects.
    ///
    /// - Parameters:
    ///   - members: the keys of the body, without the time.
    ///   - path: the path after the app and environment.
    func perform(
        _ members: KeyValuePairs<String, JSONTree?> = [:],
        at path: (ControlClient) async throws -> String,
        saying heading: (JSONTree) -> String
    ) async throws {
        let client = try server.client()
        let address = "\(try await scope.path(client))/\(try await path(client))"
        let answer = try await client.post(address, body(members))
        Output.show(answer, asJSON: server.json) { ActionSummary.text(heading($0), $0) }
    }

    /// The body of an operation, with the time.
    func body(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
        let given = members.compactMap { key, value in value.map { JSONTree.Member(key, $0) } }
        let instant = at.map { JSONTree.Member("at", .number(String($0.instant.milliseconds))) }
        return .object(given + [instant].compactMap(\.self))
    }
}

/// A date or a time on the command line.
struct WrittenInstant: ExpressibleByArgument {
    let instant: Timestamp

    init?(argument: String) {
        guard let instant = TimeExpression.instant(argument) else { return nil }
        self.instant = instant
    }
}

extension ScopeOptions {
    /// The path of a subscription. The user gives one of its transactions, or a customer who has one subscription.
    func subscription(_ named: String, _ client: ControlClient) async throws -> String {
        if named.utf8.count >= 15, named.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return "subscriptions/\(named)"
        }
        let answer = try await client.get("\(try await path(client))/customers/\(escaped(named))/subscriptions")
        let own = (answer["subscriptions"]?.elements ?? []).filter {
            $0["inAppOwnershipType"]?.text == "PURCHASED"
        }
        guard let only = own.first, own.count == 1 else {
            throw CommandRefused(
                own.isEmpty
                    ? "Customer \(named) has bought no subscription."
                    : "Customer \(named) has \(own.count) subscriptions. Give the original transaction of one:\n"
                        + own.map(ActionSummary.subscription).joined(separator: "\n")
            )
        }
        return "subscriptions/\(escaped(only["originalTransactionId"]?.text ?? ""))"
    }
}
