import TillCore

/// The cases of `Command` without their values, so that a simulation can report which commands it ran.
package enum CommandKind: String, CaseIterable, Sendable {
    case purchase, finish, setAppAccountToken, joinFamily, leaveFamily, shareWithFamily, downloadApp
    case turnAutoRenewOff, turnAutoRenewOn, useCard, setAskToBuy, decideHeldPurchase
    case acceptPriceIncrease, declinePriceIncrease
    case requestRefund, reportConsumption, refund, declineRefund, reverseRefund, extend
    case raisePrice, massExtension, shareProduct
    case useClock, processDue

    /// The kind of a command. A new case of `Command` also needs a case here and a random operation.
    package init(_ command: Command) {
        self =
            switch command {
            case .purchase: .purchase
            case .finish: .finish
            case .setAppAccountToken: .setAppAccountToken
            case .joinFamily: .joinFamily
            case .leaveFamily: .leaveFamily
            case .shareWithFamily: .shareWithFamily
            case .downloadApp: .downloadApp
            case .turnAutoRenewOff: .turnAutoRenewOff
            case .turnAutoRenewOn: .turnAutoRenewOn
            case .update(let wanted): CommandKind(wanted)
            case .decideHeldPurchase: .decideHeldPurchase
            case .acceptPriceIncrease: .acceptPriceIncrease
            case .declinePriceIncrease: .declinePriceIncrease
            case .requestRefund: .requestRefund
            case .reportConsumption: .reportConsumption
            case .refund: .refund
            case .declineRefund: .declineRefund
            case .reverseRefund: .reverseRefund
            case .extend: .extend
            case .job(let job): CommandKind(job)
            case .processDue: .processDue
            }
    }

    /// The kind of a change that a random operation makes, which changes one value.
    private init(_ wanted: AccountUpdate) {
        self = wanted.clock != nil ? .useClock : wanted.card != nil ? .useCard : .setAskToBuy
    }

    /// The kind of a job.
    package init(_ job: Job) {
        self =
            switch job.task {
            case .raisePrice: .raisePrice
            case .extend: .massExtension
            case .shareProduct: .shareProduct
            }
    }
}
