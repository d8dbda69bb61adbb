import ArgumentParser
import Foundation
import TillControl
import TillJSON

struct FaultCommand: DocumentedCommand {
    static let summary = "Injects faults: errors, delays, closed connections and lost notifications."
    static var subcommands: Subcommands { [Create.self, List.self, Delete.self] }

    struct Create: SendingCommand {
        static let summary = "Creates a fault rule."
        static let examples = """
            till fault create error --code 5000001 --route getTransactionInfo --limit 3
            till fault create error --code 4290000 --retry-after 60
            till fault create latency --milliseconds 500 --spread 1500 --percent 20
            # loses the next DID_RENEW
            till fault create drop --route DID_RENEW --limit 1
            # refuses calls beyond Apple's own limits
            till fault create rateLimit
            # hides new purchases for two seconds
            till fault create staleReads --milliseconds 2000
            till fault create receiptStatus --code 21005 --route verifyReceipt
            """
        static let notes = "drop, delay, duplicate and reorder are for notifications, the other kinds for requests."

        @Argument(help: "The kind of fault.")
        var kind: FaultKind
        @Option(help: "The error code, HTTP status, or status of verifyReceipt to return.")
        var code: Int?
        @Option(help: "Only on this route, such as getTransactionInfo. For notification faults: only for this type.")
        var route: String?
        @Option(help: "Only for this app.")
        var app: String?
        @Option(help: "Only in this environment.")
        var environment: StoreEnvironment?
        @Option(help: "Only for notifications to this endpoint.")
        var endpoint: String?
        @Option(help: "Only for this customer.")
        var customer: String?
        @Option(help: "The percentage of matching calls or notifications that are affected (default: 100).")
        var percent: Int?
        @Option(help: "The maximum number of affected calls or notifications (default: unlimited).")
        var limit: Int?
        @Option(name: .customLong("for"), help: "The seconds for which the rule applies (default: unlimited).")
        var seconds: Int?
        @Option(help: "The value of the Retry-After header of an error, in seconds.")
        var retryAfter: Int?
        @Option(help: "The length of the delay in milliseconds; for reorder, the maximum (default 60000).")
        var milliseconds: Int?
        @Option(help: "The maximum of an additional random delay, in milliseconds.")
        var spread: Int?
        @Option(help: "The calls per hour that rateLimit allows (default: Apple's limit).")
        var perHour: Int?
        @Option(help: "The seed of the random numbers, to repeat a run.")
        var seed: Int64?
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> AddFault {
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            return AddFault(
                kind: kind,
                environment: environment,
                bundleId: app,
                route: route,
                endpoint: endpoint,
                customer: customer,
                percent: percent,
                limit: limit,
                until: seconds.map { now.advanced(milliseconds: Int64($0) * 1_000) },
                code: code,
                retryAfter: retryAfter,
                milliseconds: milliseconds,
                spread: spread,
                perHour: perHour,
                seed: seed
            )
        }

        func heading(_ rule: FaultRuleInfo) -> String? { "The fault rule \(rule.id) is created." }
    }

    struct List: SendingCommand {
        static let summary = "Lists the fault rules, with the number of affected calls of each."
        static let examples = "till fault list"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListFaults { ListFaults() }
    }

    struct Delete: DeletingCommand {
        static let summary = "Deletes one fault rule, or all fault rules."
        static let examples = """
            till fault delete f1 --yes
            till fault delete --all --yes
            till fault delete --all --app com.example.app --yes
            """

        @Argument(help: "The id of the rule.")
        var id: String?
        @Flag(help: "Deletes all fault rules.")
        var all = false
        @Option(help: "Only fault rules for this app alone.")
        var app: String?
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var deleted: JSONTree { .string(id ?? "all") }

        func validate() throws {
            guard all != (id != nil) else { throw ValidationError("Give the id of a rule, or --all.") }
        }

        func request(_ client: ControlClient) -> any ControlRequest {
            RemoveFaults(faultId: id, bundleId: app)
        }

        func loss(_ client: ControlClient) -> String {
            "Delete \(id.map { "the fault rule \($0)" } ?? "all fault rules")\(app.map { " of \($0)" } ?? "")"
        }

        func heading(_ answer: Deletion) -> String? { "Deleted \(id ?? "all fault rules")." }
    }
}

extension FaultRuleInfo: TableRow {
    static let headings = [
        "RULE", "KIND", "CODE", "ROUTE", "ENDPOINT", "CUSTOMER", "ENVIRONMENT", "APP", "LIMIT", "MATCHED", "AFFECTED",
    ]
    static let empty = "No fault rules. Create one: till fault create KIND"
    var cells: [String?] {
        [
            id, kind.rawValue, code.map { "\($0)" } ?? "-", route ?? "all", endpoint ?? "all", customer ?? "all",
            environment?.rawValue ?? "all", bundleId ?? "all", limit.map { "\($0)" } ?? "-", "\(seen)", "\(struck)",
        ]
    }
}
