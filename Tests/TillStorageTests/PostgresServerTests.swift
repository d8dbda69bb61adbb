import Testing
import TillPostgres
import TillStorage
import TillTestSupport

@Suite("A test can reuse the database of an earlier test")
struct PostgresServerTests {
    @Test("A reused database contains no documents, nodes or configuration versions of the previous test")
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

    /// Uses a database and leaves a document and a registered node in it.
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
