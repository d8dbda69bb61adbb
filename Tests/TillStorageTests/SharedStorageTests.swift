import Synchronization
import Testing
import TillCore
import TillPostgres
import TillStorage

@Suite("Nodes share a store with leases, configuration versions and fencing tokens")
struct SharedStorageTests {
    private let fixture: StorageFixture
    private let nodes: [any SharedStorage]
    private static let long = Duration.seconds(60)

    init() throws {
        fixture = try StorageFixture(.postgres)
        nodes = try [fixture.storage, fixture.reopened()].map { try #require($0 as? any SharedStorage) }
    }

    private func joined() async throws {
        for (place, node) in nodes.enumerated() {
            try await node.join("n\(place)", name: "place \(place)", lease: Self.long)
        }
    }

    private func lease(_ name: String, _ node: Int) -> Lease { Lease(name: name, node: "n\(node)", body: "b\(node)") }

    private func writePrecondition(_ node: Int) async throws -> WritePrecondition {
        let now = try await nodes[node].configurationVersions()
        return WritePrecondition(node: "n\(node)", epoch: now.epoch, configurationVersion: now.sum)
    }

    private func open(_ customer: String, _ number: Int64, _ writePrecondition: WritePrecondition?) -> Change {
        Change(
            accounts: [AccountChange(account: fixture.account(customer, number: number), before: nil)],
            writePrecondition: writePrecondition
        )
    }

    @Test("After an import, decisions of all nodes are outdated, because they may have created its identifiers")
    func imports() async throws {
        try await joined()
        let before = [try await writePrecondition(0), try await writePrecondition(1)]
        var change = open("ann", 1, before[0])
        let ann = try #require(change.accounts.first).account
        change.foreignIdentifiers = [
            ForeignIdentifier(.transaction, "300", in: StorageFixture.scope, of: ann.id, own: 7)
        ]
        try await nodes[0].commit([change])[0].get()
        for (place, node) in nodes.enumerated() {
            let outdated = await node.commit([open("bob", 2, before[place])])[0]
            guard case .failure(.preconditionFailed) = outdated else {
                Issue.record("node \(place) committed without the identifiers of the import: \(outdated)")
                continue
            }
        }
        try await nodes[1].commit([open("bob", 2, try await writePrecondition(1))])[0].get()
    }

    @Test("After a commit with a catalog, decisions of all nodes are outdated, because they may have used the old one")
    func catalogs() async throws {
        try await joined()
        let before = [try await writePrecondition(0), try await writePrecondition(1)]
        let written = nodes[0].written
        var change = open("ann", 1, before[0])
        change.documents = [Document(kind: .catalog, name: "com.example", app: "com.example", body: "{}")]
        try await nodes[0].commit([change])[0].get()
        #expect(nodes[0].written > written, "the operation waits until all nodes have loaded the catalog")
        #expect(try await nodes[1].documents(.catalog) == change.documents)
        for (place, node) in nodes.enumerated() {
            let outdated = await node.commit([open("bob", 2, before[place])])[0]
            guard case .failure(.preconditionFailed) = outdated else {
                Issue.record("node \(place) committed with the old catalog: \(outdated)")
                continue
            }
        }
    }

    @Test("A lease belongs to one node until this node returns it, leaves, or restarts")
    func leases() async throws {
        try await joined()
        let all = ["a", "b", "c"]
        let first = try await nodes[0].take(all.prefix(2).map { lease($0, 0) })
        #expect(first == ["a", "b"])
        let second = try await nodes[1].take(all.map { lease($0, 1) })
        #expect(second == ["c"])
        try await nodes[0].release(["a", "c"], of: "n0")
        let third = try await nodes[1].take(all.map { lease($0, 1) })
        #expect(third == ["a"], "a node returns only its own leases")
        let view = try #require(try await nodes[0].renew("n0", seen: 7, lease: Self.long))
        #expect(Set(view.seen.keys) == ["n0", "n1"] && view.seen["n0"] == 7)
        #expect(view.leases.sorted { $0.name < $1.name } == [lease("a", 1), lease("b", 0), lease("c", 1)])
        try await nodes[1].leave("n1")
        let fourth = try await nodes[0].take(all.map { lease($0, 0) })
        #expect(fourth == ["a", "c"])
        try await nodes[0].join("n0 again", name: "place 0", lease: Self.long)
        let left = try await nodes[0].renew("n0 again", seen: 0, lease: Self.long)
        #expect(left?.leases.isEmpty == true && left?.seen.count == 1)
    }

    @Test("A node without heartbeats loses its leases, and its later writes are rejected")
    func silent() async throws {
        try await nodes[0].join("n0", name: "place 0", lease: .milliseconds(50))
        try await nodes[1].join("n1", name: "place 1", lease: Self.long)
        _ = try await nodes[0].take([lease("work", 0)])
        let before = try await writePrecondition(0)
        try await Task.sleep(for: .milliseconds(80))
        let view = try await nodes[1].renew("n1", seen: 0, lease: Self.long)
        #expect(view?.seen.keys.sorted() == ["n1"] && view?.leases.isEmpty == true)
        let renew = try await nodes[0].renew("n0", seen: 0, lease: Self.long)
        #expect(renew == nil)
        let taken = try await nodes[0].take([lease("other", 0)])
        #expect(taken.isEmpty)
        let results = await nodes[0].commit([open("ann", 1, before)])
        #expect(throws: CommitFailure.self) { try results[0].get() }
        await #expect(throws: PreconditionFailed.self) {
            try await WritePrecondition.$held.withValue(before) {
                try await nodes[0].put([Document(kind: .clock, name: "x", body: "{}")])
            }
        }
        #expect(try await nodes[1].accounts(of: nil, after: nil, limit: 9).isEmpty)
        #expect(try await nodes[1].documents(.clock).isEmpty)
    }

