/// The logical partition of an account. Every id that belongs to the account contains the partition, so one id is
/// enough to find the partition (docs/internals/decisions/06-identifiers.md).
package struct Partition: Hashable, Comparable, Sendable {
    /// The number of the partition, 0 to 1,023.
    package let number: Int64

    /// The number of logical partitions, which is the same for every storage engine and never changes.
    package static let count: Int64 = 1_024

    /// The partition that the last ten bits of an id contain.
    package init(of id: Int64) {
        number = ((id % Partition.count) + Partition.count) % Partition.count
    }

    /// The partition of a customer's account: a fixed hash of environment, app and customer (FNV-1a, folded).
    package init(environment: StoreEnvironment, app: String, customer: String) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ text: String) {
            for byte in text.utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        mix(environment.rawValue)
        mix(app)
        mix(customer)
        hash ^= hash >> 32
        hash ^= hash >> 16
        number = Int64(hash % UInt64(Partition.count))
    }

    package static func < (left: Partition, right: Partition) -> Bool { left.number < right.number }
}

/// The id of an account. Its number is also the `appTransactionId` and has 18 digits, beginning with `704`.
package struct AccountID: Hashable, Comparable, Sendable {
    /// Base + counter × 1,024 + partition. The last ten bits are therefore the partition.
    package let number: Int64

    /// The id with an existing account number.
    package init(_ number: Int64) { self.number = number }

    /// The partition of the account and all its transactions.
    package var partition: Partition { Partition(of: number) }

    /// `appTransactionId` in the payload.
    package var wireForm: String { String(number) }

    /// Whether a number is in the range of app transaction ids, and not in the range of transaction ids.
    package static func hasShape(_ number: Int64) -> Bool {
        (Identifiers.appTransactionBase..<Identifiers.appTransactionBase + Identifiers.appTransactionCount)
            .contains(number)
    }

    package static func < (left: AccountID, right: AccountID) -> Bool { left.number < right.number }
}

/// A transaction id: `transactionId` or `originalTransactionId`.
package struct TransactionID: Hashable, Comparable, Sendable {
    /// At least 15 digits in production; 16 digits in the sandbox, from 2·10¹⁵. The last ten bits are the partition.
    package let number: Int64

    /// The id with an existing transaction number.
    package init(_ number: Int64) { self.number = number }

    /// The partition of the transaction's account.
    package var partition: Partition { Partition(of: number) }

    /// The id as a decimal string, as in the payload.
    package var wireForm: String { String(number) }

    package static func < (left: TransactionID, right: TransactionID) -> Bool { left.number < right.number }
}

/// The order id on the customer's e-mail receipt: `M` and nine characters. No payload contains it.
///
/// The nine base-36 digits encode a permutation of the number. They look random, but can be decoded.
package struct OrderID: Hashable, Sendable {
    /// Counter × 1,024 + partition, less than 36⁹.
    package let number: Int64

    /// The id with an existing order number.
    package init(_ number: Int64) { self.number = number }

    /// The partition of the order's account.
    package var partition: Partition { Partition(of: number) }

    fileprivate static let space: Int64 = 101_559_956_668_416  // 36⁹
    private static let factor: Int64 = 61_803_398_874_989  // coprime with 6
    private static let shift: Int64 = 31_415_926_535_897
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")

    /// The letter `M` and nine characters of 0–9 and A–Z.
    package var wireForm: String {
        let product = OrderID.factor.multipliedFullWidth(by: number)
        let folded = OrderID.space.dividingFullWidth(product).remainder
        // The sum is not negative for an order that Till created, but it may be negative for a damaged order.
        var rest = ((folded + OrderID.shift) % OrderID.space + OrderID.space) % OrderID.space
        var text: [Character] = []
        for _ in 0..<9 {
            text.append(OrderID.digits[Int(rest % 36)])
            rest /= 36
        }
        return "M" + String(text.reversed())
    }

    /// Reads an order id that a customer entered. Nil if the text is not `M` and nine characters, or not a possible
    /// order id.
    package init?(wireForm: String) {
        guard wireForm.utf8.count == 10, wireForm.first == "M" else { return nil }
        var value: Int64 = 0
        for character in wireForm.dropFirst() {
            guard let digit = OrderID.digits.firstIndex(of: character) else { return nil }
            value = value * 36 + Int64(digit)
        }
        let unshifted = (value - OrderID.shift + OrderID.space) % OrderID.space
        let product = OrderID.inverse.multipliedFullWidth(by: unshifted)
        number = OrderID.space.dividingFullWidth(product).remainder
    }

    /// The inverse of `factor` modulo `space`, computed with Euclid's algorithm.
    private static let inverse: Int64 = {
        var (previous, current) = (Int64(0), Int64(1))
        var (larger, smaller) = (space, factor)
        while smaller > 1 {
            let quotient = larger / smaller
            (previous, current) = (current, previous - quotient * current)
            (larger, smaller) = (smaller, larger % smaller)
        }
        return current < 0 ? current + space : current
    }()
}

