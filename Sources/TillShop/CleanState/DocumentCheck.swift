import TillCore
import TillSigning
import TillStorage

extension Registry {
    /// What is wrong with a document that somebody wishes to put down; nil when it can be read as what its kind says.
    static func fault(in document: Document) -> String? {
        do {
            switch document.kind {
            case .team: _ = try document.decoded(as: Team.self)
            case .app: _ = try document.decoded(as: AppRecord.self)
            case .key: _ = try key(of: document.decoded(as: KeyRecord.self))
            case .catalog: _ = try document.decoded(as: Catalog.self)
            case .rules: _ = try document.decoded(as: ScopeRules.self)
            case .clock: _ = try document.decoded(as: Clocks.Record.self)
            case .job: _ = try document.decoded(as: JobRecord.self)
            case .revocation: _ = try document.decoded(as: OCSPState.self)
            case .fault: _ = try document.decoded(as: FaultRule.self)
            case .chain, .shop: break
            }
            return nil
        } catch {
            return "the \(document.kind.rawValue) \(document.name.cut(toBytes: 64)) cannot be read"
        }
    }
}
