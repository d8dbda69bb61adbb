import TillStorage

extension StoreMigration {
    /// Checks that a store can be migrated, before anything is created in the target.
    ///
    /// - Throws: `MigrationRefused` for an incomplete store, or for a store that servers use.
    package static func requireSource(_ source: any Storage) async throws {
        try await source.requireWhole()
        try await source.requireNoServer()
    }
}
