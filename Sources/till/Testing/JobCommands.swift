import ArgumentParser
import TillControl
import TillCore
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
        var to: WrittenPrice
        @Option(help: "Only in this storefront, which must have a price of its own.")
        var storefront: Storefront?
        @Option(help: "Whether subscribers must consent (default: automatic).")
        var consent: PriceConsent?
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.server.show(in: options.scope) {
                RaisePrice(
                    app: $0.app,
                    productId: product,
                    price: to.milliunits,
                    storefront: storefront,
                    consent: consent,
                    at: options.time
                )
            } as: {
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
    var storefront: [Storefront] = []
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
        try await options.server.show(in: options.scope) {
            ExtendAll(
                app: $0.app,
                productId: product ?? "",
                days: days,
                reasonCode: reason,
                requestIdentifier: request,
                storefronts: storefront.isEmpty ? nil : storefront,
                at: options.time
            )
        } as: {
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
            try await server.show(in: scope) {
                ListJobs(app: $0.app)
            } as: { jobs in
                let jobs = jobs.map { JobCommand.words($0.jobId, $0) }
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
            try await server.show(in: scope) {
                GetJob(app: $0.app, jobId: job)
            } as: {
                JobCommand.words($0.jobId, $0)
            }
        }
    }

    /// The storefronts of a mass extension; nil for other jobs.
    private static func storefronts(_ job: JobInfo) -> String? {
        guard job.kind == .extend else { return nil }
        return job.storefronts?.map(\.code).joined(separator: ", ") ?? "all"
    }

    /// A sentence about the result of a job, and about the customer clocks for which the job waits.
    ///
    /// - Parameters:
    ///   - done: the sentence for a job that has been applied to the customers on the environment's clock.
    ///   - scheduled: the subject of the sentence for a job that was not applied yet.
    static func heading(_ done: String, scheduled: String, _ job: JobInfo) -> String {
        let date = job.effectiveDate.iso8601
        guard job.state == .done else {
            return "\(scheduled) is scheduled for \(date) on each customer's clock."
        }
        guard let clocks = pendingClocks(job) else { return done }
        return "\(done) On the customer clocks \(clocks), which are behind, it takes effect at \(date)."
    }

    private static func pendingClocks(_ job: JobInfo) -> String? { job.pendingClocks?.joined(separator: ", ") }

    static func words(_ heading: String, _ job: JobInfo) -> String {
        heading + "\n"
            + ActionSummary.table([
                ("jobId", job.jobId), ("kind", job.kind.rawValue), ("productId", job.productId),
                ("requestIdentifier", job.requestIdentifier), ("days", job.days.map { String($0) }),
                ("storefronts", storefronts(job)), ("state", job.state.rawValue),
                ("effectiveDate", ActionSummary.date(job.effectiveDate)), ("succeeded", String(job.succeeded)),
                ("failed", String(job.failed)), ("pendingClocks", pendingClocks(job)),
                ("completedDate", job.completedDate.map(ActionSummary.date)),
            ])
    }
}

/// A price on the command line, such as 5.99.
struct WrittenPrice: ExpressibleByArgument {
    let milliunits: Int64

    init?(argument: String) {
        guard let milliunits = Money.milliunits(argument) else { return nil }
        self.milliunits = milliunits
    }
}
