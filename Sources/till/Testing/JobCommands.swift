import ArgumentParser
import TillControl
import TillCore

struct JobCommand: DocumentedCommand {
    static let summary = "Lists and shows jobs: price increases, mass extensions and other bulk operations."
    static var subcommands: Subcommands { [List.self, Show.self] }

    struct List: SendingCommand {
        static let summary = "Lists the jobs of an app's environment."
        static let examples = "till job list"

        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListJobs { ListJobs(app: shop.app) }
    }

    struct Show: SendingCommand {
        static let summary = "Shows one job."
        static let examples = "till job show 5f0c0a3e-8f9d-4d5e-9a3b-0d8f7c1e2b4a"

        @Argument(help: "The job id.")
        var job: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetJob { GetJob(app: shop.app, jobId: job) }

        func text(_ job: JobInfo) -> String { job.text(job.jobId) }
    }
}

extension JobInfo: TableRow {
    static let headings = ["JOB", "KIND", "PRODUCT", "STATE", "EFFECTIVE", "SUCCEEDED", "FAILED", "PENDING CLOCKS"]
    static let empty = "There are no jobs."
    var cells: [String?] {
        [
            jobId, kind.rawValue, productId, state.rawValue, effectiveDate.iso8601, "\(succeeded)", "\(failed)",
            clocks ?? "-",
        ]
    }

    /// A sentence about the result of a job, and about the customer clocks for which the job waits.
    ///
    /// - Parameters:
    ///   - done: the sentence for a job that has been applied to the customers on the environment's clock.
    ///   - scheduled: the subject of the sentence for a job that was not applied yet.
    func heading(_ done: String, scheduled: String) -> String {
        let date = effectiveDate.iso8601
        guard state == .done else { return "\(scheduled) is scheduled for \(date) on each customer's clock." }
        guard let clocks else { return done }
        return "\(done) On the customer clocks \(clocks), which are behind, it takes effect at \(date)."
    }

    /// The values of the job under a heading.
    func text(_ heading: String) -> String {
        let storefronts = kind == .extend ? storefronts?.map(\.code).joined(separator: ", ") ?? "all" : nil
        let values = [
            ("jobId", jobId), ("kind", kind.rawValue), ("productId", productId),
            ("requestIdentifier", requestIdentifier), ("days", days.map { "\($0)" }), ("storefronts", storefronts),
            ("state", state.rawValue), ("effectiveDate", ActionSummary.date(effectiveDate)),
            ("succeeded", "\(succeeded)"), ("failed", "\(failed)"), ("pendingClocks", clocks),
            ("completedDate", completedDate.map(ActionSummary.date)),
        ]
        return "\(heading.bold)\n\(Table.values(values))"
    }

    private var clocks: String? { pendingClocks?.joined(separator: ", ") }
}
