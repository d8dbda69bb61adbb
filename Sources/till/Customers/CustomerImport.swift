import AppStoreServer
import ArgumentParser
import Foundation
import TillControl
import TillCore
import TillJSON
import TillShop

extension CustomerCommand {
    struct Import: AnsweringCommand {
        static let summary = "Creates a customer from the answers of another App Store server."
        static let examples = """
            till customer import zoe --from apple --transaction 700001234567890
            till customer import zoe --from history.json --from status.json --anonymize
            till customer import zoe --from recording.json
            """
        static let notes =
            "--from apple asks Apple's server of the environment; a URL asks any other server; a file has answers that "
            + "were saved before, one after another, or a recording of till apple record. The key options are those "
            + "of till apple; the bundle id is by default that of the app in Till. With files, --order names the order "
            + "of each order lookup, in their sequence. The customer gets a frozen clock with the time of the answers. "
            + "Nothing is written to the source."

        @Argument(help: "The name of the new customer in Till.")
        var customer: String
        @OptionGroup var source: ImportSource
        @Option(help: "The name of the customer's new clock (default: the customer's name).")
        var clock: String?
        @Flag(help: "Replaces ids, app account tokens and order ids.")
        var anonymize = false
        @OptionGroup var options: EnvironmentOptions

        func answer(_ shop: AppClient) async throws -> CustomerImportInfo {
            let request = ImportCustomer(
                app: shop.app,
                customer: customer,
                clock: clock,
                anonymize: anonymize ? true : nil
            )
            return try await shop.client.upload(request, try await source.answers(about: shop.app), timeout: timeout)
        }

        func heading(_ answer: CustomerImportInfo) -> String? {
            let transactions = Self.count(answer.transactions, "transaction")
            return "Imported the customer \(answer.customer), on the clock \(answer.clock) at \(answer.now.iso8601): "
                + "\(transactions), \(Self.count(answer.subscriptions, "subscription"))."
        }

        private static func count(_ number: Int, _ noun: String) -> String {
            "\(number) \(noun)\(number == 1 ? "" : "s")"
        }

        func text(_ answer: CustomerImportInfo) -> String {
            func lines(_ heading: String, _ findings: [ImportFinding]) -> [String] {
                findings.isEmpty ? [] : [heading] + findings.map { "  \($0.subject): \($0.reason)" }
            }
            let products = answer.productsCreated.map { "  \($0)" }
            let parts =
                [heading(answer)?.bold ?? ""] + (products.isEmpty ? [] : ["Created products:"] + products)
                + lines("Not imported:", answer.quarantined) + lines("Assumed:", answer.assumptions)
                + lines("Differences from the source:", answer.differences)
            return parts.joined(separator: "\n")
        }
    }
}

/// Where the answers about an imported customer come from.
struct ImportSource: ParsableArguments {
    @Option(
        help: "apple, the URL of a server, or a file with saved answers (several files: give it several times).",
        completion: .file()
    )
    var from: [String]
    @Option(help: "Any transaction id of the customer. Not for files.")
    var transaction: String?
    @Option(help: "An order id to look up (several: give it several times).")
    var order: [String] = []
    @OptionGroup var key: AppleKeyOptions
    @Option(help: "A JSON file with the key options (default: ~/.config/till/apple.json).", completion: .file())
    var profileFile: String?

    private var server: String? {
        from.count == 1 && (from[0] == "apple" || from[0].hasPrefix("http://") || from[0].hasPrefix("https://"))
            ? from[0] : nil
    }

    func validate() throws {
        guard !from.isEmpty else { throw ValidationError("Give --from: apple, a URL or a file.") }
        guard (server == nil) == (transaction == nil) else {
            throw ValidationError(
                server == nil
                    ? "--transaction is only for --from apple and --from URL."
                    : "Give --transaction with --from \(from[0])."
            )
        }
    }

    /// The answers of the server, or those in the files.
    func answers(about app: AppEnvironment) async throws -> CustomerAnswers {
        guard let server, let transaction else { return try saved() }
        let environment: ServerEnvironment =
            server != "apple" ? .custom(server) : app.environment == .production ? .production : .sandbox
        let client = try key.client(of: environment, try AppleProfile(profileFile), about: app.bundleId)
        return try await AppleErrors.reported { try await fetched(transaction, from: client) }
    }

    private func fetched(_ id: String, from client: AppStoreServerClient) async throws -> CustomerAnswers {
        var answers = CustomerAnswers(answers: [], historyV1: [], orders: [])
        for try await page in client.transactions(of: id).pages { answers.answers.append(try page.value.raw.unsigned) }
        for try await page in client.transactions(of: id, version: .v1).pages {
            answers.historyV1?.append(try page.value.raw.unsigned)
        }
        answers.answers.append(try await client.subscriptionStatuses(of: id).value.raw.unsigned)
        for try await page in client.refunds(of: id).pages { answers.answers.append(try page.value.raw.unsigned) }
        do {
            answers.answers.append(try await client.appTransactionInfo(of: id).value.raw.unsigned)
        } catch let error as AppStoreServerError where error.status == 404 {
            // The customer never downloaded the app.
        }
        for order in order {
            let answer = try await client.lookUpOrder(order).value.raw.unsigned
            answers.orders?.append(OrderAnswer(orderId: order, answer: answer))
        }
        return answers
    }

    // MARK: Files

    private func saved() throws -> CustomerAnswers {
        var answers = CustomerAnswers(answers: [], orders: [])
        var orders = order[...]
        for file in from {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw CommandRefused("\(file) cannot be read.")
            }
            let documents: [JSONTree]
            do {
                documents = try SavedAnswers.documents(in: Array(data))
            } catch {
                throw CommandRefused("\(file): \(error)", code: "bad_document")
            }
            for document in documents {
                if let recording = AppleRecording(document) {
                    answers.answers += recording.importDocument.answers
                    answers.historyV1 = (answers.historyV1 ?? []) + (recording.importDocument.historyV1 ?? [])
                    continue
                }
                guard document["signedTransactions"] != nil || document["status"] != nil, document["revision"] == nil,
                    document["data"] == nil
                else {
                    answers.answers.append(SavedAnswers.unsigned(document))
                    continue
                }
                guard let id = orders.popFirst() else {
                    throw CommandRefused("\(file) has an order lookup. Name its order with --order.")
                }
                answers.orders?.append(OrderAnswer(orderId: id, answer: SavedAnswers.unsigned(document)))
            }
        }
        return answers
    }
}

extension RawObject {
    /// The answer with decoded payloads in place of signed values.
    fileprivate var unsigned: JSONObject {
        get throws { SavedAnswers.unsigned(try JSONTree.parse(Array(json.utf8), limits: .depthOnly, keepsNull: true)) }
    }
}
