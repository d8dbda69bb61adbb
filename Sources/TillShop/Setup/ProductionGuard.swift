import Logging
import TillCore
import TillStorage

/// The guard of a server whose production environment sells for real: its clock stays in real time, and its data is
/// erased or replaced only with a typed confirmation (docs/operating/production-guard.md).
extension Settings {
    /// The text that confirms that production data will be erased or replaced.
    package static let confirmationText = "production"

    /// Whether the server guards production: by its own setting, or because it allows no reset.
    package var guardsProduction: Bool { productionGuard || !allowReset }

    /// Whether the guard protects an environment.
    package func guards(_ environment: StoreEnvironment) -> Bool { guardsProduction && environment == .production }

    /// Checks that data may be erased or replaced.
    ///
    /// - Throws: `StateRefused` if the operator forbids it, or without the confirmation that the guard demands.
    func checkMayReplace(_ confirmation: String?) throws(StateRefused) {
        guard allowReset else { throw .forbidden }
        guard !guardsProduction || confirmation == Self.confirmationText else { throw .unconfirmed }
    }

    /// Checks that a clock may be moved, or that customers may be put on it.
    ///
    /// - Throws: `ClockRefused` for a clock that the guard keeps in real time.
    package func checkMayMove(_ clock: ClockName) throws(ClockRefused) {
        guard guards(clock.scope.environment) else { return }
        throw ClockRefused(
            code: "production_guarded",
            message: "This server guards production, where every clock is real time. Use the sandbox, or a server "
                + "without --production-guard."
        )
    }
}

extension Shop {
    /// Warns of clocks in production that do not show real time. They come from a time without the guard.
    func warnOfProductionClocks() {
        for clock in everyClock.sorted(by: { $0.key < $1.key })
        where settings.guards(clock.scope.environment) && clocks.state(clock) != .real {
            logger.warning(
                """
                a production clock does not show real time, although this server guards production; \
                set it to real time: till clock real --environment production
                """,
                metadata: ["app": "\(clock.scope.app)", "clock": "\(clock.own ?? "production")"]
            )
        }
    }
}