    @Test("A write based on state that another node has changed is rejected; other writes succeed")
    func staleWrites() async throws {
        try await joined()
        let old = try await writePrecondition(0)
        let fine = await nodes[0].commit([open("ann", 1, old)])
        try fine[0].get()
        // Nodes read jobs when they need them, and keep none in memory. This change therefore makes no state stale.
        try await nodes[1].put([Document(kind: .job, name: "j", body: "{}")])
        let still = await nodes[0].commit([open("bob", 2, old)])
        try still[0].get()
        let written = nodes[1].written
        try await nodes[1].put([Document(kind: .catalog, name: "com.example", app: "com.example", body: "{}")])
        #expect(nodes[1].written == written + 1)
        let new = try await writePrecondition(0)
        // Each write of a batch is checked against its own precondition.
        let mixed = await nodes[0].commit([open("cid", 3, old), open("dan", 4, new), open("eve", 5, nil)])
        guard case .failure(.preconditionFailed) = mixed[0] else { return #expect(Bool(false), "\(mixed[0])") }
        try mixed[1].get()
        try mixed[2].get()
        try await nodes[1].removeDocument(.catalog, name: "com.example")
        // The check also applies when another change of the batch fails for a different reason.
        let all = await nodes[0].commit([open("dan", 4, new), open("fay", 6, new)])
        for result in all {
            guard case .failure(.preconditionFailed) = result else { return #expect(Bool(false), "\(result)") }
        }
        let names = try await nodes[0].accounts(of: nil, after: nil, limit: 9).map(\.customer)
        #expect(names.sorted() == ["ann", "bob", "dan", "eve"])
    }

    @Test("A restore begins a new epoch; writes of the previous epoch are rejected")
    func epochs() async throws {
        try await joined()
        let ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        try await fixture.notify(ann, number: 1)
        let clock = ann.clockName
        _ = try await nodes[0].save(Snapshot(name: "s", app: nil, savedAt: Timestamp(milliseconds: 1)))
        let before = try await writePrecondition(0)
        var sent = try #require(
            try await nodes[0].dueDeliveries(to: "primary", on: clock, until: Timestamp(milliseconds: 9), limit: 9)
                .deliveries.first
        )
        try await nodes[1].restore(snapshot: "s")
        let now = try await nodes[0].configurationVersions()
        #expect(now.epoch == before.epoch + 1)
        for (epoch, count) in [(before.epoch, 0), (now.epoch, 1)] {
            let part = DeliveryPart(partitions: 0..<1_024, epoch: epoch)
            let end = Timestamp(milliseconds: 9)
            let found = try await nodes[0].dueDeliveries(to: "primary", on: clock, until: end, in: part, limit: 9)
            #expect(found.deliveries.count == count)
        }
        sent.attempts = [SendAttempt(date: sent.signedDate, result: .success, milliseconds: 1)]
        sent.due = nil
        try await nodes[0].record([sent], epoch: before.epoch)
        #expect(try await nodes[0].pendingDeliveries(on: clock, until: nil) == 1)
        try await nodes[0].record([sent], epoch: now.epoch)
        #expect(try await nodes[0].pendingDeliveries(on: clock, until: nil) == 0)
        await #expect(throws: PreconditionFailed.self) {
            let held = WritePrecondition(node: "n0", epoch: before.epoch, configurationVersion: nil)
            try await WritePrecondition.$held.withValue(held) {
                try await nodes[0].put([Document(kind: .job, name: "x", body: "{}")])
            }
        }
    }

