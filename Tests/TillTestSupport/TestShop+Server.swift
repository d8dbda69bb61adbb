import TillCore
import TillServer
import TillShop

extension TestShop {
    /// The routes of the App Store Server API and of verifyReceipt in an environment.
    ///
    /// - Parameter shop: another shop on the same store; by default this shop.
    package func appleAPI(in environment: StoreEnvironment = .sandbox, of shop: Shop? = nil) -> AppleAPI {
        AppleAPI(shop: shop ?? self.shop, environment: environment, meter: RequestMeter(factory: PrometheusFigures()))
    }

    /// The control API of a server whose ports are invented.
    ///
    /// - Parameter shop: another shop on the same store; by default this shop.
    package func controlAPI(
        _ guardian: ControlGuard = ControlGuard(token: nil, hosts: []),
        of shop: Shop? = nil,
        hasPages: Bool = false
    ) -> ControlAPI {
        let figures = PrometheusFigures()
        return ControlAPI(
            shop: shop ?? self.shop,
            facts: ServerFacts(
                version: "test",
                dataDirectory: directory,
                productionPort: { 1 },
                sandboxPort: { 2 },
                controlPort: { 3 },
                ocspURL: "http://localhost/ocsp"
            ),
            guardian: guardian,
            figures: figures,
            meter: RequestMeter(factory: figures),
            hasPages: hasPages
        )
    }
}
