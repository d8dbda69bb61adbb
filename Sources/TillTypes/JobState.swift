/// The progress of a job.
public enum JobState: String, Codable, CaseIterable, Sendable {
    /// The time of the job has not come.
    case waiting
    /// The job processes customers.
    case running
    /// All customers are processed.
    case done
}
