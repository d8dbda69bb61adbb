import TillStorage

/// The epochs of the shared database in which the data of each app was last replaced, as far as this node knows.
struct ReplacementEpochs: Equatable, Sendable {
    /// The number of apps with an epoch of their own, above which all apps get the same new epoch.
    static let maxApps = 10_000

    /// The epoch of every app without an epoch of its own.
    private var all: Int64
    private var apps: [String: Int64] = [:]

    init(all: Int64) { self.all = all }

    func epoch(of app: String) -> Int64 { apps[app] ?? all }

    /// Adds the replacements that were made up to an epoch.
    mutating func add(_ replacements: [String: Int64], upTo epoch: Int64) {
        // A replacement without a row was made by a version of Till that does not write which app it concerned.
        let isWhole = replacements[ConfigurationVersions.allApps] != nil || (replacements.values.max() ?? 0) < epoch
        if isWhole || apps.count + replacements.count > Self.maxApps {
            (all, apps) = (max(epoch, replacements.values.max() ?? 0), [:])
        } else {
            apps.merge(replacements) { $1 }
        }
    }
}
