import TillServer
import TillShop

extension ConsolePage {
    /// Decodes a pasted text. The text is not stored.
    static let decoder = ConsolePage(
        path: "/console/decoder",
        template: Template("decoder", PackageResources.decoder_mustache),
        takesForms: true
    ) { page in
        let text = page.form?["text"]
        var decoded: (parts: [DecodedPart], isCutShort: Bool) = ([], false)
        if let text {
            guard let found = await decodings.run({ await TextDecoding.parts(of: text, page.shop) }) else {
                throw ControlError.busy("The decoder is busy. Try again later.")
            }
            decoded = found
        }
        return PageContent(
            "Decoder",
            [
                "proof": .text(page.proof), "text": .text(text ?? ""), "isAsked": .flag(text != nil),
                "parts": .list(DecodedWords.parts(decoded.parts)), "isCutShort": .flag(decoded.isCutShort),
            ]
        )
    }

    /// A text can be long and deeply nested, so the server decodes only one text at a time.
    private static let decodings = AsyncSemaphore(1, maxWaiting: 8)
}
