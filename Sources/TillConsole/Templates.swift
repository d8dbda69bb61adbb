import Mustache
import TillStorage

/// A template embedded in the binary.
struct Template: Sendable {
    /// The name that other templates use to include it.
    let name: String
    /// The template as UTF-8 text.
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The templates that several pages share. A page's own template is declared with the page.
    static let parts = [
        Template("layout", PackageResources.layout_mustache),
        Template("time", PackageResources.time_mustache),
        Template("action", PackageResources.action_mustache),
        Template("actions", PackageResources.actions_mustache),
        Template("effect", PackageResources.effect_mustache),
        Template("clock", PackageResources.clock_mustache),
        Template("settings", PackageResources.settings_mustache),
        Template("jobs", PackageResources.jobs_mustache),
        Template("failing", PackageResources.failing_mustache),
        Template("customers", PackageResources.customers_mustache),
        Template("subscription", PackageResources.subscription_mustache),
        Template("error", PackageResources.error_mustache),
        Template("confirmation", PackageResources.confirmation_mustache),
        Template("filter", PackageResources.filter_mustache),
        Template("facts", PackageResources.facts_mustache),
        Template("decoded", PackageResources.decoded_mustache),
    ]
}

/// All templates, parsed once.
struct Templates: Sendable {
    private let library: MustacheLibrary

    /// - Throws: `InvalidTemplate` if a template does not parse.
    init(_ templates: [Template]) throws(InvalidTemplate) {
        var library = MustacheLibrary()
        for template in templates {
            do {
                try library.register(String(decoding: template.bytes, as: UTF8.self), named: template.name)
            } catch {
                throw InvalidTemplate(name: template.name, cause: error.logText)
            }
        }
        self.library = library
    }

    /// Renders a template with values.
    func render(_ name: String, _ values: PageValue) -> String {
        library.render(values, withTemplate: name) ?? ""
    }
}

/// An embedded template that does not parse. This is a bug in Till.
struct InvalidTemplate: Error, CustomStringConvertible {
    let name: String
    let cause: String

    var description: String { "the template \(name) does not parse: \(cause)" }
}
