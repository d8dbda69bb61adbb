import TillCore

/// A line of the transition table: the kind of the state before the change, and the kind of the change.
package struct TransitionLine: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the state before the change.
    package let state: StateKind
    /// The kind of the change.
    package let cause: CauseKind

    /// Creates the line for a state and a change.
    package init(_ state: StateKind, _ cause: CauseKind) {
        self.state = state
        self.cause = cause
    }

    package var description: String { "\(state.rawValue), \(cause.rawValue)" }
}

/// The kinds of states, named as in the documentation.
package enum StateKind: String, CaseIterable, Sendable {
    case none
    case active = "1 active"
    case paidAhead = "1 paid ahead"
    case gracePeriod = "4 grace"
    case billingRetry = "3 retry"
    case expired = "2 expired"
    case revoked = "5 revoked"

    /// The kind of a state; nil means no subscription.
    package init(_ state: SubscriptionState?) {
        self =
            switch state {
            case nil: .none
            case .active(_, nil)?: .active
            case .active?: .paidAhead
            case .gracePeriod?: .gracePeriod
            case .billingRetry?: .billingRetry
            case .expired?: .expired
            case .revoked?: .revoked
            }
    }
}

/// The kinds of changes, named as in the documentation.
package enum CauseKind: String, CaseIterable, Sendable {
    case purchase = "purchase of a subscription"
    case planChange = "plan change at once"
    case planChoice = "plan chosen for the next renewal"
    case choiceWithdrawal = "choice withdrawn"
    case offer = "offer for the next period"
    case autoRenewOff = "auto-renewal off"
    case commitmentOff = "auto-renewal off, commitment"
    case autoRenewOn = "auto-renewal on"
    case missedCharge = "charge ahead missed"
    case renewal
    case endOfPeriod = "end of the period"
    case renewalLimit = "renewal limit reached"
    case chargeFailureWithGrace = "charge fails, grace"
    case chargeFailure = "charge fails, no grace"
    case endOfGrace = "end of grace"
    case endOfRetry = "end of the retries"
    case recovery = "payment succeeds"
    case priceNotice = "price notice"
    case priceConsent = "price consent"
    case refund = "refund of the latest transaction"
    case refundOfEarlier = "refund of an earlier transaction"
    case reversal = "reversal, latest transaction"
    case reversalOfEarlier = "reversal, earlier transaction"
    case renewalExtension = "extension"
    case renewalExtensionFailure = "mass extension fails"
    case priceRise = "price rise planned"
    case sharing = "sharing on or off"

    /// The kind of a change.
    package init(_ cause: Cause) {
        self =
            switch cause {
            case .purchase: .purchase
            case .planChange: .planChange
            case .planChoice: .planChoice
            case .choiceWithdrawal: .choiceWithdrawal
            case .offer: .offer
            case .autoRenewOff(isBound: false): .autoRenewOff
            case .autoRenewOff: .commitmentOff
            case .autoRenewOn: .autoRenewOn
            case .missedCharge: .missedCharge
            case .renewal: .renewal
            case .endOfPeriod: .endOfPeriod
            case .renewalLimit: .renewalLimit
            case .chargeFailure(nil, _): .chargeFailure
            case .chargeFailure: .chargeFailureWithGrace
            case .endOfGrace: .endOfGrace
            case .endOfRetry: .endOfRetry
            case .recovery: .recovery
            case .priceNotice: .priceNotice
            case .priceConsent: .priceConsent
            case .refund: .refund
            case .refundOfEarlier: .refundOfEarlier
            case .reversal: .reversal
            case .reversalOfEarlier: .reversalOfEarlier
            case .renewalExtension: .renewalExtension
            case .renewalExtensionFailure: .renewalExtensionFailure
            case .priceRise: .priceRise
            case .sharing: .sharing
            }
    }
}

