import TillServer
import TillShop

extension ConsolePage {
    /// Takes apart whatever is pasted. Nothing is kept: the text comes and goes with the form.
    static let decoder = ConsolePage(
        path: "/console/decoder",
        template: Template("decoder", PackageResources.decoder_mustache),
        takesForms: true
    ) { page in
        let text = page.form?["text"]
        var decoded: (parts: [DecodedPart], isCutShort: Bool) = ([], false)
        if let text {
            guard let found = await decodings.through({ await TextDecoding.parts(of: text, page.shop) }) else {
                throw ControlError.busy("Too many texts are being taken apart. Try again.")
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

    /// A text may be long, and what is signed in it many times signed.
    private static let decodings = Gate(1, mostWaiting: 8)
}
