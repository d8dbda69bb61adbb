import ArgumentParser
import TillCore
import TillJSON
import TillShop

struct PriceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "price",
        abstract: "Raises the price of a subscription.",
        discussion: "till price raise com.example.pro.month --to 5.99",
        subcommands: [Raise.self]
    )

    struct Raise: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Raises a price. New customers pay it at once; subscribers are notified first.",
            discussion: """
                till price raise com.example.pro.month --to 5.99
                till price raise com.example.pro.month --to 9.99 --consent required
                """
        )

        @Argument(help: "The product identifier.")
        var product: String
        @Option(help: "The new price of a full period, such as 5.99.")
        var to: String
        @Option(help: "Only in this storefront, which must have a price of its own.")
        var storefront: String?
        @Option(help: "Whether subscribers must consent: automatic (default), required or not-needed.")
        var consent: String?
        @OptionGroup var options: ActionOptions

        func validate() throws {
            guard Money.milliunits(to) != nil else { throw ValidationError("--to must be a price such as 5.99.") }
            guard consent.map({ ["automatic", "required", "not-needed"].contains($0) }) ?? true else {
                throw ValidationError("--consent must be automatic, required or not-needed.")
            }
        }

        func run() async throws {
            let client = try options.server.rawClient()
            let answer = try await client.post(
                "\(try await options.scope.path(client))/products/\(escaped(product))/price",
                options.body([
                    "price": .count(Money.milliunits(to)), "storefront": .text(storefront),
                    "consent": .text(consent == "not-needed" ? "notNeeded" : consent),
                ])
            )
            Output.show(answer, asJSON: options.server.json) {
                JobCommand.words(JobCommand.heading("The price is raised.", scheduled: "The price increase", $0), $0)
            }
        }
    }
}

struct ExtendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Extends the current period of one subscription, or of all subscribers of a product.",
        discussion: """
            till extend ann --days 14
            till extend --all --product com.example.pro.month --days 3 --reason 3
            """
    )

    @Argument(help: "An original transaction id, or a customer with one subscription.")
    var subscription: String?
    @Flag(help: "Extends the subscriptions of all subscribers of a product.")
    var all = false
    @Option(help: "With --all: the product identifier.")
    var product: String?
    @Option(help: "The number of calendar days, 1 to 90.")
    var days: Int
    @Option(help: "The reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.")
    var reason: Int = 0
    @Option(help: "Your own request identifier; with --all, a UUID.")
    var request: String?
    @Option(help: "With --all: only this storefront; may be repeated.")
    var storefront: [String] = []
    @OptionGroup var options: ActionOptions

    func validate() throws {
        guard all == (subscription == nil), all == (product != nil) else {
            throw ValidationError("Give a subscription, or --all and --product.")
        }
    }

    func run() async throws {
        if let subscription {
            return try await options.extend(subscription, days: days, reason: reason, request: request)
        }
        let client = try options.server.rawClient()
        let scope = try await options.scope.path(client)
        let answer = try await client.post(
            "\(scope)/extensions",
            options.body([
                "productId": .text(product), "days": .count(days), "reasonCode": .count(reason),
                "requestIdentifier": .text(request),
                "storefronts": storefront.isEmpty ? nil : .array(storefront.map { .string($0) }),
            ])
        )
        Output.show(answer, asJSON: options.server.json) {
            let done = "Extended, days: \(days)."
            return JobCommand.words(JobCommand.heading(done, scheduled: "The extension, days: \(days),", $0), $0)
        }
    }
}

struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job",
        abstract: "Shows jobs: price increases, mass extensions and other bulk operations.",
        discussion: """
            till job list
            till job show 5f0c…
            """,
        subcommands: [List.self, Show.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the jobs of an app's environment.",
            discussion: "till job list"
        )

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.showRaw {
                try await $0.get("\(try await scope.path($0))/jobs")
            } as: { answer in
                let jobs = (answer["jobs"]?.elements ?? []).map { JobCommand.words($0["jobId"]?.text ?? "", $0) }
                return jobs.isEmpty ? "There are no jobs." : jobs.joined(separator: "\n\n")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows one job.",
            discussion: "till job show 5f0c0a3e-8f9d-4d5e-9a3b-0d8f7c1e2b4a"
        )

        @Argument(help: "The job id.")
        var job: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.showRaw {
                try await $0.get("\(try await scope.path($0))/jobs/\(escaped(job))")
            } as: {
                JobCommand.words($0["jobId"]?.text ?? "", $0)
            }
        }
    }

    /// The storefronts of a mass extension; nil for other jobs.
    private static func storefronts(_ job: JSONTree) -> String? {
        guard job["kind"]?.text == "extend" else { return nil }
        let codes = job["storefronts"]?.elements.compactMap(\.text) ?? []
        return codes.isEmpty ? "all" : codes.joined(separator: ", ")
    }

    /// A sentence about the result of a job, and about the customer clocks for which the job waits.
    ///
    /// - Parameters:
    ///   - done: the sentence for a job that has been applied to the customers on the environment's clock.
    ///   - scheduled: the subject of the sentence for a job that was not applied yet.
    static func heading(_ done: String, scheduled: String, _ job: JSONTree) -> String {
        let date = job["effectiveDate"]?.text.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0).iso8601 } ?? ""
        guard job["state"]?.text == "done" else {
            return "\(scheduled) is scheduled for \(date) on each customer's clock."
        }
        guard let clocks = pendingClocks(job) else { return done }
        return "\(done) On the customer clocks \(clocks), which are behind, it takes effect at \(date)."
    }

    private static func pendingClocks(_ job: JSONTree) -> String? {
        let clocks = job["pendingClocks"]?.elements.compactMap(\.text) ?? []
        return clocks.isEmpty ? nil : clocks.joined(separator: ", ")
    }

    static func words(_ heading: String, _ job: JSONTree) -> String {
        heading + "\n"
            + ActionSummary.table([
                ("jobId", job["jobId"]?.text), ("kind", job["kind"]?.text), ("productId", job["productId"]?.text),
                ("requestIdentifier", job["requestIdentifier"]?.text), ("days", job["days"]?.text),
                ("storefronts", storefronts(job)), ("state", job["state"]?.text),
                ("effectiveDate", ActionSummary.date(job["effectiveDate"])), ("succeeded", job["succeeded"]?.text),
                ("failed", job["failed"]?.text), ("pendingClocks", pendingClocks(job)),
                ("completedDate", ActionSummary.date(job["completedDate"])),
            ])
    }
}
