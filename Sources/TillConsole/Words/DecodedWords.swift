import TillCore
import TillJSON
import TillShop
import TillSigning

/// The values for `{{>decoded}}`.
enum DecodedWords {
    /// The maximum number of rows of a table. The JSON below the table is complete.
    private static let maxRows = 400
    private static let maxValueLength = 600

    static func parts(_ parts: [DecodedPart]) -> [PageValue] {
        parts.enumerated().map { number, part in
            [
                "id": "part-\(number)", "name": name(of: part.kind), "place": part.place, "fault": fault(of: part),
                "verdict": part.verdict.map(value), "facts": document(part.payload),
                "headerJSON": part.header?.indented,
                "certificates": certificates(part.certificates), "isCertificate": part.kind == .certificate,
                "certificateCount": part.certificates.isEmpty ? nil : part.certificates.count, "text": part.text,
                "length": part.text.map { "\($0.utf8.count) bytes" },
            ]
        }
    }

    /// Why a part cannot be read. For a signed text, the reason is less useful than the part that was damaged.
    private static func fault(of part: DecodedPart) -> String? {
        guard let fault = part.fault, part.text != nil, part.header == nil || part.payload == nil else {
            return part.fault
        }
        let name = part.header == nil ? "header" : "payload"
        return "The \(name) was changed or damaged, so that it is no longer JSON. Details: \(fault)"
    }

    /// A document as a table and as JSON; nil for nil.
    static func document(_ tree: JSONTree?) -> PageValue? {
        guard let tree else { return nil }
        var rows: [PageValue] = []
        let isWhole = add(tree, RowPath(), in: nil, to: &rows)
        return ["rows": rows, "isCutShort": !isWhole, "json": tree.indented]
    }

    // MARK: Rows

    /// The path of a row in its document, as shown, and its last key. Both are truncated, because keys can be long and
    /// deeply nested.
    private struct RowPath {
        var shown = ""
        var key = ""

        private static let maxLength = 200

        func member(_ key: String) -> RowPath {
            let separator = shown.isEmpty ? "" : "."
            return RowPath(
                shown: extended(by: separator + key.cut(toBytes: Self.maxLength)),
                key: key.cut(toBytes: 256)
            )
        }

        func element(_ index: Int) -> RowPath { RowPath(shown: extended(by: "[\(index)]")) }

        private func extended(by text: String) -> String {
            shown.utf8.count >= Self.maxLength ? shown : (shown + text).cut(toBytes: Self.maxLength)
        }
    }

    private static func add(
        _ tree: JSONTree,
        _ path: RowPath,
        in parent: JSONTree?,
        to rows: inout [PageValue]
    ) -> Bool {
        guard rows.count < maxRows else { return false }
        switch tree {
        case .object(let members) where !members.isEmpty:
            return members.allSatisfy { add($0.value, path.member($0.key), in: tree, to: &rows) }
        case .array(let elements) where !elements.isEmpty:
            return elements.enumerated().allSatisfy { add($0.element, path.element($0.offset), in: tree, to: &rows) }
        default:
            rows.append(row(tree, path, in: parent))
            return true
        }
    }

    private static func row(_ tree: JSONTree, _ path: RowPath, in parent: JSONTree?) -> PageValue {
        let text =
            switch tree {
            case .string(let text): text
            default: tree.summary.trimmingPrefix("the number ").description
            }
        let isSigned = text.hasPrefix("eyJ") && text.utf8.count { $0 == UInt8(ascii: ".") } == 2
        let value = isSigned ? "signed; decoded below" : text
        return [
            "name": path.shown, "isSigned": isSigned,
            "value": value.utf8.count <= maxValueLength ? value : value.cut(toBytes: maxValueLength) + "…",
            "time": instant(path.key, tree.number).map { Words.time($0, isPrecise: true) },
            "words": money(path.key, tree.number, in: parent),
        ]
    }

    /// The date of a number; nil if the key does not name a date. Tokens contain seconds.
    private static func instant(_ key: String, _ number: Int64?) -> Timestamp? {
        guard let number, number > 0 else { return nil }
        if ["iat", "exp", "nbf"].contains(key) {
            return number < 253_402_300_800 ? Timestamp(milliseconds: number * 1_000) : nil
        }
        let isDate = key.hasSuffix("Date") || key.hasSuffix("_ms") || key == "timestamp"
        // ISO 8601 dates end with the year 9999.
        let isShown = isDate && (100_000_000_000..<253_402_300_800_000).contains(number)
        return isShown ? Timestamp(milliseconds: number) : nil
    }

    /// A number of a transaction or subscription in words: a date, a status, an amount or a percentage; nil for
    /// another.
    static func words(of number: Int64, _ key: String, currency: String?) -> String? {
        if let date = instant(key, number) { return UTCDate(date).preciseWords }
        switch key {
        case "status": return SubscriptionStatus(rawValue: Int(number)).map { Words.plain("\($0)") }
        case "revocationPercentage": return Words.percent(Int(number))
        case "price", "renewalPrice": return Words.money(number, currency) ?? Words.thousandths(number)
        default: return nil
        }
    }

    private static func money(_ key: String, _ number: Int64?, in parent: JSONTree?) -> String? {
        guard key == "price" || key.hasSuffix("Price") else { return nil }
        return Words.money(number, parent?["currency"]?.text)
    }

    // MARK: Names

    static func name(of kind: DecodedPart.Kind) -> String {
        switch kind {
        case .notification: "Notification"
        case .transaction: "Transaction"
        case .renewalInfo: "Renewal info"
        case .appTransaction: "App transaction"
        case .signed: "Signed data"
        case .token: "API or offer token"
        case .receipt: "App receipt"
        case .transactionReceipt: "Transaction receipt"
        case .json: "JSON"
        case .certificate: "Certificates"
        case .unknown: "Unknown format"
        }
    }

    private static func value(of verdict: SignatureVerdict) -> PageValue {
        let (signer, style) =
            switch verdict.signer {
            case .thisTill: ("Signed by: this server", "good")
            case .otherTill: ("Signed by: another Till server", "warn")
            case .apple: ("Signed by: Apple", "good")
            case .unknownRoot: ("Signed by: an unknown root", "warn")
            case .key: ("Signed by: a registered key", "good")
            case .invalid: ("Not verified", "bad")
            }
        return [
            "signer": signer, "style": style, "words": Words.datesInWords(verdict.words),
            "details": verdict.notes.map(Words.datesInWords),
            "hasDetails": !verdict.notes.isEmpty,
        ]
    }

    private static func certificates(_ certificates: [CertificateFacts]) -> [PageValue] {
        let names = certificates.count == 3 ? ["Leaf", "Intermediate", "Root"] : []
        return certificates.enumerated().map { number, certificate in
            [
                "name": number < names.count ? names[number] : "\(number + 1)", "subject": certificate.subject,
                "issuer": certificate.issuer, "from": Timestamp(milliseconds: certificate.notValidBefore),
                "to": Timestamp(milliseconds: certificate.notValidAfter), "key": certificate.key,
                "serial": certificate.serial,
                "fingerprint": certificate.fingerprint,
                "extensions": certificate.extensions.prefix(40).listed {
                    ["identifier": $0.identifier, "words": $0.name, "isCritical": $0.isCritical]
                },
            ]
        }
    }
}
