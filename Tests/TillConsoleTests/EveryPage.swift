@testable import TillConsole

/// An address for each page that there is.
enum EveryPage {
    /// - Parameter values: of the parameters in the pages' paths.
    /// - Returns: the addresses, and the parameters of which no value was given.
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
