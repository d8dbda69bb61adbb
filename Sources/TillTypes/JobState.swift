/// The progress of a job.
public enum JobState: String, Codable, CaseIterable, Sendable {
    case waiting
    case running
    case done
}
