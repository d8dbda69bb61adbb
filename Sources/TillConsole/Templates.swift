import Mustache
import TillStorage

/// A template that lies in the binary.
struct Template: Sendable {
    /// By which others include it.
    let name: String
    /// UTF-8.
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Those that pages include; a page's own is named where the page is.
    static let parts = [
        Template("layout", PackageResources.layout_mustache),
        Template("time", PackageResources.time_mustache),
        Template("act", PackageResources.act_mustache),
        Template("acts", PackageResources.acts_mustache),
        Template("effect", PackageResources.effect_mustache),
        Template("clock", PackageResources.clock_mustache),
        Template("settings", PackageResources.settings_mustache),
        Template("jobs", PackageResources.jobs_mustache),
        Template("failing", PackageResources.failing_mustache),
        Template("customers", PackageResources.customers_mustache),
        Template("subscription", PackageResources.subscription_mustache),
        Template("trouble", PackageResources.trouble_mustache),
        Template("filter", PackageResources.filter_mustache),
        Template("facts", PackageResources.facts_mustache),
        Template("decoded", PackageResources.decoded_mustache),
    ]
}

/// All templates, parsed once.
struct Templates: Sendable {
    private let library: MustacheLibrary

    /// - Throws: `TemplateBroken` for one that does not parse.
    init(_ templates: [Template]) throws(TemplateBroken) {
        var library = MustacheLibrary()
        for template in templates {
            do {
                try library.register(String(decoding: template.bytes, as: UTF8.self), named: template.name)
            } catch {
                throw TemplateBroken(name: template.name, cause: error.logText)
            }
        }
        self.library = library
    }

    /// A template filled with values.
    func render(_ name: String, _ values: PageValue) -> String {
        library.render(values, withTemplate: name) ?? ""
    }
}

/// A template of this binary that does not parse: a mistake in Till.
struct TemplateBroken: Error, CustomStringConvertible {
    let name: String
    let cause: String

    var description: String { "the template \(name) does not parse: \(cause)" }
}
