import TillCore
import TillJSON
import TillSigning

/// Writes the verifyReceipt object for a receipt of a single transaction. The object has no nested objects, and every
/// value is a string (docs/api/receipts/verify-receipt.md).
enum TransactionReceiptObject {
    static func bytes(_ receipt: TransactionReceipt) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        json.put(.originalPurchase, Timestamp(milliseconds: receipt.originalPurchaseDate))
        json.put("unique_identifier", receipt.uniqueIdentifier)
        json.put("original_transaction_id", receipt.originalTransactionID)
        json.put("bvrs", receipt.applicationVersion)
        json.put("transaction_id", receipt.transactionID)
        json.put("quantity", asText: receipt.quantity)
        json.put("unique_vendor_identifier", receipt.uniqueVendorIdentifier)
        json.put("product_id", receipt.productID)
        json.put("item_id", receipt.itemID)
        json.put("bid", receipt.bundleID)
        json.put("web_order_line_item_id", receipt.webOrderLineItemID)
        json.put(.purchase, Timestamp(milliseconds: receipt.purchaseDate))
        if let expires = receipt.expirationDate {
            // In all other objects, `expires_date` is the formatted date.
            json.put("expires_date", String(expires))
            json.put("expires_date_formatted", ReceiptDate.gmt(expires))
            json.put("expires_date_formatted_pst", ReceiptDate.pacific(expires))
        }
        return json.finish()
    }
}
