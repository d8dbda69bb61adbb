import Foundation
import NIOCore
import TillPostgres
import TillServer
import TillShop

/// The settings of a server. All are read and checked before anything is created, so that a refused start leaves
/// nothing behind.
struct StartPlan {
    let shop: Settings
    /// A database URL; nil for the SQLite database in the data directory.
    let database: String?
    let isDemo: Bool
    /// The listen address of both environments.
    let host: String
    let productionPort: Int
    let sandboxPort: Int
    let controlAddress: String
    let controlPort: Int
    /// Additional host names for the control API.
    let controlHosts: [String]
    let ocsp: OCSPAddress
    /// Nil without a TLS port and a proxy.
    let secure: SecurePlan?
    let requestDeadline: TimeAmount
    /// How long a stopping server still answers.
    let drain: Duration

    init(_ serve: Serve, _ source: SettingsSource) throws {
        shop = try serve.shopSettings(source)
        database = source.text(serve.database, "database")
        if let database { _ = try DatabaseURL(database) }
        isDemo = try source.choice(serve.demo ? true : nil, "demo") == true
        host = source.text(serve.host, "host") ?? "127.0.0.1"
        let ports = 0...65_535
        productionPort = try source.number(serve.productionPort, "productionPort", default: 8_888, in: ports)
        sandboxPort = try source.number(serve.sandboxPort, "sandboxPort", default: 8_889, in: ports)
        controlAddress = source.text(serve.controlAddress, "controlAddress") ?? "127.0.0.1"
        controlPort = try source.number(serve.controlPort, "controlPort", default: 8_890, in: ports)
        controlHosts = source.texts(serve.controlHost, "controlHost")
        ocsp = OCSPAddress(configured: source.text(serve.ocspUrl, "ocspUrl"), host: host)
        secure = try SecurePlan(serve.secure, source, host: host)
        requestDeadline = .seconds(
            Int64(try source.number(serve.requestTimeout, "requestTimeout", default: 60, in: 1...3_600))
        )
        drain = try serve.nodes.drainTime(source)
        try serve.nodes.check(source)
        do {
            _ = try WebhookClient(extraRoots: shop.deliveryRoots)
        } catch {
            throw CommandRefused("--delivery-root: \(error). Name PEM files with certificates.")
        }
    }

    /// Refuses unusable ports and addresses.
    func requirePorts() throws {
        var wanted = [
            PortCheck(port: productionPort, flag: "--production-port", host: host, hostFlag: "--host"),
            PortCheck(port: sandboxPort, flag: "--sandbox-port", host: host, hostFlag: "--host"),
            PortCheck(port: controlPort, flag: "--control-port", host: controlAddress, hostFlag: "--control-address"),
        ]
        if let secure {
            wanted.append(PortCheck(port: secure.port, flag: "--tls-port", host: secure.host, hostFlag: "--tls-host"))
            if let port = secure.proxyPort {
                wanted.append(PortCheck(port: port, flag: "--proxy-port", host: secure.host, hostFlag: "--tls-host"))
            }
        }
        for (place, check) in wanted.enumerated() {
            if check.port > 0,
                let other = wanted[..<place].first(where: { $0.port == check.port && $0.host == check.host })
            {
                throw CommandRefused("\(other.flag) and \(check.flag) are both \(check.port). Choose two ports.")
            }
            try check.requireFree()
        }
    }
}
