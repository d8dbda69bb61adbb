import Crypto
import Foundation

/// Computes `deviceVerification`, with which an app checks that a signed transaction was created for its device.
///
/// See docs/api/signed-data.md.
package enum DeviceVerification {
    /// Hashes the nonce and the device id, both as lower-case UUID text without a separator, with SHA-384. Returns the
    /// hash in Base64.
    ///
    /// - Parameters:
    ///   - nonce: the `deviceVerificationNonce` in the same payload.
    ///   - deviceID: the verification id of the device. No payload contains it.
    package static func value(nonce: UUID, deviceID: UUID) -> String {
        let text = nonce.uuidString.lowercased() + deviceID.uuidString.lowercased()
        return Base64.encode(Array(SHA384.hash(data: Array(text.utf8))))
    }
}
