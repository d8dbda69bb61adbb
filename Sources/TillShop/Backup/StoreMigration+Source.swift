import TillStorage

extension StoreMigration {
    /// Looks whether a store can be carried at all, before anything is made where it is to go.
    ///
    /// - Throws: `MigrationRefused` for one that is not whole, or on which servers work.
    package static func requireSource(_ source: any Storage) async throws {
        try await source.requireWhole()
        try await source.requireNoServer()
    }
}
