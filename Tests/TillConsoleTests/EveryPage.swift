@testable import TillConsole

/// The URLs of all pages.
enum EveryPage {
    /// - Parameter values: the values of the path parameters.
    /// - Returns: the URLs, and the parameters without a value.
    static func addresses(_ values: [String: String]) -> (addresses: [String], missing: Set<String>) {
        var addresses: [String] = []
        var missing: Set<String> = []
        for page in ConsolePage.all {
            let names = page.path.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { String($0.dropFirst().dropLast()) }
            let unknown = names.filter { values[$0] == nil }
            missing.formUnion(unknown)
            if unknown.isEmpty { addresses.append(Address.of(page.path, values)) }
        }
        return (addresses, missing)
    }
}
