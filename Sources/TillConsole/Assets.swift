import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillSigning

/// The style sheet and the script, embedded in the binary.
enum Assets {
    /// A file that pages refer to.
    struct Asset: Sendable {
        let type: String
        let bytes: [UInt8]
        let tag: String

        init(_ type: String, _ bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
            tag = "\"\(Assets.digest(bytes))\""
        }
    }

    private static let style =
        PackageResources.style_css + PackageResources.customer_css + PackageResources.timeline_css
        + PackageResources.search_css

    private static let all: [String: Asset] = [
        "/console/style.css": Asset("text/css; charset=utf-8", style),
        "/console/console.js": Asset("text/javascript; charset=utf-8", PackageResources.console_js),
    ]

    /// A digest that changes with the assets, so that a browser never shows a new page with an old style sheet.
    static let version = digest(style + PackageResources.console_js)

    /// The asset at the request's path; nil if there is none.
    static func response(to request: Request) -> Response? {
        guard let asset = all[request.uri.path] else { return nil }
        let headers: HTTPFields = [.contentType: asset.type, .eTag: asset.tag, .cacheControl: "no-cache"]
        guard request.headers[.ifNoneMatch] != asset.tag else {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        Hexadecimal.text(SHA256.hash(data: Data(bytes)).prefix(8))
    }
}
