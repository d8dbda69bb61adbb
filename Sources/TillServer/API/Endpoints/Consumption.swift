import HTTPTypes
import Hummingbird
import TillCore
import TillShop
import TillStorage

/// The endpoint Send Consumption Information, version 2 and version 1 (docs/api/consumption.md).
extension AppleAPI {
    var consumption: [Endpoint] {
        [
            Endpoint(.put, "/inApps/v2/transactions/consumption/{id}") { try await sendConsumption($0) },
            Endpoint(.put, "/inApps/v1/transactions/consumption/{id}") { try await sendConsumptionV1($0) },
        ]
    }

    // MARK: Version 2

    private func sendConsumption(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        let body = try await exchange.object()
        let report = try Self.report(body)
        let row = try await purchased(number, exchange)
        if report.consumptionPercentage != nil, row.type == .autoRenewable {
            throw APIError.consumptionPercentageOfSubscription.because(
                "\(row.id.number) is an auto-renewable subscription. Omit consumptionPercentage."
            )
        }
        if report.preference == .grantProrated, row.type != .autoRenewable,
            !(1..<100_000).contains(report.consumptionPercentage ?? 0)
        {
            throw APIError.invalidRefundPreference.because(
                "GRANT_PRORATED for \(row.id.number) needs a consumptionPercentage from 1 to 99999."
            )
        }
        _ = try await perform(.reportConsumption(row.id, report), on: row, exchange)
        return Response(status: .accepted)
    }

    private static let deliveryStatuses = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]

    private static let keys = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
    ]

    private static func report(_ body: RequestBody) throws -> ConsumptionReport {
        try requireConsent(body)
        guard let status = body.text("deliveryStatus"), deliveryStatuses.contains(status) else {
            throw APIError.invalidDeliveryStatus.because(
                "\(body.words("deliveryStatus")); it must be one of \(deliveryStatuses.joined(separator: ", "))."
            )
        }
        try requireSample(body)
        var report = ConsumptionReport(preference: nil, body: body.kept(keys))
        if body["consumptionPercentage"] != nil {
            guard let percentage = body.number("consumptionPercentage"), (0...100_000).contains(percentage) else {
                throw APIError.consumptionPercentageOutOfRange.because(
                    "\(body.words("consumptionPercentage")); it must be a number from 0 to 100000."
                )
            }
            guard percentage == 0 || status == "DELIVERED" else {
                throw APIError.undeliveredConsumptionPercentageNonZero.because(
                    "consumptionPercentage is \(percentage), but with deliveryStatus \(status) it must be 0."
                )
            }
            report.consumptionPercentage = Int(percentage)
        }
        if body["refundPreference"] != nil {
            guard let preference = body.text("refundPreference").flatMap(RefundPreference.init) else {
                let known = RefundPreference.allCases.map(\.rawValue).joined(separator: ", ")
                throw APIError.invalidRefundPreference.because("\(body.words("refundPreference")); give \(known).")
            }
            report.preference = preference
        }
        return report
    }

    // MARK: Version 1

    private func sendConsumptionV1(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        let body = try await exchange.object()
        let report = try Self.reportV1(body)
        let row = try await purchased(number, exchange)
        guard row.type == .consumable || row.type == .autoRenewable else {
            throw APIError.transactionTypeNotSupported.because(
                "\(row.id.number) is a \(row.type.wireName); this route accepts consumables and auto-renewables."
            )
        }
        _ = try await perform(.reportConsumption(row.id, report), on: row, exchange)
        return Response(status: .accepted)
    }

    private static let keysV1 = [
        "customerConsented", "appAccountToken", "consumptionStatus", "platform", "sampleContentProvided",
        "deliveryStatus", "accountTenure", "playTime", "lifetimeDollarsRefunded", "lifetimeDollarsPurchased",
        "userStatus", "refundPreference",
    ]

    private static func reportV1(_ body: RequestBody) throws -> ConsumptionReport {
        try requireConsent(body)
        guard let token = body.text("appAccountToken"), token.isEmpty || UUIDText.canonical(token) != nil else {
            throw APIError.invalidAppAccountToken.because(
                "\(body.words("appAccountToken")); it must be a UUID, or empty if the purchase has no token."
            )
        }
        try requireCode("consumptionStatus", body, upTo: 3, .invalidConsumptionStatus)
        try requireCode("platform", body, upTo: 2, .invalidPlatform)
        try requireSample(body)
        try requireCode("deliveryStatus", body, upTo: 5, .invalidDeliveryStatus)
        try requireCode("accountTenure", body, upTo: 7, .invalidAccountTenure)
        try requireCode("playTime", body, upTo: 7, .invalidPlayTime)
        try requireCode("lifetimeDollarsRefunded", body, upTo: 7, .invalidLifetimeDollarsRefunded)
        try requireCode("lifetimeDollarsPurchased", body, upTo: 7, .invalidLifetimeDollarsPurchased)
        try requireCode("userStatus", body, upTo: 4, .invalidUserStatus)
        if body["refundPreference"] != nil {
            try requireCode("refundPreference", body, upTo: 3, .invalidRefundPreference)
        }
        let preference: RefundPreference? =
            switch body.number("refundPreference") {
            case 1: .grantFull
            case 2: .decline
            default: nil
            }
        return ConsumptionReport(preference: preference, body: body.kept(keysV1))
    }

    // MARK: Both versions

    private static func requireConsent(_ body: RequestBody) throws {
        guard body.flag("customerConsented") == true else {
            throw APIError.invalidCustomerConsented.because("\(body.words("customerConsented")); it must be true.")
        }
    }

    private static func requireSample(_ body: RequestBody) throws {
        let key = "sampleContentProvided"
        guard body.flag(key) != nil else {
            throw APIError.invalidSampleContentProvided.because("\(body.words(key)); it must be true or false.")
        }
    }

    private static func requireCode(_ key: String, _ body: RequestBody, upTo limit: Int64, _ error: APIError) throws {
        guard let code = body.number(key), (0...limit).contains(code) else {
            throw error.because("\(body.words(key)); it must be a number from 0 to \(limit).")
        }
    }

    /// The transaction of a purchaser. A family member's copy is refused.
    private func purchased(_ number: Int64, _ exchange: Exchange) async throws -> Transaction {
        let row = try await transaction(number, in: exchange.scope, orThrow: .transactionIDNotFound)
        guard row.ownership == .purchased else {
            throw APIError.familyTransactionNotSupported.because(
                "\(number) is a family member's copy. Send consumption information for the purchaser's transaction."
            )
        }
        return row
    }
}