    @Test("A replacement of one app rejects attempts of this app only, and nodes learn which app it was")
    func replacedApps() async throws {
        try await joined()
        let ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        try await fixture.notify(ann, number: 1)
        let (clock, end) = (ann.clockName, Timestamp(milliseconds: 9))
        let before = try await nodes[0].configurationVersions().epoch
        let part = DeliveryPart(partitions: 0..<1_024, epoch: before)
        for app in ["com.other", "com.third", "com.other"] { try await nodes[1].erase(app: app, documents: []) }
        #expect(try await nodes[0].replacements(after: before) == ["com.other": before + 3, "com.third": before + 2])
        #expect(try await nodes[0].replacements(after: before + 2) == ["com.other": before + 3])
        let found = try await nodes[0].dueDeliveries(to: "primary", on: clock, until: end, in: part, limit: 9)
        var sent = try #require(found.deliveries.first)
        sent.attempts = [SendAttempt(date: sent.signedDate, result: .success, milliseconds: 1)]
        sent.due = nil
        _ = try await nodes[0].save(Snapshot(name: "own", app: clock.scope.app, savedAt: end))
        try await nodes[1].restore(snapshot: "own")
        let none = try await nodes[0].dueDeliveries(to: "primary", on: clock, until: end, in: part, limit: 9)
        #expect(none.deliveries.isEmpty)
        try await nodes[0].record([sent], epoch: before)
        #expect(try await nodes[0].pendingDeliveries(on: clock, until: nil) == 1)
        try await nodes[0].record([sent], epoch: before + 4)
        #expect(try await nodes[0].pendingDeliveries(on: clock, until: nil) == 0)
        try await nodes[1].erase(app: nil, documents: [])
        #expect(try await nodes[0].replacements(after: before) == [ConfigurationVersions.allApps: before + 5])
    }

    @Test("An attempt that another node has already recorded is not overwritten")
    func attempts() async throws {
        let ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        try await fixture.notify(ann, number: 1)
        let found = try await nodes[0].dueDeliveries(
            to: "primary",
            on: ann.clockName,
            until: Timestamp(milliseconds: 9),
            limit: 9
        )
        var first = try #require(found.deliveries.first)
        var second = first
        first.attempts = [SendAttempt(date: first.signedDate, result: .success, milliseconds: 1)]
        first.due = nil
        second.attempts = [SendAttempt(date: first.signedDate, result: .timedOut, milliseconds: 2)]
        try await nodes[0].record([first])
        try await nodes[1].record([second])
        let kept = try await nodes[0].deliveries(of: first.notification)
        #expect(kept.map(\.attempts) == [first.attempts])
    }

    @Test("A node reads the due events of its partitions, and all nodes together read all due events")
    func parts() async throws {
        for number in 1...40 {
            let account = try await fixture.commit(fixture.account("c\(number)", number: Int64(number)), rows: [])
            try await fixture.notify(account, number: Int64(number))
            var changed = account
            changed.version = 2
            let due = AccountChange(account: changed, before: 1, nextDue: Timestamp(milliseconds: Int64(number)))
            try await nodes[0].commit([Change(accounts: [due])])[0].get()
        }
        let clock = ClockName(StorageFixture.scope)
        let end = Timestamp(milliseconds: 1_000)
        let all = try await nodes[0].dueAccounts(on: clock, until: end, in: nil, limit: 100)
        let pending = try await nodes[0].dueDeliveries(to: "primary", on: clock, until: end, limit: 100).deliveries
        #expect(all.count == 40 && pending.count == 40)
        var parts: [DueAccount] = []
        var sent: [Delivery] = []
        for range in [Int64(0)..<320, 320..<352, 352..<1_024] {
            let due = try await nodes[0].dueAccounts(on: clock, until: end, in: range, limit: 100)
            #expect(due.allSatisfy { range.contains($0.id.partition.number) })
            let next = try await nodes[0].dueAccounts(on: clock, until: end, in: range, limit: 1)
            #expect(next == Array(due.prefix(1)))
            parts += due
            let part = DeliveryPart(partitions: range, epoch: nil)
            sent += try await nodes[0].dueDeliveries(to: "primary", on: clock, until: end, in: part, limit: 100)
                .deliveries
        }
        #expect(Set(parts.map(\.id)) == Set(all.map(\.id)) && parts.count == 40)
        #expect(Set(sent.map(\.notification)) == Set(pending.map(\.notification)) && sent.count == 40)
    }

    @Test(
        "Of two concurrently added documents one is stored, and each caller gets the stored document",
        arguments: Engine.allCases
    )
    func kept(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let stores = [fixture.storage, try fixture.reopened()]
        for round in 1...10 {
            let bodies = try await withThrowingTaskGroup(of: String.self) { group in
                for (place, store) in stores.enumerated() {
                    let mine = Document(kind: .shop, name: "seed \(round)", body: "\(place)")
                    group.addTask { try await store.keep(mine).body }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(bodies.count == 1)
        }
    }

    @Test("Every node receives each event that a node publishes", .timeLimit(.minutes(10)))
    func words() async throws {
        let (words, nodeSubscription) = AsyncStream.makeStream(of: String?.self)
        nodes[1].subscribe { sign in
            switch sign {
            case .missed: nodeSubscription.yield(nil)
            case .word(let word): nodeSubscription.yield(word)
            case .alive: break
            }
        }
        var events = words.makeAsyncIterator()
        let first = await events.next()
        #expect(first == .some(nil), "events published before the subscription are not received")
        try await nodes[0].publish("hello")
        try await nodes[0].put([Document(kind: .clock, name: "x", body: "{}")])
        let second = await events.next()
        let third = await events.next()
        #expect(second == "hello" && third == NodeMessage.configurationVersions)
    }
}
