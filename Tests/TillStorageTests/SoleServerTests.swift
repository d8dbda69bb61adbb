import Foundation
import Synchronization
import Testing
import TillPostgres
import TillTesting

@Suite("One server at a time has a database")
struct SoleServerTests {
    @Test("A second one is refused, and has it once the first lets go")
    func second() async throws {
        let database = try StorageFixture.database()
        let first = try SoleServer(DatabaseURL(database.url)) {}
        let refusal = #expect(throws: PostgresRefused.self) { try SoleServer(DatabaseURL(database.url)) {} }
        #expect(refusal.map { "\($0)" }?.hasPrefix("Another Till works on the database") == true)
        first.release()
        try SoleServer(DatabaseURL(database.url)) {}.release()
    }
}
