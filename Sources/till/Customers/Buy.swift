import ArgumentParser
import TillControl

struct Buy: SendingCommand {
    static let summary = "Buys a product for a customer; --json also prints the data that the device gives to the app."
    static let examples = """
        till buy com.example.coins --customer ann --quantity 3
        # with the introductory offer, if ann is eligible
        till buy com.example.pro.month --customer ann
        till buy com.example.pro.month --customer ann --code SPRING
        # a commitment with twelve payments
        till buy com.example.pro.year --customer ann --billing-plan MONTHLY
        # a new customer, on a new clock that begins at this date
        till buy com.example.coins --customer eva --clock new:2026-01-01
        # waits until the notification is delivered
        till buy com.example.coins --customer ann --settle 10
        # the signed transaction, as the app receives it
        till buy com.example.coins --customer ann --json
        """
    static let notes =
        "A customer who does not exist is created. For a promotional offer, your own backend creates a "
        + "signature: give --promotional ID with --token JWS, or with --key-id, --nonce, --timestamp and "
        + "--signature."

    @Argument(help: "The product identifier.")
    var product: String
    @Option(help: "The customer's name in Till.")
    var customer: String
    @Option(help: "The quantity, 1 to 10 for consumables.")
    var quantity: Int = 1
    @Option(help: "The storefront of the purchase, three capital letters.")
    var storefront: Storefront?
    @Option(help: "The appAccountToken, a UUID set by the app.")
    var appAccountToken: String?
    @Flag(help: "Buys without any offer, even without the introductory offer.")
    var noOffer = false
    @Flag(help: "Buys with the introductory offer, or fails if the customer is not eligible.")
    var introductory = false
    @Option(help: "Redeems the offer code offer with this identifier.")
    var code: String?
    @Option(help: "Uses the win-back offer with this identifier.")
    var winBack: String?
    @Option(help: "Uses the promotional offer with this identifier.")
    var promotional: String?
    @Option(help: "The JWS with which the app's server signs the offer.")
    var token: String?
    @Option(help: "The older signature of a promotional offer: the key id.")
    var keyID: String?
    @Option(help: "The older signature: the nonce.")
    var nonce: String?
    @Option(help: "The older signature: its time, in milliseconds since 1970.")
    var timestamp: Int64?
    @Option(help: "The older signature: the application username.")
    var applicationUsername: String?
    @Option(help: "The older signature: the signature in Base64.")
    var signature: String?
    @Option(help: "Adds the purchase to an existing order of the customer.")
    var order: String?
    @Flag(help: "The app finishes the transaction at once.")
    var finish = false
    @Option(help: "The billing plan, if the product has both.")
    var billingPlan: BillingPlanType?
    @Flag(help: "Interrupts the purchase; the customer completes it later (till purchase approve).")
    var interrupted = false
    @Option(help: "The clock of a new customer: a clock's name, or new:2026-01-01 for a new clock.")
    var clock: ClockOfNewCustomer?
    @OptionGroup var options: ActionOptions

    func validate() throws {
        let chosen = [noOffer, introductory, code != nil, winBack != nil, promotional != nil].filter { $0 }
        guard chosen.count <= 1 else {
            throw ValidationError("Choose one of --no-offer, --introductory, --code, --win-back and --promotional.")
        }
        if token != nil, promotional == nil, !introductory {
            throw ValidationError(
                "--token signs a promotional or an introductory offer. Add --promotional ID or --introductory."
            )
        }
        let olderForm = [
            ("--key-id", keyID != nil), ("--nonce", nonce != nil), ("--timestamp", timestamp != nil),
            ("--application-username", applicationUsername != nil), ("--signature", signature != nil),
        ]
        guard let given = olderForm.first(where: \.1)?.0 else { return }
        if promotional == nil {
            throw ValidationError("\(given) is part of the signature of a promotional offer. Add --promotional ID.")
        }
        if token != nil {
            throw ValidationError("Give either --token or the older signature with \(given), not both.")
        }
    }

    func request(_ shop: AppClient) -> BuyProduct {
        BuyProduct(
            app: shop.app,
            customer: customer,
            productId: product,
            quantity: quantity,
            storefront: storefront,
            appAccountToken: appAccountToken,
            offer: offer,
            billingPlan: billingPlan,
            orderId: order,
            finished: finish ? true : nil,
            interrupted: interrupted ? true : nil,
            clock: clock?.name,
            newClock: clock?.start,
            at: options.at
        )
    }

    func heading(_ answer: PurchaseInfo) -> String? { answer.summary(of: product) }

    private var offer: OfferToApply? {
        if noOffer { return OfferToApply(kind: .none) }
        if introductory { return OfferToApply(kind: .introductory, token: token) }
        if let code { return OfferToApply(kind: .code, id: code) }
        if let winBack { return OfferToApply(kind: .winBack, id: winBack) }
        guard let promotional else { return nil }
        return OfferToApply(
            kind: .promotional,
            id: promotional,
            token: token,
            keyId: keyID,
            nonce: nonce,
            timestamp: timestamp,
            applicationUsername: applicationUsername,
            signature: signature
        )
    }
}