/// A reserved range of counter values from which the core creates ids. Unused values are lost, so numbers may have
/// gaps.
package struct Identifiers: Sendable {
    private var next: Int64
    private let end: Int64

    static let sandboxBase: Int64 = 2_000_000_000_000_000
    static let appTransactionBase: Int64 = 704_000_000_000_000_000
    static let appTransactionCount: Int64 = 1_000_000_000_000_000

    /// A range of counter values that no other caller uses.
    package init(reserved: Range<Int64>) {
        next = reserved.lowerBound
        end = reserved.upperBound
    }

    /// The number of ids that remain.
    package var remaining: Int64 { end - next }

    /// The counter values that remain.
    package var reserved: Range<Int64> { next..<end }

    private mutating func count(in partition: Partition) -> Int64 {
        precondition(next < end, "the core was handed too few identifiers for one command")
        defer { next += 1 }
        return next * Partition.count + partition.number
    }

    /// A new account id in the partition of the customer.
    package mutating func account(in partition: Partition) -> AccountID {
        AccountID(Identifiers.appTransactionBase + count(in: partition))
    }

    /// A new transaction id in the number range of the environment.
    package mutating func transaction(of account: AccountID, environment: StoreEnvironment, storefront: Storefront)
        -> TransactionID
    {
        TransactionID(purchaseShape(count(in: account.partition), environment: environment, storefront: storefront))
    }

    /// A new `webOrderLineItemId` in the same number range as a transaction id.
    package mutating func lineItem(of account: AccountID, environment: StoreEnvironment, storefront: Storefront)
        -> Int64
    {
        purchaseShape(count(in: account.partition), environment: environment, storefront: storefront)
    }

    /// A new order id.
    package mutating func order(of account: AccountID) -> OrderID {
        OrderID(count(in: account.partition))
    }

    /// A number without a prefix, for ids that do not exist in Apple's API: counter × 1,024 + partition.
    package mutating func bare(in partition: Partition) -> Int64 { count(in: partition) }

    /// The number range of an environment. Sandbox ids have 16 digits, from 2·10¹⁵. Production ids have a prefix of
    /// three digits for the storefront and at least twelve more digits. Every base is a multiple of 1,024, because the
    /// last ten bits must remain the partition.
    private func purchaseShape(_ value: Int64, environment: StoreEnvironment, storefront: Storefront) -> Int64 {
        switch environment {
        case .sandbox:
            return Identifiers.sandboxBase + value
        case .production:
            var room: Int64 = 1_000_000_000_000
            while value >= room { room *= 10 }
            return Identifiers.productionPrefix(of: storefront) * room + value
        }
    }

    /// The limit of counter values, which is set by order ids because they have the smallest number range.
    package static let maxCounters = OrderID.space / Partition.count

    /// The highest counter value at which a server may still reserve a range. It leaves a margin, because servers
    /// reserve thousands of values at a time.
    package static let lastBeforeEnd = maxCounters - 1_000_000_000

    /// The counter value that an account id contains.
    package static func counter(of account: AccountID) -> Int64 {
        (account.number - appTransactionBase) / Partition.count
    }

    /// The counter value that a transaction id of either environment contains.
    package static func counter(of transaction: TransactionID) -> Int64 {
        let number = transaction.number
        if (sandboxBase..<sandboxBase + sandboxBase / 2).contains(number) {
            return (number - sandboxBase) / Partition.count
        }
        var room: Int64 = 1_000_000_000_000
        while number / room >= 1_000 { room *= 10 }
        return number % room / Partition.count
    }

    private static func productionPrefix(of storefront: Storefront) -> Int64 {
        let distance = (Int64(storefront.id) ?? 143_441) - 143_441
        return 180 + ((distance % 82) + 82) % 82 * 10
    }
}

/// An id that is stored as its number.
private protocol BareNumber: Codable {
    /// The stored number.
    var number: Int64 { get }
    /// The id with a stored number.
    init(_ number: Int64)
}

extension BareNumber {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

extension AccountID: BareNumber {}
extension TransactionID: BareNumber {}
extension OrderID: BareNumber {}
