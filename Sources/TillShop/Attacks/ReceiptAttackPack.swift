import Foundation
import TillCore
import TillSigning
import TillStorage

/// Creates receipts that a correct verifier must reject, for an existing or an invented purchase.
package struct ReceiptAttackPack: Sendable {
    private let forger: ReceiptForger
    private let chain: ReceiptChain
    private let environment: StoreEnvironment
    private let isKnown: Bool
    private let device: UUID
    private let receipt: AppReceipt
    private let transaction: TransactionReceipt

    /// - Parameter purchase: the purchase in the receipts; nil invents a purchase that is in no ledger.
    /// - Throws: `AttackRefused` if the app does not exist, or if the key of the receipt root is not available.
    package init(_ shop: Shop, _ scope: AccountScope, about purchase: (row: Transaction, account: Account)?)
        async throws
    {
        guard let app = shop.registry.app(scope.app) else {
            throw AttackRefused(reason: "app \(scope.app) does not exist")
        }
        do {
            forger = try await shop.keys.receipts.forger()
            chain = try await shop.keys.receipts.signing().chain
        } catch {
            throw AttackRefused(reason: "the root certificate for receipts is not available: \(error.logText)")
        }
        environment = scope.environment
        isKnown = purchase != nil
        device = UUID()
        let present = purchase.map { shop.now(of: $0.account) } ?? shop.now(in: scope)
        let catalog = shop.registry.catalog(of: scope.app)
        let row = purchase?.row ?? AttackPack.madeUp(in: scope, selling: catalog, at: present)
        let account =
            purchase?.account
            ?? Account(
                id: row.account,
                environment: scope.environment,
                app: scope.app,
                customer: "unknown",
                storefront: .unitedStates,
                at: present
            )
        // The last event of an account may be later than the time that its clock shows.
        var frame = shop.frame(of: account, app, device: device, at: max(present, account.lastEvent))
        frame.inApp = [InAppReceipt(row)]
        receipt = frame
        transaction = shop.receipt(of: row, account, vendor: device.uuidString)
    }

    /// Returns the receipt of a case. Every call signs the receipt again.
    package func sample(_ attack: ReceiptAttack) throws -> ReceiptAttackSample {
        ReceiptAttackSample(
            attack: attack,
            receipt: Base64.encode(try bytes(attack)),
            deviceID: device.uuidString.lowercased(),
            status: attack.status(in: environment, isKnown: isKnown)
        )
    }

    private func bytes(_ attack: ReceiptAttack) throws -> [UInt8] {
        var changed = receipt
        switch attack {
        case .control: break
        case .forged(let forgery):
            changed.inApp[0].productID += ".everything"
            return try forger.sign(receipt, altered: changed, forgery)
        case .otherApp:
            changed.bundleID += ".other"
            changed.deviceHash = hash(of: device, changed.bundleID)
        case .otherEnvironment:
            changed.receiptType = (environment == .production ? StoreEnvironment.sandbox : .production).receiptType
        case .otherDevice: changed.deviceHash = hash(of: UUID(), changed.bundleID)
        case .otherAppsHash: changed.deviceHash = hash(of: device, changed.bundleID + ".other")
        case .transactionControl: return Array(try chain.mint(transaction).utf8)
        case .forgedTransaction(let forgery):
            var altered = transaction
            altered.productID += ".everything"
            return Array(try forger.sign(transaction, altered: altered, forgery).utf8)
        }
        return try chain.mint(changed)
    }

    private func hash(of device: UUID, _ bundleID: String) -> [UInt8] {
        AppReceipt.deviceHash(
            guid: withUnsafeBytes(of: device.uuid) { Array($0) },
            opaqueValue: receipt.opaqueValue,
            bundleID: bundleID
        )
    }
}
