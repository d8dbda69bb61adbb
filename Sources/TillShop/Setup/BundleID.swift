import TillSigning

extension AppRecord {
    /// Whether a text is a valid bundle identifier: at most 155 letters, digits, dots and dashes, beginning with a
    /// letter or digit. The first character must not be a dot, because `..` has a meaning in URLs and paths.
    package static func canBeNamed(_ bundleID: String) -> Bool {
        bundleID.isPlain(1...155, and: "-.") && bundleID.prefix(1).isPlain(1...1)
    }
}
