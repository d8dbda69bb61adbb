import Foundation
import TillCore
import TillSigning
import TillStorage

extension Registry {
    /// Checks a document of an import. Returns the error as a clause; nil if the document is valid for its kind.
    static func fault(in document: Document) -> String? {
        let words = "the \(document.kind.rawValue) \(document.name.cut(toBytes: 64))"
        do {
            let known = try names(of: document)
            guard known.contains(where: { $0.name == document.name && $0.app == document.app }) else {
                return "\(words) does not match its name"
            }
            if document.kind == .clock, let fault = try document.decoded(as: Clocks.Record.self).fault {
                return "\(words) \(fault)"
            }
            return hasPossibleNumbers(document) ? nil : "\(words) has a number that is out of range"
        } catch {
            return "\(words) cannot be read"
        }
    }

    private static func hasPossibleNumbers(_ document: Document) -> Bool {
        switch document.kind {
        case .chain: true
        // The seed of a fault rule may be any number.
        case .fault: NumberCheck.arePossible(in: document.body, except: ["seed"])
        default: NumberCheck.arePossible(in: document.body)
        }
    }

    private typealias Name = (name: String, app: String?)

    /// The possible names and apps of a document, according to its body.
    private static func names(of document: Document) throws -> [Name] {
        switch document.kind {
        case .team:
            return [(try document.decoded(as: Team.self).issuerID, nil)]
        case .app:
            let id = try document.decoded(as: AppRecord.self).bundleID
            return AppRecord.canBeNamed(id) ? [(id, id)] : []
        case .key:
            let record = try document.decoded(as: KeyRecord.self)
            _ = try key(of: record)
            return record.documentNames.map { ($0, record.offersOf ?? record.deletedWith) }
        case .catalog:
            _ = try document.decoded(as: Catalog.self)
            return document.app.map { [($0, $0)] } ?? []
        case .rules:
            _ = try document.decoded(as: EnvironmentSettings.self)
            guard let app = document.app else { return [] }
            return StoreEnvironment.allCases.map { ("\($0.rawValue)/\(app)", app) }
        case .clock:
            let record = try document.decoded(as: Clocks.Record.self)
            return [(record.documentName, record.app)]
        case .job:
            let record = try document.decoded(as: JobRecord.self)
            return [(record.id, record.app)]
        case .fault:
            let rule = try document.decoded(as: FaultRule.self)
            let number = Int(rule.id.dropFirst()) ?? 0
            return (1..<1_000_000_000).contains(number) ? [("f\(number)", rule.app)].filter { $0.name == rule.id } : []
        case .revocation:
            _ = try document.decoded(as: OCSPState.self)
            return [(document.name, nil)]
        case .chain:
            return try chainID(inHeader: document.decoded()).map { [($0, nil)] } ?? []
        case .retention:
            let mark = try document.decoded(as: Retention.Mark.self)
            return [(mark.name, mark.app)]
        case .token:
            return [(try document.decoded(as: ControlToken.self).name, nil)]
        case .shop:
            return [(document.name, nil)]
        }
    }

    /// The id of the chain with a JWS header; nil for an invalid header.
    private static func chainID(inHeader header: String) throws -> String? {
        struct Header: Decodable {
            let x5c: [String]
        }
        guard let bytes = Base64URL.decode(header),
            let text = try JSONDecoder().decode(Header.self, from: Data(bytes)).x5c.first,
            let leaf: [UInt8] = Base64.decode(text)
        else { return nil }
        return SigningChain.id(ofLeaf: leaf)
    }
}

extension Clocks.Record {
    /// Checks the record of a clock: its dates must be within the certificates' validity, and its speed within range.
    fileprivate var fault: String? {
        guard state.isPossible, pendingAdvance?.isPossible ?? true, skipped?.isPossible ?? true else {
            return "has a date or a speed that no clock has; a speed must be above 0 and at most 10000000"
        }
        for instant in [state.first, pendingAdvance?.to].compactMap(\.self)
        where instant < ClockState.start || instant >= ClockState.end {
            return "is set to \(instant.iso8601); a clock needs a date from \(ClockState.start.iso8601) to before "
                + ClockState.end.iso8601
        }
        return nil
    }
}

extension ClockState {
    /// The simulated date to which the clock was set; nil for real time.
    fileprivate var first: Timestamp? {
        switch self {
        case .real: nil
        case .frozen(let instant): instant
        case .running(let start, _, _): start
        }
    }
}
