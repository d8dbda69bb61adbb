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
        if let text { decoded = await TextDecoding.parts(of: text, page.shop) }
        return PageContent(
            "Decoder",
            [
                "proof": .text(page.proof), "text": .text(text ?? ""), "isAsked": .flag(text != nil),
                "parts": .list(DecodedWords.parts(decoded.parts)), "isCutShort": .flag(decoded.isCutShort),
            ]
        )
    }
}
