import TillCore
import TillStorage

/// Checks whether every row can be read.
extension Doctor {
    /// Decodes all rows as the engines do, but each row separately, so that every damaged row is reported.
    func rowFindings(_ storage: any Storage) async throws -> [String] {
        var findings: [String] = []
        for table in ShopTable.allCases {
            var last: TableRow?
            while findings.count < Self.maxRowFindings {
                let page = try await storage.rows(of: table, after: last, limit: table.pageLength)
                guard let end = page.last, end.key(of: table) != last?.key(of: table) else { break }
                let reasons = page.compactMap { $0.damage(of: table)?.reason }
                findings += reasons.map { "\($0.prefix(1).uppercased() + $0.dropFirst())." }
                last = end
            }
        }
        return findings
    }

    private static let maxRowFindings = 1_000
}
