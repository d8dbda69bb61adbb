import Testing
import TillPostgres
import TillStorage
import TillTesting

@Suite("A database is reused by one test after another")
struct PostgresServerTests {
    @Test("Nothing of the previous test remains: no documents, nodes or configuration versions")
    func emptied() async throws {
        let server = try PostgresServer()
        let first = try await used(server)
        let database = try server.database { _ = try PostgresStorage(DatabaseURL($0)) }
        #expect(database.url == first, "it is the same database")
        let storage = try PostgresStorage(DatabaseURL(database.url))
        #expect(try await storage.seen().isEmpty)
        #expect(try await storage.configurationVersions() == ConfigurationVersions([ConfigurationVersions.epoch: 1]))
        #expect(try await storage.documents(.job).isEmpty)
        try await storage.close()
    }

    /// Leaves behind a document and a node that did not deregister.
    private func used(_ server: PostgresServer) async throws -> String {
        let database = try server.database { _ = try PostgresStorage(DatabaseURL($0)) }
        let storage = try PostgresStorage(DatabaseURL(database.url))
        try await storage.join("n0", name: "place 0", lease: .seconds(60))
        let change = Change(documents: [Document(kind: .job, name: "a", body: "{}")])
        for result in await storage.commit([change]) { try result.get() }
        #expect(try await storage.seen().keys.sorted() == ["n0"])
        try await storage.close()
        return database.url
    }
}