/// The transition table for every pair of a state and a change, evaluated with one sample of each.
package struct TransitionMatrix {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    /// Creates the matrix of the rules of TillCore.
    package init() {}

    private func period(_ number: Int64, from start: Int64, refunded: Bool = false) -> SubscriptionPeriod {
        let day: Int64 = 86_400_000
        let begin = now.advanced(milliseconds: start * day)
        let transaction = Transaction(
            id: TransactionID(number),
            originalID: TransactionID(1),
            account: AccountID(1),
            change: number,
            lineItem: number,
            order: nil,
            productID: "pro",
            groupID: "group",
            type: .autoRenewable,
            purchaseDate: begin,
            originalPurchaseDate: begin,
            expiresDate: nil,
            quantity: 1,
            appAccountToken: nil,
            ownership: .purchased,
            reason: .purchase,
            storefront: .unitedStates,
            price: Money(milliunits: 4_990, currency: "USD"),
            offer: nil,
            isUpgraded: false,
            revocation: refunded
                ? Revocation(date: now, reason: .other, kind: .refundFull, percentage: 100_000) : nil,
            refundNumber: nil,
            isFinished: false,
            sharedFrom: nil,
            modifiedDate: now
        )
        return SubscriptionPeriod(transaction, until: begin.advanced(milliseconds: 30 * day))
    }

    /// A sample state of a kind.
    package func state(_ kind: StateKind) -> SubscriptionState? {
        let (running, over) = (period(1, from: -10), period(1, from: -35))
        let later = now.advanced(milliseconds: 86_400_000)
        return switch kind {
        case .none: nil
        case .active: .active(running)
        case .paidAhead: .active(period(2, from: 1), previous: period(1, from: -29))
        case .gracePeriod: .gracePeriod(over, until: later, retryUntil: later)
        case .billingRetry: .billingRetry(over, until: later, graceEnded: nil)
        case .expired: .expired(over, .other, at: over.end)
        case .revoked: .revoked(period(1, from: -10, refunded: true), previous: nil, resumes: .period)
        }
    }

    /// A sample change of a kind.
    package func cause(_ kind: CauseKind, in state: SubscriptionState?) -> Cause {
        let (new, later) = (period(9, from: 0), now.advanced(milliseconds: 86_400_000))
        let latest = state?.latest ?? new
        return switch kind {
        case .purchase: .purchase(new)
        case .planChange: .planChange(new, withOffer: false)
        case .planChoice: .planChoice(product: "low", withOffer: false)
        case .choiceWithdrawal: .choiceWithdrawal
        case .offer: .offer
        case .autoRenewOff: .autoRenewOff(isBound: false)
        case .commitmentOff: .autoRenewOff(isBound: true)
        case .autoRenewOn: .autoRenewOn
        case .missedCharge: .missedCharge
        case .renewal: .renewal(new)
        case .endOfPeriod: .endOfPeriod(.customer)
        case .renewalLimit: .renewalLimit
        case .chargeFailureWithGrace: .chargeFailure(graceUntil: later, retryUntil: later)
        case .chargeFailure: .chargeFailure(graceUntil: nil, retryUntil: later)
        case .endOfGrace: .endOfGrace
        case .endOfRetry: .endOfRetry
        case .recovery: .recovery(new)
        case .priceNotice: .priceNotice(needsConsent: true)
        case .priceConsent: .priceConsent
        case .refund: .refund(period(latest.id.number, from: -10, refunded: true))
        case .refundOfEarlier: .refundOfEarlier(TransactionID(0))
        case .reversal: .reversal(period(latest.id.number, from: -10), endedWhy: .other)
        case .reversalOfEarlier: .reversalOfEarlier(TransactionID(0))
        case .renewalExtension: .renewalExtension(latest)
        case .renewalExtensionFailure: .renewalExtensionFailure
        case .priceRise: .priceRise
        case .sharing: .sharing
        }
    }

    /// The result for one pair: the next status with each notification, or the reason for the refusal.
    package func cell(_ line: TransitionLine) -> String {
        let before = state(line.state)
        do throws(Objection) {
            let steps = try Transitions.steps(from: before, cause(line.cause, in: before), at: now)
            return steps.map { step in
                let words = step.event?.notice.map { "`\($0.words)`" } ?? "silent"
                return "\(step.state.status.rawValue) \(words)"
            }.joined(separator: ", ")
        } catch {
            return error.rawValue
        }
    }

    /// Whether the table accepts the change in the state.
    package func isHandled(_ line: TransitionLine) -> Bool { Objection(rawValue: cell(line)) == nil }

    /// Every line whose change the table accepts in its state.
    package var handled: [TransitionLine] {
        StateKind.allCases.flatMap { state in
            CauseKind.allCases.map { TransitionLine(state, $0) }.filter(isHandled)
        }
    }

    /// The matrix as a Markdown table, as in the documentation.
    package var markdown: String {
        let head = "| Cause | " + StateKind.allCases.map(\.rawValue).joined(separator: " | ") + " |"
        let rule = "|" + String(repeating: "---|", count: StateKind.allCases.count + 1)
        let rows = CauseKind.allCases.map { cause in
            let cells = StateKind.allCases.map { cell(TransitionLine($0, cause)) }
            return "| \(cause.rawValue) | \(cells.joined(separator: " | ")) |"
        }
        return ([head, rule] + rows).joined(separator: "\n")
    }
}
