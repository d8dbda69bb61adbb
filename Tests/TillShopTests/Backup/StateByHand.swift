import Crypto
import Foundation
import TillCore
import TillSQLite
import TillSigning
import TillTestSupport

@testable import TillShop

extension Shop {
    /// Imports the lines of a state with a matching digest, as if somebody had edited the lines and updated the digest.
    func takeState(_ lines: [String]) async throws {
        var text = Data(lines.map { $0 + "\n" }.joined().utf8)
        let foot = StateFile.Foot(
            rows: lines.count { $0.hasPrefix("[") },
            sha256: Hexadecimal.text(SHA256.hash(data: text))
        )
        text += try StateFile.line(foot)
        try await takeState(text: text)
    }

    /// Imports a state from its text.
    func takeState(text: some DataProtocol & Sendable) async throws {
        var state = try StateImport(self)
        do {
            try await state.take(text)
        } catch {
            await state.abandon()
            throw error
        }
        _ = try await state.finish()
    }
}

extension TestShop {
    /// The findings of the doctor, as text.
    func doctorFindings() async -> [String] {
        await Doctor(directory, now: now.milliseconds).findings {
            try SQLiteStorage(examining: directory.database)
        }
    }
}
