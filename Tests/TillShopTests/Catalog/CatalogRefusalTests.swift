import Foundation
import Testing
import TillCore
import TillShop

/// Imports invalid files and compares the complete list of errors of each file.
@Suite("An invalid .storekit file is rejected completely, and every error has its path")
struct CatalogRefusalTests {
    @Test("Each invalid file gives all its errors", arguments: CatalogRefusals.expected.keys.sorted())
    func refused(name: String) throws {
        let bytes = try CatalogFixtures.bytes("refused/\(name)")
        let faults = CatalogFixtures.faults { try StoreKitFile.read(bytes) }
        let expected = CatalogRefusals.expected[name]
        #expect(faults?.joined(separator: "\n") == expected)
    }

    @Test("Every invalid file in the folder is tested")
    func complete() throws {
        let files = try CatalogFixtures.files(in: CatalogFixtures.directory.appending(path: "refused"))
        let names = files.map { $0.deletingPathExtension().lastPathComponent }.sorted()
        #expect(names == CatalogRefusals.expected.keys.sorted())
    }

    @Test("A truncated file is rejected without a crash")
    func cutOff() throws {
        let bytes = try CatalogFixtures.bytes("v5.0")
        for length in stride(from: 0, to: bytes.count - 3, by: 7) {
            let faults = CatalogFixtures.faults { try StoreKitFile.read(Array(bytes.prefix(length))) }
            #expect(faults?.count == 1, "\(length) bytes of \(bytes.count)")
        }
    }

    @Test("No changed byte in a file causes a crash")
    func bitRot() throws {
        let bytes = try CatalogFixtures.bytes("v4.0")
        var random = SeededRandom(seed: 4_0)
        for _ in 0..<2_000 {
            var changed = bytes
            changed[Int.random(in: bytes.indices, using: &random)] = UInt8(truncatingIfNeeded: random.next())
            _ = try? StoreKitFile.read(changed)
        }
    }

    @Test("A file with too many items is rejected with their number")
    func limits() {
        let large = [UInt8](repeating: UInt8(ascii: " "), count: CatalogLimits.bytes + 1)
        #expect(
            CatalogFixtures.faults { try StoreKitFile.read(large) } == [
                "$: expected at most 8388608 bytes, found 8388609 bytes"
            ]
        )
        let nested = "{\"products\": " + String(repeating: "[", count: 100_000)
        #expect(
            CatalogFixtures.faults(of: nested) == [
                "$: expected at most 64 levels, found one more at line 1, column 77"
            ]
        )
        let many = "{\"products\": [" + String(repeating: "0,", count: 10_000) + "0]}"
        #expect(CatalogFixtures.faults(of: many) == ["$.products: expected at most 10000 elements, found 10001"])
        let values = "{\"products\": [" + String(repeating: "[],", count: 600_000) + "0]}"
        #expect(CatalogFixtures.faults(of: values)?.first?.hasPrefix("$: expected at most 250000 values") == true)
        let wrong = "{\"products\": [" + String(repeating: "{},", count: 5_000) + "{}]}"
        let faults = CatalogFixtures.faults(of: wrong)
        #expect(faults?.count == CatalogLimits.faults + 1)
        #expect(
            faults?.last
                == "$: expected no more than 1000 faults, found at least one more, and the rest is not listed"
        )
    }

    @Test("A rejection is described by a heading and one line per error")
    func description() throws {
        let bytes = try CatalogFixtures.bytes("refused/family-sharing")
        let refusal = #expect(throws: CatalogRefused.self) { try StoreKitFile.read(bytes) }
        let expected = """
            The catalog was rejected as a whole; 2 things are wrong with it:
              $.products[0].familyShareable: expected false, since a Consumable cannot be shared, found true
              $.products[1].familyShareable: expected true or false, found the string "yes"
            """
        #expect(refusal?.description == expected)
    }
}
