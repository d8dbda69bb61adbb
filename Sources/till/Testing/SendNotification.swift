import ArgumentParser
import TillControl
import TillCore

extension NotificationCommand {
    struct Send: SendingCommand {
        static let configuration = CommandConfiguration(
            "Sends a notification of any type. Changes no data.",
            examples: """
                till notification send EXPIRED/VOLUNTARY --transaction 2000000000012345
                till notification send EXTERNAL_PURCHASE_TOKEN/CREATED
                till notification send RESCIND_CONSENT --customer ann
                till notification send TEST
                """
        )

        @Argument(help: "The notification type, with its subtype after a slash.")
        var notice: String
        @Option(help: "The transaction id; not for TEST and EXTERNAL_PURCHASE_TOKEN.")
        var transaction: String?
        @Option(help: "The customer of a RESCIND_CONSENT notification.")
        var customer: String?
        @OptionGroup var options: SettlingOptions

        private func chosen() throws -> Notice {
            let parts = notice.split(separator: "/", maxSplits: 1).map(String.init)
            guard let type = parts.first.flatMap(NotificationType.init(rawValue:)) else {
                let known = NotificationType.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no notification type \(parts.first ?? ""). Types: \(known).")
            }
            guard parts.count == 2 else { return Notice(type) }
            guard let subtype = NotificationSubtype(rawValue: parts[1]) else {
                let known = type.subtypes.compactMap { $0?.rawValue }.joined(separator: ", ")
                throw ValidationError("There is no subtype \(parts[1]). Subtypes of \(type.rawValue): \(known).")
            }
            return Notice(type, subtype)
        }

        func validate() throws {
            let type = try chosen().type
            let subject = type.subject
            if subject == .customer, customer == nil, transaction == nil {
                throw ValidationError("Give the customer of the notification: --customer.")
            }
            if subject == .transaction, transaction == nil {
                throw ValidationError("Give the transaction of the notification: --transaction.")
            }
            if subject != .customer, customer != nil {
                throw ValidationError("\(type.rawValue) is not about a customer. Omit --customer.")
            }
        }

        func request(_ shop: AppClient) throws -> TriggerNotification {
            let notice = try chosen()
            return TriggerNotification(
                app: shop.app,
                type: notice.type,
                subtype: notice.subtype,
                transactionId: transaction,
                customer: customer
            )
        }

        func text(_ sent: NotificationInfo) -> String {
            if let token = sent.testNotificationToken { return "Sending the test.\ntestNotificationToken  \(token)" }
            return "Sending \(notice).\nnotificationUUID  \(sent.notificationUUID)"
        }
    }
}
