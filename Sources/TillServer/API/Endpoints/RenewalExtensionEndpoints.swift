import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The endpoints that extend the renewal date of one subscription or of all active subscribers, and the endpoint for
/// the status of a mass extension (docs/api/extensions.md).
extension AppleAPI {
    var extensions: [Endpoint] {
        [
            Endpoint(.put, "/inApps/v1/subscriptions/extend/{id}") { try await extendOne($0) },
            Endpoint(.post, "/inApps/v1/subscriptions/extend/mass") { try await extendAll($0) },
            Endpoint(.get, "/inApps/v1/subscriptions/extend/mass/{product}/{request}") {
                try await statusOfExtensions($0)
            },
        ]
    }

    // MARK: One subscription

    private func extendOne(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidOriginalTransactionID)
        let body = try await exchange.object()
        let days = try Self.days(body)
        let reason = try Self.reasonCode(body)
        let request = try Self.requestIdentifier(body)
        let row = try await purchasedSubscription(number, exchange)
        let wanted = Extension(subscription: row.id, days: days, reasonCode: reason, request: request)
        let outcome: Outcome
        do {
            outcome = try await perform(.extend(wanted), on: row, exchange)
        } catch let refusal as Refusal {
            switch refusal {
            case .extensionIneligible: throw APIError.extensionIneligible.because(refusal.explanation)
            case .extensionLimit: throw APIError.extensionLimitReached.because(refusal.explanation)
            case .familyShared: throw APIError.familySharedExtensionIneligible.because(refusal.explanation)
            default: throw refusal
            }
        }
        let given = outcome.account.subscription(row.id)?.extensions.last { $0.request == request }
        guard let given else { throw APIError.generalInternal.because("The extension was applied but not recorded.") }
        var json = JSONWriter()
        json.put("originalTransactionId", row.shownID)
        json.put("webOrderLineItemId", given.lineItem.map { String($0) })
        json.put("success", true)
        json.put("effectiveDate", given.effectiveDate)
        return .json(json.finish())
    }

    /// The original transaction of a subscription that the customer purchased.
    private func purchasedSubscription(_ number: Int64, _ exchange: Exchange) async throws -> Transaction {
        let row = try await original(number, in: exchange.scope)
        guard row.ownership == .purchased else {
            throw APIError.familySharedExtensionIneligible.because(
                "\(number) is a family member's copy. Extend the purchaser's subscription."
            )
        }
        guard try await shop.storage.account(row.account)?.subscription(row.id) != nil else {
            throw APIError.extensionIneligible.because("\(number) is not an auto-renewable subscription.")
        }
        return row
    }

    // MARK: All subscribers of a product

    private func extendAll(_ exchange: Exchange) async throws -> Response {
        let body = try await exchange.object()
        let text = body.text("requestIdentifier") ?? ""
        let request = try Self.massIdentifier(text, body.words("requestIdentifier"))
        let days = try Self.days(body)
        let reason = try Self.reasonCode(body)
        let product = try subscriptionProduct(body, exchange)
        let wanted = MassExtension(
            productID: product,
            days: days,
            reasonCode: reason,
            request: request,
            storefronts: try Self.storefronts(body)
        )
        let id = shop.jobRunner.id(ofExtension: request, of: product, in: exchange.scope)
        _ = try await shop.gate.shared {
            try await shop.jobRunner.begin(.extend(wanted), in: exchange.scope, id: id)
        }
        var json = JSONWriter()
        json.put("requestIdentifier", text)
        return .json(json.finish())
    }

    private func statusOfExtensions(_ exchange: Exchange) async throws -> Response {
        let product = exchange.parameters["product"] ?? ""
        guard (1...255).contains(product.utf8.count) else {
            throw APIError.invalidProductID.because("The product id in the path must be 1 to 255 bytes long.")
        }
        let text = exchange.parameters["request"] ?? ""
        let request = try Self.massIdentifier(text, "The request identifier in the path is \"\(text.prefix(64))\"")
        guard
            let job = try await shop.jobs.job(shop.jobRunner.id(ofExtension: request, of: product, in: exchange.scope))
        else {
            throw APIError.statusRequestNotFound.because(
                "This app and environment has no mass extension \(request) of \(product.prefix(64))."
            )
        }
        let isDone = job.state == .done
        var json = JSONWriter()
        json.put("requestIdentifier", text)
        json.put("complete", isDone)
        if isDone {
            json.put("completeDate", job.completedAt)
            json.put("succeededCount", job.succeeded)
            json.put("failedCount", job.failed)
        }
        return .json(json.finish())
    }

    // MARK: Fields of the body

    private static func days(_ body: RequestBody) throws -> Int {
        guard let days = body.number("extendByDays"), (1...90).contains(days) else {
            throw APIError.invalidExtendByDays.because("\(body.words("extendByDays")); it must be from 1 to 90.")
        }
        return Int(days)
    }

    private static func reasonCode(_ body: RequestBody) throws -> Int {
        guard let code = body.number("extendReasonCode"), (0...3).contains(code) else {
            throw APIError.invalidExtendReasonCode.because(
                "\(body.words("extendReasonCode")); it must be from 0 to 3."
            )
        }
        return Int(code)
    }

    /// The request identifier: any text. A UUID is compared without regard to case.
    private static func requestIdentifier(_ body: RequestBody) throws -> String {
        guard
            let text = body.text("requestIdentifier"), !text.isEmpty, text.utf8.count <= 1_024,
            text.unicodeScalars.count <= 128
        else {
            throw APIError.invalidRequestIdentifier.because(
                "\(body.words("requestIdentifier")); it must be 1 to 128 characters."
            )
        }
        return UUIDText.canonical(text) ?? text
    }

    private static func massIdentifier(_ text: String, _ words: String) throws -> String {
        guard let request = UUIDText.canonical(text) else {
            throw APIError.invalidRequestIdentifier.because("\(words); it must be a UUID.")
        }
        return request
    }

    private func subscriptionProduct(_ body: RequestBody, _ exchange: Exchange) throws -> String {
        let catalog = shop.registry.catalog(of: exchange.caller.app.bundleID)
        guard let id = body.text("productId"), let product = catalog.products[id], product.type == .autoRenewable else {
            throw APIError.invalidProductID.because(
                "\(body.words("productId")); it must be an auto-renewable subscription in the app's catalog."
            )
        }
        return id
    }

    /// The storefronts of a mass extension; nil for all storefronts.
    private static func storefronts(_ body: RequestBody) throws -> [String]? {
        guard let value = body["storefrontCountryCodes"] else { return nil }
        guard case .array(let elements) = value else {
            throw APIError.invalidStorefrontCountryCode.because("storefrontCountryCodes is not an array.")
        }
        guard !elements.isEmpty else {
            throw APIError.emptyStorefrontCountryCodeList.because(
                "storefrontCountryCodes is empty. Omit it to extend in all storefronts."
            )
        }
        return try elements.map { element in
            guard case .string(let code) = element, Storefront(code: code) != nil else {
                throw APIError.invalidStorefrontCountryCode.because(
                    "\(element.summary) is not a storefront. Give three capital letters such as USA or DEU."
                )
            }
            return code
        }
    }
}
