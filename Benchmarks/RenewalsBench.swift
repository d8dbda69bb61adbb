import Crypto
import Foundation
import TillCore
import TillShop
import TillStorage
import TillTesting

/// A year passes over monthly subscribers: rows and signed notifications a second, beside bare signatures.
struct RenewalsBench {
    let subscribers: Int
    let rounds: Int

    func run() async throws -> [Figure] {
        var signatures: [Double] = []
        var renewals: [Double] = []
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let bare = try await Self.bareSignatures()
            let renewed = try await year()
            signatures.append(bare)
            renewals.append(renewed)
            ratios.append(renewed / bare)
        }
        return [
            Figure("bare ES256 signatures, all cores", unit: "1/s", rounds: signatures),
            Figure("renewals, \(subscribers) subscribers, a year", unit: "1/s", rounds: renewals),
            Figure("ratio of renewals to bare signatures", unit: "", rounds: ratios),
        ]
    }

    /// Signatures over a digest, on every core for a while.
    static func bareSignatures() async throws -> Double {
        let each = 20_000
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let time = try await seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<cores {
                    group.addTask {
                        let key = P256.Signing.PrivateKey()
                        let digest = SHA256.hash(data: Data(repeating: 7, count: 1_024))
                        for _ in 0..<each { _ = try key.signature(for: digest) }
                    }
                }
                try await group.waitForAll()
            }
        }
        return Double(each * cores) / time
    }

    /// Twelve renewals of everybody in one leap.
    private func year() async throws -> Double {
        var monthly = SampleProducts.monthly
        monthly.offers = []
        let test = try await TestShop(selling: [monthly])
        let clock = ClockName(AccountScope(realm: .sandbox, app: TestShop.bundleID))
        _ = try await test.shop.setClock(clock, .freeze(at: nil))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<64 {
                group.addTask {
                    for number in stride(from: lane, to: subscribers, by: 64) {
                        try await test.buy("pro", by: "customer-\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
        var told = 0
        let time = try await seconds {
            let report = try await test.shop.advance(clock, .byPeriod(Period(1, .year)), settling: false)
            told = report.notifications.reduce(0) { $0 + $1.count }
        }
        precondition(told == subscribers * 12, "\(told) renewals were told of, not \(subscribers * 12)")
        return Double(told) / time
    }
}
