import Foundation
import TillJSON

/// Reads the payload of a compact JWS, without a check of its signature.
enum JWSPayload {
    /// The payload as an object, and as values of a type.
    ///
    /// - Throws: `TillTestingError` if the text is not a JWS whose payload has these values.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ text: String
    ) throws(TillTestingError) -> (JSONObject, Value) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = bytes(base64URL: parts[1]) else {
            throw TillTestingError("The text is not a compact JWS of three parts.")
        }
        do {
            let tree = try JSONTree.parse(bytes)
            return (JSONObject(tree), try tree.decode(type))
        } catch {
            throw TillTestingError("The payload is not that of such data: \(error)")
        }
    }

    private static func bytes(base64URL text: Substring) -> [UInt8]? {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }
}
