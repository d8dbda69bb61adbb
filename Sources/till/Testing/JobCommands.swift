import ArgumentParser
import TillControl
import TillCore

struct JobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Lists and shows jobs: price increases, mass extensions and other bulk operations.",
        name: "job",
        examples: "till job list",
        subcommands: [List.self, Show.self]
    )

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists the jobs of an app's environment.",
            examples: "till job list"
        )

        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListJobs { ListJobs(app: shop.app) }

        func text(_ jobs: [JobInfo]) -> String {
            Table.list(
                ["JOB", "KIND", "PRODUCT", "STATE", "EFFECTIVE", "SUCCEEDED", "FAILED", "PENDING CLOCKS"],
                jobs.map { job in
                    [
                        job.jobId, job.kind.rawValue, job.productId, job.state.rawValue, job.effectiveDate.iso8601,
                        String(job.succeeded), String(job.failed), JobCommand.pendingClocks(job) ?? "-",
                    ]
                },
                empty: "There are no jobs."
            )
        }
    }

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows one job.",
            examples: "till job show 5f0c0a3e-8f9d-4d5e-9a3b-0d8f7c1e2b4a"
        )

        @Argument(help: "The job id.")
        var job: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetJob { GetJob(app: shop.app, jobId: job) }

        func text(_ job: JobInfo) -> String { JobCommand.words(job.jobId, job) }
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
        heading.bold + "\n"
            + Table.values([
                ("jobId", job.jobId), ("kind", job.kind.rawValue), ("productId", job.productId),
                ("requestIdentifier", job.requestIdentifier), ("days", job.days.map { String($0) }),
                ("storefronts", storefronts(job)), ("state", job.state.rawValue),
                ("effectiveDate", ActionSummary.date(job.effectiveDate)), ("succeeded", String(job.succeeded)),
                ("failed", String(job.failed)), ("pendingClocks", pendingClocks(job)),
                ("completedDate", job.completedDate.map(ActionSummary.date)),
            ])
    }
}
