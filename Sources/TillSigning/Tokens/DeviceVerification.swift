import Crypto
import Foundation

/// The value by which an app finds out whether a signed transaction was made for the device it runs on.
///
/// See docs/api/signed-data.md.
package enum DeviceVerification {
    /// Base64 of SHA-384 over the nonce and the device's id, both as lower-case UUID text, without anything between.
    ///
    /// - Parameters:
    ///   - nonce: goes into the payload beside the value.
    ///   - deviceID: the verification id of the device; never in a payload.
    package static func value(nonce: UUID, deviceID: UUID) -> String {
        let text = nonce.uuidString.lowercased() + deviceID.uuidString.lowercased()
        return Base64.encode(Array(SHA384.hash(data: Array(text.utf8))))
    }
}
