extension AppRecord {
    /// Whether a text is a valid bundle identifier: at most 155 letters, digits, dots and dashes, beginning with a
    /// letter or digit. The first character must not be a dot, because `..` has a meaning in URLs and paths.
    package static func canBeNamed(_ bundleID: String) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        }
        return (1...155).contains(bundleID.utf8.count) && bundleID.utf8.first.map(isPlain) == true
            && bundleID.utf8.allSatisfy { isPlain($0) || $0 == 0x2d || $0 == 0x2e }
    }
}
