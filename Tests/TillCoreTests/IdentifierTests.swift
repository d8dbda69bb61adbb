import Testing
import TillCore

@Suite("Identifiers have the App Store's format and contain their partition")
struct IdentifierTests {
    private let usa = Storefront.unitedStates

    @Test(
        "A sandbox transaction id has sixteen digits; a production id has fifteen, with the storefront's prefix"
    )
    func shapes() throws {
        var ids = Identifiers(reserved: 7..<100)
        let account = ids.account(in: Partition(of: 515))
        #expect(account.wireForm.count == 18)
        #expect(account.wireForm.hasPrefix("704"))
        let sandbox = ids.transaction(of: account, environment: .sandbox, storefront: usa)
        #expect(sandbox.wireForm.count == 16)
        #expect(sandbox.wireForm.hasPrefix("2000000"))
        let germany = try #require(Storefront(code: "DEU"))
        let here = ids.transaction(of: account, environment: .production, storefront: usa)
        let there = ids.transaction(of: account, environment: .production, storefront: germany)
        #expect(here.wireForm.count == 15)
        #expect(here.wireForm.prefix(3) != there.wireForm.prefix(3))
        #expect(AccountID.hasShape(account.number))
        #expect(!AccountID.hasShape(sandbox.number))
        #expect(!AccountID.hasShape(here.number))
    }

    @Test(
        "Every id contains the partition of its account and its counter",
        arguments: StoreEnvironment.allCases
    )
    func partitions(_ environment: StoreEnvironment) {
        for counter in [Int64(1), 977, 976_562_499, 976_562_500, 9_765_625_001] {
            var ids = Identifiers(reserved: counter..<counter + 10)
            let account = ids.account(in: Partition(of: 1_023))
            let transaction = ids.transaction(of: account, environment: environment, storefront: usa)
            let lineItem = ids.lineItem(of: account, environment: environment, storefront: usa)
            let order = ids.order(of: account)
            #expect(account.partition.number == 1_023)
            #expect(transaction.partition == account.partition)
            #expect(Partition(of: lineItem) == account.partition)
            #expect(order.partition == account.partition)
            #expect(Identifiers.counter(of: account) == counter)
            #expect(Identifiers.counter(of: transaction) == counter + 1)
        }
    }

    @Test("Ids of an environment are unique for all storefronts and counters")
    func uniqueness() throws {
        let places = [usa, try #require(Storefront(code: "DEU")), try #require(Storefront(code: "JPN"))]
        var seen: Set<Int64> = []
        var count = 0
        // At counters with twelve digits, the id ranges of adjacent storefront prefixes meet.
        for start in [Int64(1), 976_562_490, 9_765_624_990] {
            var ids = Identifiers(reserved: start..<start + 301)
            let account = ids.account(in: Partition(of: 3))
            for index in 0..<300 {
                seen.insert(
                    ids.transaction(of: account, environment: .production, storefront: places[index % 3]).number
                )
                count += 1
            }
        }
        #expect(seen.count == count)
    }

    @Test("An order id is M and nine characters, does not look sequential, and can be decoded")
    func orders() throws {
        var texts: Set<String> = []
        for number in [Int64(0), 1, 1_024, 1_025, 2_048, 5_555_555, 101_559_956_668_415] {
            let order = OrderID(number)
            #expect(order.wireForm.count == 10)
            #expect(order.wireForm.first == "M")
            #expect(OrderID(wireForm: order.wireForm) == order)
            texts.insert(order.wireForm)
        }
        #expect(texts.count == 7)
        for text in ["", "M", "MABC", "XABCDEFGHI", "MABCDEFGHi", "MABCDEFGHIJ", "MABCDEFGH-", "MÄBCDEFGH"] {
            #expect(OrderID(wireForm: text) == nil)
        }
    }

    @Test("The partition of a customer never changes; these values are permanent")
    func partitionOfCustomer() {
        let known = Partition(environment: .sandbox, app: "com.example", customer: "ann").number
        #expect(known == 756)
        let numbers = (0..<2_000).map { Partition(environment: .production, app: "a", customer: "c\($0)").number }
        #expect(numbers.allSatisfy { (0..<1_024).contains($0) })
        #expect(Set(numbers).count > 800)
    }

    @Test("A UUID is read in upper or lower case and written in lower case; any other text is invalid")
    func uuids() {
        #expect(
            UUIDText.canonical("0F6F6E3C-6D3E-4A58-9B1D-6F0F7A0F5A11") == "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11"
        )
        for text in ["", "0f6f6e3c6d3e4a589b1d6f0f7a0f5a11", "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a1g", "not a uuid"] {
            #expect(UUIDText.canonical(text) == nil)
        }
    }
}
