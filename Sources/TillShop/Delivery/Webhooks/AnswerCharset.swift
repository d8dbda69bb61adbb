import Foundation

/// Checks the charset that an answer's Content-Type declares. Till does not use the text of an answer, but reports an
/// unsupported charset, as Apple does.
enum AnswerCharset {
    /// The names of common charsets, in lower case, without the numbered charsets in `families`.
    private static let names: Set = [
        "utf-8", "utf8", "utf-7", "utf-16", "utf16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be",
        "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "iso-10646-ucs-2", "ucs-2", "unicode-1-1-utf-8",
        "latin1", "latin2", "latin3", "latin4", "latin5", "latin6", "latin9", "l1", "l2", "macintosh", "mac",
        "koi8-r", "koi8-u", "tis-620", "viscii", "big5", "big5-hkscs", "gb2312", "gb_2312-80", "gbk", "gb18030",
        "hz-gb-2312", "iso-2022-cn", "shift_jis", "shift-jis", "sjis", "ms_kanji", "windows-31j", "cp932", "euc-jp",
        "iso-2022-jp", "iso-2022-kr", "euc-kr", "ks_c_5601-1987", "cp949", "windows-949", "windows-874", "cp936",
        "cp950", "cp819", "cp367", "ibm819", "ibm367",
    ]

    /// The families of numbered charsets, with the valid numbers of each family.
    private static let families: [(prefix: String, numbers: Set<Int>)] = [
        ("iso-8859-", Set(1...16).subtracting([12])), ("iso8859-", Set(1...16).subtracting([12])),
        ("iso_8859-", Set(1...16).subtracting([12])), ("windows-", Set(1_250...1_258)), ("cp", Set(1_250...1_258)),
        ("ibm", dos), ("cp", dos),
    ]

    private static let dos: Set = [37, 437, 500, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866]

    /// The charset that a Content-Type declares, in lower case; nil if it declares none.
    static func declared(in contentType: String) -> String? {
        let marks = CharacterSet(charactersIn: " \t\"'")
        for parameter in contentType.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingCharacters(in: marks).lowercased() == "charset" else { continue }
            let name = parts[1].trimmingCharacters(in: marks).lowercased()
            return name.isEmpty ? nil : name
        }
        return nil
    }

    /// Whether a charset, in lower case, is supported.
    static func isReadable(_ name: String) -> Bool {
        names.contains(name)
            || families.contains { family in
                guard name.hasPrefix(family.prefix) else { return false }
                let digits = name.dropFirst(family.prefix.count)
                return Int(digits).map { String($0) == digits && family.numbers.contains($0) } ?? false
            }
    }
}
