import TillControl
import TillCore

/// Writes what an answer says about the deliveries for which a request waited.
enum SettledSummary {
    /// The deliveries in lines; nil if the request did not wait.
    static func text(_ answer: some Encodable) -> String? {
        guard let settled = (answer as? any SettledAnswer)?.settled else { return nil }
        let pending = settled.pendingDeliveries.map { delivery in
            let result = delivery.sendAttemptResult.map { ", last result \($0.rawValue)" } ?? ""
            let next = delivery.nextAttemptDate.map { ", next attempt \($0.iso8601)" } ?? ""
            return "  \(delivery.notification) to \(delivery.endpoint)"
                + (delivery.paused == true ? ", which is paused" : result + next)
        }
        let more = settled.pending > pending.count ? ["  … and \(settled.pending - pending.count) more"] : []
        let heading = "delivered: \(settled.delivered), pending: \(settled.pending)"
        return ([heading] + pending + more).joined(separator: "\n")
    }

    /// The answer without the deliveries.
    static func removed<Answer>(from answer: Answer) -> Answer {
        guard var settled = answer as? any SettledAnswer else { return answer }
        settled.settled = nil
        return settled as? Answer ?? answer
    }
}
