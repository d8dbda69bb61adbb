import Foundation
import TillJSON

/// Signed data: a compact JWS, whose signature has not been verified.
///
/// Answers contain the text as the server sent it. Data that comes from an app or from a notification must be verified
/// before it is believed; data from an answer of the App Store came over TLS from the server that you asked.
public struct SignedObject<Payload: AppStoreObject>: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The compact JWS: header, payload and signature in base64url, with dots between them.
    public let text: String

    /// Signed data from elsewhere, such as an app or a request of the App Store to your server.
    public init(_ text: String) { self.text = text }

    /// Reads the text from a decoder.
    public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    /// Writes the text to an encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The payload, without a check of the signature, the certificates, the app and the environment.
    ///
    /// - Throws: `MalformedObject` if the text is not a JWS, or if the payload lacks a required key.
    public func unverifiedPayload() throws -> Payload {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Self.decoded(parts[1]) else {
            throw MalformedObject("the text is not a compact JWS of three parts")
        }
        return try Payload(raw: RawObject(utf8: payload))
    }

    /// The text.
    public var description: String { text }

    private static func decoded(_ base64URL: Substring) -> [UInt8]? {
        let standard = base64URL.map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: String(standard) + padding).map(Array.init)
    }
}

extension SignedObject: WireValue {
    init?(wire: JSONTree) {
        guard case .string(let text) = wire else { return nil }
        self.init(text)
    }
}

/// A signed transaction (`JWSTransaction`).
public typealias SignedTransaction = SignedObject<TransactionPayload>
/// Signed renewal information of a subscription (`JWSRenewalInfo`).
public typealias SignedRenewalInfo = SignedObject<RenewalInfoPayload>
/// A signed app transaction (`JWSAppTransaction`).
public typealias SignedAppTransaction = SignedObject<AppTransactionPayload>
/// A signed notification of version 2 (`signedPayload`).
public typealias SignedNotification = SignedObject<NotificationPayload>
