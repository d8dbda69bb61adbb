import Foundation
import HTTPTypes
import TillControl
import TillJSON
import TillShop

/// What clients need to reach the server over TLS under the App Store's host names.
package struct SecurityFacts: Sendable {
    /// The address on which the TLS port and the proxy listen.
    package var host: String
    /// The TLS port; 0 until it listens.
    package var port: @Sendable () -> Int
    /// The proxy's port; 0 without a proxy.
    package var proxyPort: @Sendable () -> Int
    /// The host names in the server's certificate.
    package var names: [String]
    /// The root certificate of TLS, PEM.
    package var rootCertificate: String
    /// The SHA-256 fingerprint of the root certificate, hexadecimal.
    package var rootFingerprint: String
    /// The end of validity of the server's certificate.
    package var notValidAfter: Date
    /// The files for clients on the server's machine.
    package var files: TLSFiles

    /// Collects the facts for `GET /v1/tls`.
    package init(
        host: String,
        port: @escaping @Sendable () -> Int,
        proxyPort: @escaping @Sendable () -> Int,
        names: [String],
        rootCertificate: String,
        rootFingerprint: String,
        notValidAfter: Date,
        files: TLSFiles
    ) {
        self.host = host
        self.port = port
        self.proxyPort = proxyPort
        self.names = names
        self.rootCertificate = rootCertificate
        self.rootFingerprint = rootFingerprint
        self.notValidAfter = notValidAfter
        self.files = files
    }
}

/// The operation that shows how to reach the server over TLS.
extension ControlAPI {
    var securityRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/tls",
                id: "getTLS",
                tag: "certificates",
                summary:
                    "Shows how to reach the server under the App Store's host names: ports, names, TLS root.",
                response: .object(
                    "The TLS configuration.",
                    [
                        Schema.required("address", .string("The address of the TLS port and the proxy.")),
                        Schema.required("port", .integer("The TLS port.")),
                        Schema.optional("proxyPort", .integer("The port of the proxy; absent without a proxy.")),
                        Schema.required(
                            "names",
                            .array(
                                "The host names in the server's certificate.",
                                of: .string("A host name or an IP address.")
                            )
                        ),
                        Schema.required(
                            "rootCertificate",
                            .string("The root certificate that TLS clients must trust, PEM.")
                        ),
                        Schema.required(
                            "rootFingerprint",
                            .string("The SHA-256 fingerprint of this root, hexadecimal.")
                        ),
                        Schema.required("rootFile", .string("The file with this root on the server's machine.")),
                        Schema.required(
                            "bundleFile",
                            .string("A file with the trusted roots of the server's machine and this root.")
                        ),
                        Schema.required(
                            "javaTrustStoreFile",
                            .string("A JKS trust store file with the same roots, for Java.")
                        ),
                        Schema.required(
                            "serverCertificateEndDate",
                            .integer("The end of validity of the server's certificate, in milliseconds since 1970.")
                        ),
                    ]
                )
            ) { _ in
                guard let security = facts.security else {
                    throw ControlError.conflict(
                        "tls_off",
                        "TLS is off. Start the server with --tls-port 443, or with --proxy-port."
                    )
                }
                return security.document
            }
        ]
    }
}

extension SecurityFacts {
    fileprivate var document: [UInt8] {
        var json = JSONWriter(capacity: 4_096)
        json.put("address", host)
        json.put("port", port())
        json.put("proxyPort", proxyPort() == 0 ? nil : proxyPort())
        json.put("names", names)
        json.put("rootCertificate", rootCertificate)
        json.put("rootFingerprint", rootFingerprint)
        json.put("rootFile", files.root)
        json.put("bundleFile", files.bundle)
        json.put("javaTrustStoreFile", files.javaTrustStore)
        json.put("serverCertificateEndDate", Int64(notValidAfter.timeIntervalSince1970 * 1_000))
        return json.finish()
    }
}
