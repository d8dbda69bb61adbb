import TillServer
import TillShop

extension ConsolePage {
    /// Decodes a pasted text. The text is not stored.
    static let decoder = ConsolePage(
        "/console/decoder",
        "decoder",
        menu: "Decoder",
        takesForms: true,
        documentation: [.signedData, .payloads]
    ) { page in
        guard let text = page.form?["text"] else { return ["proof": page.proof] }
        guard let decoded = await decodings.run({ await TextDecoding.parts(of: text, page.shop) }) else {
            throw ControlError.busy("The decoder is busy. Try again later.")
        }
        return [
            "proof": page.proof, "text": text, "isAsked": true, "parts": DecodedWords.parts(decoded.parts),
            "isCutShort": decoded.isCutShort,
        ]
    }

    /// A text can be long and deeply nested, so the server decodes only one text at a time.
    private static let decodings = AsyncSemaphore(1, maxWaiting: 8)
}
