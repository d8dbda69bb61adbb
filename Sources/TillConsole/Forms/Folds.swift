/// The folds of a page, which are `details` elements.
enum Folds {
    /// The page with the folds open that contain a rejected form, so that the user sees its errors, also without a
    /// script. User input cannot contain these tags, because it is escaped.
    static func unfolding(_ html: String) -> String {
        guard let form = html.firstRange(of: /<form [^<>]* data-refused/) else { return html }
        var open: [String.Index] = []
        var rest = html[..<form.lowerBound]
        while let tag = rest.firstRange(of: /<details|<\/details>/) {
            if rest[tag].hasSuffix(">") { _ = open.popLast() } else { open.append(tag.upperBound) }
            rest = rest[tag.upperBound...]
        }
        var unfolded = html
        for place in open.reversed() where !html[place...].prefix(while: { $0 != ">" }).hasSuffix(" open") {
            unfolded.insert(contentsOf: " open", at: place)
        }
        return unfolded
    }
}
