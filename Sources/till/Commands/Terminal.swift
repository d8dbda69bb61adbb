import Foundation

/// What the standard streams of the command are connected to.
enum Terminal {
    /// Whether standard output is a terminal that shows styles. The variable `NO_COLOR` turns styles off.
    static let hasStyle: Bool = {
        let variables = ProcessInfo.processInfo.environment
        return isatty(FileHandle.standardOutput.fileDescriptor) == 1 && variables["NO_COLOR", default: ""].isEmpty
            && variables["TERM"] != "dumb"
    }()

    /// Whether a person can be asked: standard input and standard error are terminals.
    static var canAsk: Bool {
        isatty(FileHandle.standardInput.fileDescriptor) == 1 && isatty(FileHandle.standardError.fileDescriptor) == 1
    }

    /// Whether progress is printed. It is printed only to a terminal.
    static var showsProgress: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

    /// The number of columns: the variable `COLUMNS`, or the width of the terminal, or 80.
    static var width: Int {
        if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init), columns > 0 {
            return columns
        }
        var size = winsize()
        let found = ioctl(FileHandle.standardOutput.fileDescriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return found ? Int(size.ws_col) : 80
    }

    /// Writes to standard error, without a line break.
    static func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// Shows on a terminal how much of a long work is done, on one line that is written again every half second.
struct ProgressLine {
    private var last = ContinuousClock.now
    private var isShown = false

    /// Writes the line if the last one is old enough.
    mutating func show(_ text: @autoclosure () -> String) {
        guard Terminal.showsProgress, last.duration(to: .now) > .milliseconds(500) else { return }
        last = .now
        isShown = true
        Terminal.say("\r\(text())")
    }

    /// Ends the line, if one was written.
    func end() { if isShown { Terminal.say("\n") } }
}

extension String {
    /// The text in one line, without characters that control a terminal. Values of servers and files may contain them.
    var printableLine: String {
        String(UnicodeScalarView(unicodeScalars.map { $0.controlsTerminal ? "\u{FFFD}" : $0 }))
    }

    /// The lines of the text without characters that control a terminal, except for the style of `bold`.
    var printableLines: String {
        let scalars = Array(unicodeScalars)
        let styles = ["\u{1B}[1m", "\u{1B}[0m"].map { Array($0.unicodeScalars) }
        let shown = scalars.indices.map { index in
            let scalar = scalars[index]
            let isStyle = scalar == "\u{1B}" && styles.contains { scalars[index...].starts(with: $0) }
            return scalar.controlsTerminal && scalar != "\n" && !isStyle ? "\u{FFFD}" : scalar
        }
        return String(UnicodeScalarView(shown))
    }

    /// The text in bold type, on a terminal.
    var bold: String { Terminal.hasStyle ? "\u{1B}[1m\(self)\u{1B}[0m" : self }
}

extension Unicode.Scalar {
    /// Whether a terminal may obey the character instead of showing it: controls, and those that change the direction
    /// of the text or break the line. The characters that join emoji do not.
    fileprivate var controlsTerminal: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}
