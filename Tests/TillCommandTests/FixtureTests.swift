import ArgumentParser
import Testing
import TillCore
import TillServer
import TillShop

@testable import till

/// The files that `till fixtures` makes, compared with what the sources declare. Tests/Python/testing_corpus verifies
/// their signatures.
@Suite("The fixtures have everything that the sources declare")
struct FixtureTests {
    /// The notifications that no event causes, so that the command requests them. A type or subtype that an event
    /// causes needs a story in `FixtureShop.playAll` instead.
    private static let onRequest: Set = [
        "EXPIRED", "TEST", "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", "EXTERNAL_PURCHASE_TOKEN/CREATED",
        "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION",
        "PRICE_CHANGE",
    ]

    @Test("Each environment has every notification, error and attack, and every content has an entry")
    func completeness() async throws {
        let command = try FixturesCommand.parse(["--output", "unused"])
        let server = try await FixtureServer.started()
        let made = try await command.fixtures(server)
        try await server.stop()
        let pairs = NotificationType.allCases.flatMap { type in
            type.subtypes.map { TillCore.Notice(type, $0).words }
        }
        for environment in StoreEnvironment.allCases {
            let files = made.1.files.filter { $0.environment == environment.wireName }
            let valid = files.filter { $0.kind == .notification && $0.attack == nil }
            #expect(Set(valid.map(words)) == Set(pairs))
            #expect(Set(valid.filter { $0.isTriggered == true }.map(words)) == Self.onRequest)
            #expect(files.compactMap(\.errorCode).sorted() == APIError.documentedErrors.map(\.code))
            for kind in [Fixture.Kind.notification, .transaction] {
                let attacks = files.filter { $0.kind == kind }.compactMap(\.attack)
                #expect(Set(attacks) == Set(Attack.allCases.map(\.name)) && attacks.count == Attack.allCases.count)
            }
            let receipts = files.filter { $0.kind == .receipt }.compactMap(\.attack)
            #expect(Set(receipts) == Set(ReceiptAttack.allCases.map(\.name)))
            #expect(Set(files.map(\.kind)) == Set(Fixture.Kind.allCases))
        }
        let others: Set = ["README.md", "root.cer", "root.pem", "receipt-root.cer", "receipt-root.pem"]
        #expect(Set(made.0.keys) == Set(made.1.files.map(\.file)).union(others))
    }

    private func words(_ fixture: Fixture) -> String {
        (fixture.notificationType ?? "") + (fixture.subtype.map { "/\($0)" } ?? "")
    }

    @Test("Two files with one name are refused")
    func sameName() throws {
        var set = FixtureSet()
        let fixture = Fixture(
            file: "sandbox/errors/401.txt",
            kind: .apiError,
            environment: "Sandbox",
            bundleId: "com.example.app",
            appAppleId: 1,
            shows: "Nothing."
        )
        try set.add(fixture, [])
        #expect(throws: CommandRefused.self) { try set.add(fixture, []) }
    }
}
