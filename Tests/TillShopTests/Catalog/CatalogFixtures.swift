import Foundation
import TillCore
import TillJSON
import TillShop

/// The catalog files of the tests. Their paths are relative to this source file.
enum CatalogFixtures {
    /// The root folder of the repository.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let directory = root.appending(path: "Tests/Fixtures/storekit")

    /// The bytes of a fixture whose name is given without its extension.
    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: directory.appending(path: "\(name).storekit")))
    }

    /// The catalog that is imported from a fixture.
    static func read(_ name: String) throws -> CatalogImport {
        try StoreKitFile.read(try bytes(name))
    }

    /// The `.storekit` files in a directory, sorted.
    static func files(in directory: URL) throws -> [URL] {
        try FileManager.default
            .contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "storekit" }
            .sorted { $0.path < $1.path }
    }

    /// The errors for which a text is rejected, one per line; nil if it is accepted.
    static func faults(of text: String) -> [String]? {
        faults { try StoreKitFile.read(Array(text.utf8)) }
    }

    /// The errors for which an operation is rejected, one per line; nil if it succeeds.
    static func faults(_ attempt: () throws -> some Any) -> [String]? {
        do {
            _ = try attempt()
            return nil
        } catch let refusal as CatalogRefused {
            return refusal.faults.map(\.description)
        } catch {
            return ["something other than a refusal: \(error)"]
        }
    }
}

/// A catalog as text with one line per item, so that a test can state the complete result.
enum CatalogListing {
    static func text(_ catalog: Catalog) -> String {
        var lines: [String] = []
        for product in catalog.products.values.sorted(by: { $0.id < $1.id }) {
            lines += self.lines(product)
        }
        for group in catalog.groups.values.sorted(by: { $0.id < $1.id }) {
            lines.append("group \(group.id) \(group.name)" + names(group.localizations))
        }
        lines.append(line(catalog.settings))
        return lines.joined(separator: "\n")
    }

    private static func lines(_ product: Product) -> [String] {
        var head = "\(product.id) \(product.type) \(price(product.prices))"
        if let plan = product.plan { head += " \(plan.period.iso8601) level \(plan.level) of \(plan.groupID)" }
        if product.isFamilyShareable { head += " shared" }
        if !product.isForSale { head += " not for sale" }
        var lines = [head, "  \(product.referenceName)" + names(product.localizations)]
        for plan in product.plan?.billingPlans ?? [] {
            let whole = plan.commitmentPrices.map { " of \(price($0))" } ?? ""
            lines.append("  pay \(plan.kind.rawValue) \(price(plan.prices))\(whole)\(plan.isEnabled ? "" : " off")")
        }
        return lines + product.offers.map { "  " + line($0) }
    }

    private static func line(_ offer: Offer) -> String {
        var words = ["\(offer.kind)"]
        if let id = offer.id { words.append(id) }
        if let name = offer.referenceName, name != offer.id { words.append("(\(name))") }
        words.append(offer.mode.rawValue)
        if let period = offer.period {
            words.append(offer.periodCount == 1 ? period.iso8601 : "\(offer.periodCount) × \(period.iso8601)")
        }
        if let prices = offer.prices { words.append(price(prices)) }
        if !offer.audience.isEmpty {
            words.append("for \(offer.audience.map(\.rawValue).sorted().joined(separator: "+"))")
        }
        if offer.isStackable { words.append("stackable") }
        if let winBack = offer.winBack {
            let months = winBack.monthsSinceExpiry
            words.append("after \(winBack.minimumPaidMonths), \(months.lowerBound)…\(months.upperBound)")
            words.append("every \(winBack.monthsBetweenOffers)")
        }
        if let plan = offer.billingPlan { words.append("on \(plan.rawValue)") }
        return words.joined(separator: " ")
    }

    private static func line(_ settings: CatalogSettings) -> String {
        var words = ["\(settings.storefront) \(settings.locale) rate \(settings.timeRate)"]
        if settings.isBillingGracePeriodEnabled { words.append("grace") }
        if settings.areRenewalBillingIssuesEnabled { words.append("billing issues") }
        if settings.isAskToBuyEnabled { words.append("ask to buy") }
        if let id = settings.appAppleID { words.append("app \(id)") }
        return words.joined(separator: ", ")
    }

    private static func price(_ prices: PriceList) -> String {
        "\(prices.standard.milliunits) \(prices.standard.currency)"
    }

    private static func names(_ localizations: [Localization]) -> String {
        localizations.map { entry in
            " | \(entry.locale) \(entry.displayName)" + (entry.description.isEmpty ? "" : ": \(entry.description)")
        }.joined()
    }
}
