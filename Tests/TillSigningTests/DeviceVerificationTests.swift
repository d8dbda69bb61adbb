import Foundation
import Testing

@testable import TillSigning

@Suite("Device verification")
struct DeviceVerificationTests {
    @Test("A device verification is Base64 of SHA-384 over the lower-case nonce and device id, as in OpenSSL")
    func agreesWithOpenSSL() throws {
        let nonce = try #require(UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950E"))
        let device = try #require(UUID(uuidString: "7C9E6679-7425-40DE-944B-E07FC1F90AE7"))
        let answer = try OpenSSL.inFolder { folder in
            let text = "0f8fad5b-d9cb-469f-a165-70867728950e7c9e6679-7425-40de-944b-e07fc1f90ae7"
            return try OpenSSL.run(["dgst", "-sha384", "-r", folder.file("text", text)])
        }
        let value = DeviceVerification.value(nonce: nonce, deviceID: device)
        let bytes = try #require(Base64.decode(value))
        #expect(bytes.count == 48)
        #expect(answer.text.hasPrefix(Hexadecimal.text(bytes)))
    }
}
