import Foundation

/// A fact about a customer that no answer of the App Store Server API shows. The raw values are the first column of the
/// closed list in docs/client/import.md.
enum HiddenFact: String, CaseIterable, Sendable {
    // The customer.
    case card = "the card"
    case storefront = "the customer's storefront"
    case askToBuy = "whether Ask to Buy is on"
    case heldPurchases = "held purchases"
    case lastEvent = "the time of a change that no answer shows, such as that of the card or of Ask to Buy"
    case finished = "whether the app has finished a transaction that is not a consumable"
    case finishedRefund = "whether the app has finished a refunded consumable"
    case orders = "orders whose ids are not given with `--order`"
    // Offers.
    case redeemedCodes = "redeemed codes that neither a transaction nor renewal info shows"
    case nonces = "used nonces of offer signatures"
    case winBackDate = "the milliseconds of the redemption of a win-back offer"
    case remainingPeriods = "remaining periods of an offer, if it was redeemed again before its end"
    case secondOffer = "a second offer in the queue"
    case displacedOffer = "an offer that a change of plan displaced"
    // Periods.
    case anchorDay = "the day of the month of later renewals, if a payment failed and succeeded at the same instant"
    case extensions = "extensions of the last year"
    case extensionRequests = "request ids of extensions"
    case missedCharge = "a charge in advance that was missed because the product was not for sale"
    // Failed payments and expirations.
    case endOfRetries = "the end of the retries after a failed payment"
    case pastGrace = "the end of a grace period that is over, without the setting `keepsGraceDate`"
    case leftInGrace = "whether the customer turned auto-renew off in a grace period"
    // Refunds.
    case reversal = "what a reversed refund restores, if the period had ended before the refund"
    case refundRequests = "open refund requests"
    // Prices.
    case scheduledIncrease = "a price increase that the customer was not notified of"
    case increaseOfOtherPlan = "a price increase of the present plan, while the customer has chosen another plan"
    case priceOfIncrease = "the new price, if the renewal info has another price or none"
    case dateOfIncrease = "the first day of the new price of a weekly plan"
    case consentToIncrease = "whether a price increase needed consent, after the consent"
    case agreedPrice = "the price that the customer agreed to, if neither a transaction nor renewal info shows it"
    case earlierIncrease = "the date of the last notification of a price increase"
    // Families.
    case purchaser = "the purchaser of a shared purchase"
    case members = "the members of the family"
    case sharing = "whether a purchase is shared with the family"
    // The app.
    case settings = "settings of the app"
    case otherProducts = "products that were never bought"
    case catalog = "prices, levels and offers of products, if no answer shows them"

    /// The rows of the closed list in docs/client/import.md.
    static func documented() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let text = try String(contentsOf: root.appending(path: "docs/client/import.md"), encoding: .utf8)
        let section = text.components(separatedBy: "\n## What may differ\n").dropFirst().first ?? ""
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| ") }
        // The first row has the titles of the columns.
        return rows.dropFirst().map { $0.dropFirst(2).components(separatedBy: " | ")[0] }
    }
}
