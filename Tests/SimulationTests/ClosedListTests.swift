import Testing
import TillTestSupport

/// The closed list of docs/client/import.md: each of its facts is hidden, because two lives with the same answers
/// differ in it, and it matters, because the futures of these lives differ.
@Suite("A fact that no answer shows is listed in the documentation, and the future of a customer depends on it")
struct ClosedListTests {
    @Test("The documentation lists the facts that the law copies, and no others")
    func list() throws {
        #expect(try HiddenFact.documented() == HiddenFact.allCases.map(\.rawValue))
    }

    @Test("Two lives with the same answers have different futures", arguments: HiddenFact.allCases)
    func proof(_ fact: HiddenFact) async throws {
        let lives = fact.lives
        let (first, second) = (try await lives.open(), try await lives.open())
        try await lives.first(first)
        try await lives.second(second)
        let present = (try await lives.answers(of: first), try await lives.answers(of: second))
        #expect(!present.0.isEmpty)
        #expect(present.0 == present.1, "\(fact.rawValue): the present answers differ, so they show the fact")
        for shop in [first, second] { try await lives.future(shop) }
        let future = (try await lives.laterAnswers(of: first), try await lives.laterAnswers(of: second))
        #expect(future.0 != future.1, "\(fact.rawValue): the futures are equal, so the fact does not matter")
    }
}
