import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillControl
import TillServer
import TillShop

/// A certificate, or a chain of certificates, that can be downloaded.
struct PublicCertificate: Sendable {
    /// The base name of the URL and of the file.
    let name: String
    let words: String
    /// Returns the certificates as PEM.
    let text: @Sendable (ControlCaller) async throws -> String
    /// The index in the chain, where the leaf is 0; nil for the root or the whole chain.
    var position: Int?
    /// Whether the file contains a whole chain.
    var isChain = false

    /// - Parameter type: `pem` or `der`.
    func address(_ type: String) -> String { "/console/certificates/\(name).\(type)" }

    /// The URL of the DER file; nil for a whole chain, because a DER file contains only one certificate.
    var derAddress: String? { isChain ? nil : address("der") }
}

/// Files that the console offers for download: certificates and the exported state.
enum Downloads {
    static let signedData = authority("till") { try await $0.send(GetAuthority()) }
    static let receipts = authority("till-receipts") { try await $0.send(GetAuthority(receipts: true)) }
    static let tls = [
        PublicCertificate(name: "till-tls-root", words: "Root") { control in
            guard let tls = try await control.send(GetStatus()).tls else { throw ControlError.missing("TLS is off.") }
            return tls.rootCertificate
        }
    ]

    private static let statePath = "/console/state"

    private static func authority(
        _ name: String,
        _ ask: @escaping @Sendable (ControlCaller) async throws -> AuthorityInfo
    ) -> [PublicCertificate] {
        let chain: @Sendable (ControlCaller) async throws -> String = { try await ask($0).chain }
        return [
            PublicCertificate(name: "\(name)-root", words: "Root") { try await ask($0).rootCertificate },
            PublicCertificate(name: "\(name)-chain", words: "Chain", text: chain, isChain: true),
            PublicCertificate(name: "\(name)-leaf", words: "Leaf", text: chain, position: 0),
            PublicCertificate(name: "\(name)-intermediate", words: "Intermediate", text: chain, position: 1),
        ]
    }

    /// The URL of the exported state of an app, or of all apps.
    static func state(of app: String? = nil) -> String {
        Address.of(statePath, [:], query: app.map { [(name: "bundleId", value: $0)] } ?? [])
    }

    /// The file at a path; nil if the path is not a download.
    ///
    /// - Throws: `ControlError`.
    static func response(_ path: String, _ query: [(name: String, value: String)], _ control: ControlCaller)
        async throws
        -> Response?
    {
        if path == statePath {
            let app = query.first { $0.name == "bundleId" && !$0.value.isEmpty }?.value
            let (body, type) = try await control.download(ExportState(bundleId: app))
            return file("\(app ?? "shop").till", type, body)
        }
        for certificate in signedData + receipts + tls {
            for type in ["pem", "der"] where path == certificate.address(type) {
                return try await response(certificate, type, control)
            }
        }
        return nil
    }

    private static func response(_ certificate: PublicCertificate, _ type: String, _ control: ControlCaller)
        async throws
        -> Response?
    {
        let blocks = blocks(of: try await certificate.text(control))
        let chosen = certificate.position.map { Array(blocks.dropFirst($0).prefix(1)) } ?? blocks
        let isDER = type == "der"
        guard !chosen.isEmpty, !isDER || chosen.count == 1 else {
            throw ControlError.missing("No such file: \(certificate.name).\(type).")
        }
        let bytes = isDER ? der(chosen[0]) : Array(chosen.joined().utf8)
        let mediaType = isDER ? "application/pkix-cert" : "application/x-pem-file"
        return file("\(certificate.name).\(type)", mediaType, .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The certificates of a PEM text, each with its BEGIN and END line.
    static func blocks(of text: String) -> [String] {
        var blocks: [String] = []
        var rest = text[...]
        let (first, last) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        while let begin = rest.range(of: first), let end = rest[begin.upperBound...].range(of: last) {
            blocks.append(String(rest[begin.lowerBound..<end.upperBound]) + "\n")
            rest = rest[end.upperBound...]
        }
        return blocks
    }

    private static func der(_ block: String) -> [UInt8] {
        let lines = block.split(whereSeparator: \.isNewline).dropFirst().dropLast()
        return Data(base64Encoded: lines.joined()).map { Array($0) } ?? []
    }

    static func file(_ name: String, _ type: String, _ body: ResponseBody) -> Response {
        // Only characters that are safe in a header and in a file name.
        let name = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) || "-._".contains($0) }
        let headers: HTTPFields = [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""]
        return Response(status: .ok, headers: headers, body: body)
    }
}
