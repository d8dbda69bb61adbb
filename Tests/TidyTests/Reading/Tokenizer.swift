/// Splits Swift code into tokens, precisely enough for these checks.
/// It leaves out comments and the contents of strings, but keeps the code inside `\(…)`. A regular expression must be
/// written as `#/…/#`: between single slashes, it would be read as code.
struct Tokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var isAfterSpace = true
    private var tokens: [Token] = []

    static func tokens(of text: String) -> [Token] {
        var tokenizer = Tokenizer(bytes: Array(text.utf8))
        tokenizer.readCode(untilParenthesis: false)
        return tokenizer.tokens
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...: true
        default: false
        }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: - Looking ahead

    private func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        let start = position + offset
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { $0.elementsEqual(bytes[start..<start + $0.count]) }
    }

    /// The number of consecutive number signs (`#`) from an offset on.
    private func numberSigns(at offset: Int = 0) -> Int {
        bytes[min(position + offset, bytes.count)...].prefix { $0 == UInt8(ascii: "#") }.count
    }

    // MARK: - Consuming

    /// Skips bytes and counts their line breaks.
    private mutating func skip(_ count: Int) {
        let end = min(position + count, bytes.count)
        line += bytes[position..<end].count { $0 == UInt8(ascii: "\n") }
        position = end
    }

    private mutating func emit(_ text: String) {
        tokens.append(Token(text: text, line: line, isAfterSpace: isAfterSpace))
        isAfterSpace = false
    }

    /// Reads code up to the end, or up to the parenthesis that closes an interpolation.
    private mutating func readCode(untilParenthesis: Bool) {
        var depth = 0
        while position < bytes.count {
            if readSpaceOrComment() || readLiteral() || readWord() { continue }
            let mark = bytes[position]
            emit(String(UnicodeScalar(mark)))
            skip(1)
            if mark == UInt8(ascii: "(") { depth += 1 }
            if mark == UInt8(ascii: ")") { depth -= 1 }
            if untilParenthesis, depth < 0 { return }
        }
    }

    private mutating func readSpaceOrComment() -> Bool {
        if has("//") {
            skip(bytes[position...].prefix { $0 != UInt8(ascii: "\n") }.count)
        } else if has("/*") {
            skipBlockComment()
        } else if [" ", "\n", "\t", "\r"].contains(UnicodeScalar(bytes[position])) {
            skip(1)
        } else {
            return false
        }
        isAfterSpace = true
        return true
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if has("/*") {
                depth += 1
                skip(2)
            } else if has("*/") {
                depth -= 1
                skip(2)
            } else {
                skip(1)
            }
        } while depth > 0 && position < bytes.count
    }

    private mutating func readWord() -> Bool {
        let word = bytes[position...].prefix(while: Self.isWordByte)
        guard !word.isEmpty else { return false }
        emit(String(decoding: word, as: UTF8.self))
        skip(word.count)
        return true
    }

    /// Reads a string, or a regular expression with number signs.
    private mutating func readLiteral() -> Bool {
        let signs = numberSigns()
        if has("\"\"\"\n", at: signs) {
            readString(quotes: 3, signs: signs)
        } else if has("\"", at: signs) {
            readString(quotes: 1, signs: signs)
        } else if signs > 0, has("/", at: signs) {
            skip(signs + 1)
            while position < bytes.count, !(has("/") && numberSigns(at: 1) >= signs) { skip(1) }
            skip(signs + 1)
        } else {
            return false
        }
        return true
    }

    private mutating func readString(quotes: Int, signs: Int) {
        emit("\"")
        skip(signs + quotes)
        while position < bytes.count {
            if has("\\"), numberSigns(at: 1) >= signs {
                skip(1 + signs)
                if has("(") {
                    emit("(")
                    skip(1)
                    readCode(untilParenthesis: true)
                } else {
                    skip(1)
                }
            } else if has(quotes == 3 ? "\"\"\"" : "\""), numberSigns(at: quotes) >= signs {
                skip(quotes + signs)
                break
            } else if quotes == 1, has("\n") {
                break
            } else {
                skip(1)
            }
        }
        isAfterSpace = false
        emit("\"")
    }
}
