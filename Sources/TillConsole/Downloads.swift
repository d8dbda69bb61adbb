import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillServer
import TillShop

/// A certificate that anybody may have, or several of them.
struct PublicCertificate: Sendable {
    /// What it is called in an address and on a disk.
    let name: String
    let words: String
    /// The verb that knows it, and under which key.
    let verb: String
    let key: String
    /// Which of several it is, from the leaf on; nil is all that stand there.
    var place: Int?

    /// As `pem` or `der`.
    func address(_ type: String) -> String { "/console/certificates/\(name).\(type)" }

    /// Several do not go into one file of DER.
    var derAddress: String? { key == "chain" && place == nil ? nil : address("der") }
}

/// What is on no page but is had from the console: certificates as files, and the shop's state.
enum Downloads {
    static let signedData = authority("till", "getAuthority")
    static let receipts = authority("till-receipts", "getReceiptAuthority")
    static let tls = [
        PublicCertificate(name: "till-tls-root", words: "Root", verb: "getTLS", key: "rootCertificate")
    ]

    private static let statePath = "/console/state"

    private static func authority(_ name: String, _ verb: String) -> [PublicCertificate] {
        [
            PublicCertificate(name: "\(name)-root", words: "Root", verb: verb, key: "rootCertificate"),
            PublicCertificate(name: "\(name)-chain", words: "Chain", verb: verb, key: "chain"),
            PublicCertificate(name: "\(name)-leaf", words: "Leaf", verb: verb, key: "chain", place: 0),
            PublicCertificate(name: "\(name)-intermediate", words: "Intermediate", verb: verb, key: "chain", place: 1),
        ]
    }

    /// Where the state of an app, or of the whole shop, is had.
    static func state(of app: String? = nil) -> String {
        Address.of(statePath, [:], query: app.map { [(name: "bundleId", value: $0)] } ?? [])
    }

    /// What is at an address; nil when it is no file.
    ///
    /// - Throws: `ControlError`.
    static func response(_ path: String, _ query: [(name: String, value: String)], _ verbs: ControlVerbs) async throws
        -> Response?
    {
        if path == statePath {
            let app = query.filter { $0.name == "bundleId" && !$0.value.isEmpty }
            let (body, type) = try await verbs.download("exportState", query: app)
            return file("\(app.first?.value ?? "shop").till", type, body)
        }
        for certificate in signedData + receipts + tls {
            for type in ["pem", "der"] where path == certificate.address(type) {
                return try await response(certificate, type, verbs)
            }
        }
        return nil
    }

    private static func response(_ certificate: PublicCertificate, _ type: String, _ verbs: ControlVerbs) async throws
        -> Response?
    {
        let text = try await verbs.call(certificate.verb)?[certificate.key]?.text ?? ""
        let blocks = blocks(of: text)
        let chosen = certificate.place.map { Array(blocks.dropFirst($0).prefix(1)) } ?? blocks
        let isDER = type == "der"
        guard !chosen.isEmpty, !isDER || chosen.count == 1 else { throw ControlError.missing("There is no such file.") }
        let bytes = isDER ? der(chosen[0]) : Array(chosen.joined().utf8)
        let mediaType = isDER ? "application/pkix-cert" : "application/x-pem-file"
        return file("\(certificate.name).\(type)", mediaType, .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Each certificate of a PEM text, with its first and last line.
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
        // A name that says anything else to a header or a disk is not written.
        let plain = name.utf8.filter {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                || [0x2d, 0x2e, 0x5f].contains($0)
        }
        let name = String(decoding: plain, as: UTF8.self)
        let headers: HTTPFields = [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""]
        return Response(status: .ok, headers: headers, body: body)
    }
}
