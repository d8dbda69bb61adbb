import Testing
import TillStorage

@testable import TillShop

@Suite("The epochs in which the data of apps was replaced")
struct ReplacementEpochTests {
    @Test("A replacement concerns its app, all apps, or, if it is not known which one, all apps")
    func apps() {
        var epochs = ReplacementEpochs(all: 5)
        epochs.add(["a": 6, "b": 7], upTo: 7)
        #expect(["a", "b", "c"].map(epochs.epoch) == [6, 7, 5])
        // The database may have a later replacement already.
        epochs.add(["a": 9], upTo: 8)
        #expect(["a", "b", "c"].map(epochs.epoch) == [9, 7, 5])
        var whole = epochs
        whole.add([ConfigurationVersions.allApps: 10, "b": 11], upTo: 11)
        #expect(["a", "b", "c"].map(whole.epoch) == [11, 11, 11])
        var unknown = epochs
        unknown.add(["a": 11], upTo: 12)
        #expect(["a", "b", "c"].map(unknown.epoch) == [12, 12, 12])
        var many = epochs
        let names = (0...ReplacementEpochs.maxApps).map { "\($0)" }
        many.add(Dictionary(uniqueKeysWithValues: names.map { ($0, Int64(20)) }), upTo: 20)
        #expect(many.epoch(of: "a") == 20 && many == ReplacementEpochs(all: 20))
    }
}
