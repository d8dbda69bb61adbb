import Foundation
import Hummingbird
import ServiceLifecycle
import TillConsole
import TillCore
import TillSQLite
import TillServer
import TillShop

/// Creates the services that listen on ports.
extension Runtime {
    /// The listeners of both environments, of the control API, and of TLS if it is on. Services stop in reverse order,
    /// so the proxy stops after the TLS listener.
    ///
    /// - Parameters:
    ///   - announcer: receives the port of each listener when it opens.
    ///   - ticker: knows which clocks are behind, for the metrics.
    func listeners(_ announcer: Announcer, _ ticker: Ticker) throws -> [NamedListener] {
        let meter = RequestMeter(factory: figures)
        let limits = ConnectionLimits(requestDeadline: configuration.requestDeadline)
        var controlLimits = limits
        controlLimits.uploads = ControlAPI.uploads
        controlLimits.refusesAsControl = true
        let (configuration, shop, ports) = (configuration, shop, ports)
        let running: @Sendable (ListenerKind, Int) async -> Void = { listener, port in
            // The port is recorded before any client can know it.
            shop.destinations.ownPorts.add(host: configuration.host(of: listener), port: port)
            announcer.note(listener, port)
            if ports.areOpen { shop.destinations.ownPorts.complete() }
        }
        func api(_ environment: StoreEnvironment) -> Router<APIContext> {
            AppleAPI(shop: shop, environment: environment, meter: meter).router()
        }
        let plain: [(listener: ListenerKind, port: Int, router: Router<APIContext>)] = [
            (.production, configuration.productionPort, api(.production)),
            (.sandbox, configuration.sandboxPort, api(.sandbox)),
        ]
        let environments = plain.map { listener, port, router in
            let application = Listener(host: configuration.host, port: port, limits: limits)
                .application(router, logger: logger) { await running(listener, $0) }
            return NamedListener(service: application, listener: listener, port: port)
        }
        // Advances and restores can take a long time, so this listener does not answer on its reading thread.
        let control = Listener(
            host: configuration.controlAddress,
            port: configuration.controlPort,
            limits: controlLimits,
            answersOnLoop: false
        ).application(try controlRouter(meter, ticker), logger: logger) { await running(.control, $0) }
        return environments + [NamedListener(service: control, listener: .control, port: configuration.controlPort)]
            + (try secure?.services(limits, logger, ports, router: api, running: running) ?? [])
    }

    /// The router for the control API and the console.
    private func controlRouter(_ meter: RequestMeter, _ ticker: Ticker) throws -> Router<ControlContext> {
        let (ocsp, ports) = (OCSPAddress(configuration), ports)
        let facts = ServerFacts(
            version: TillVersion.text,
            dataDirectory: directory,
            productionPort: { ports[.production] },
            sandboxPort: { ports[.sandbox] },
            controlPort: { ports[.control] },
            ocspURL: ocsp.url(port: ports[.production]),
            security: secure?.facts(ports),
            makeStore: { try SQLiteStorage(path: $0) }
        )
        let address = configuration.controlAddress
        let token = try AdministratorToken.open(
            for: address,
            configured: configuration.controlToken,
            directory,
            logger
        )
        let control = ControlAPI(
            shop: shop,
            facts: facts,
            guardian: ControlGuard(
                token: token.text,
                isRequired: token.isRequired,
                hosts: Set(configuration.controlHosts + [address])
            ),
            figures: figures,
            meter: meter,
            measured: measuredValues(ticker),
            hasPages: true
        )
        return control.router(adding: Console(control).add)
    }

    /// The metrics that are read when they are requested.
    private func measuredValues(_ ticker: Ticker) -> MeasuredValues {
        MeasuredValues(
            shop,
            ticker: ticker,
            directory: directory.path,
            version: TillVersion.text,
            tlsExpiration: secure?.facts(ports).notValidAfter.timeIntervalSince1970,
            metrics: figures
        )
    }
}
