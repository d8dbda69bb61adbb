import Crypto
import Foundation

/// A key for the App Store Server API, and the tokens that a backend creates with it.
struct BackendKey {
    private let key: P256.Signing.PrivateKey
    private let header: String
    private let issuer: String
    private let app: String

    /// - Parameter answer: The answer of the control API that contains the new key.
    init(_ answer: [String: Any], app: String) throws {
        guard let pem = answer["privateKey"] as? String, let id = answer["keyId"] as? String,
            let issuer = answer["issuerId"] as? String
        else { throw BenchRefused("a key without its private half") }
        key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        header = Self.part(#"{"alg":"ES256","kid":"\#(id)","typ":"JWT"}"#)
        self.issuer = issuer
        self.app = app
    }

    /// The public key with which the server verifies tokens, as PEM.
    var publicKey: String { key.publicKey.pemRepresentation }

    /// Creates a token that is valid for half an hour.
    func token() throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let claims =
            #"{"iss":"\#(issuer)","iat":\#(now),"exp":\#(now + 1_800),"aud":"appstoreconnect-v1","#
            + #""bid":"\#(app)","nonce":"\#(UUID().uuidString.lowercased())"}"#
        let signed = "\(header).\(Self.part(claims))"
        return "\(signed).\(Self.base64(try key.signature(for: Data(signed.utf8)).rawRepresentation))"
    }

    private static func part(_ text: String) -> String { base64(Data(text.utf8)) }

    private static func base64(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
