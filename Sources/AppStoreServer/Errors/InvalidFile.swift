import Foundation

/// A file that this library was given cannot be used.
///
/// It never quotes the file, which may be a key.
public struct InvalidFile: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path of the file, as it was given; nil for a text that was not read from a file.
    public let path: String?
    /// What is wrong, and what to do.
    public let message: String

    /// The path and the message.
    public var description: String { (path.map { "\($0): " } ?? "") + message }

    /// Reads a file.
    static func read(_ path: String) throws(InvalidFile) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            let exists = FileManager.default.fileExists(atPath: path)
            throw InvalidFile(
                path: path,
                message: exists
                    ? "This process cannot read it. Check its permissions, and that it is a file."
                    : "There is no such file. A relative path begins at the working directory of the process, "
                        + "\(FileManager.default.currentDirectoryPath)."
            )
        }
    }
}
