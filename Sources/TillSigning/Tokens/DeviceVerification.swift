import Crypto
import Foundation

/// The value that lets an app check whether a signed transaction was made for its device.
///
/// See docs/api/signed-data.md.
package enum DeviceVerification {
    /// Base64 of SHA-384 over the nonce and the device's id, both as lower-case UUID text, without a separator.
    ///
    /// - Parameters:
    ///   - nonce: goes into the payload beside the value.
    ///   - deviceID: the verification id of the device; never in a payload.
    package static func value(nonce: UUID, deviceID: UUID) -> String {
        let text = nonce.uuidString.lowercased() + deviceID.uuidString.lowercased()
        return Base64.encode(Array(SHA384.hash(data: Array(text.utf8))))
    }
}
