import Foundation
import HTTPTypes
import TillJSON
import TillShop

/// The facts with which clients reach Till over TLS under the App Store's names.
package struct SecurityFacts: Sendable {
    /// The address on which the TLS port and the proxy listen.
    package var host: String
    /// The TLS port; 0 until it listens.
    package var port: @Sendable () -> Int
    /// The proxy's port; 0 without a proxy.
    package var proxyPort: @Sendable () -> Int
    /// The names in the server's certificate.
    package var names: [String]
    /// The TLS root, PEM.
    package var rootCertificate: String
    /// SHA-256 of the TLS root, hexadecimal.
    package var rootFingerprint: String
    /// The end of the server certificate's validity.
    package var notValidAfter: Date
    /// The TLS files on the server's machine.
    package var files: TLSFiles

    /// Facts for `GET /v1/tls`.
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

/// TLS under the App Store's names.
extension ControlAPI {
    var securityRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/tls",
                id: "getTLS",
                tag: "certificates",
                summary: "Shows how to reach the server under the App Store's names: ports, names, the TLS root.",
                response: .object(
                    "The TLS configuration.",
                    [
                        Schema.required("address", .string("The address of the TLS port and the proxy.")),
                        Schema.required("port", .integer("The TLS port.")),
                        Schema.optional("proxyPort", .integer("The port of the proxy; absent without a proxy.")),
                        Schema.required(
                            "names",
                            .array("The names in the server's certificate.", of: .string("A name or an address."))
                        ),
                        Schema.required("rootCertificate", .string("The TLS root that clients must trust, PEM.")),
                        Schema.required("rootFingerprint", .string("SHA-256 of the TLS root, hexadecimal.")),
                        Schema.required("rootFile", .string("The file of the TLS root on the server's machine.")),
                        Schema.required(
                            "bundleFile",
                            .string("The file with the machine's trusted roots and the TLS root.")
                        ),
                        Schema.required(
                            "javaTrustStoreFile",
                            .string("The same for Java: a JKS trust store file.")
                        ),
                        Schema.required(
                            "serverCertificateEndDate",
                            .integer("The end of the server certificate's validity.")
                        ),
                    ]
                )
            ) { _ in
                guard let security = facts.security else {
                    throw ControlError.conflict(
                        "tls_off",
                        "TLS is off. Start the server with --tls-port 443, or with --proxy-port for a proxy."
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
