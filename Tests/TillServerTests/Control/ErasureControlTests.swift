import Testing
import TillControl
import TillTestSupport

/// Checks what the erasure of a customer leaves for the customer's family.
@Suite("Erasing a customer, through the control API")
struct ErasureControlTests {
    @Test("The family of an erased customer is notified of the revoked purchases")
    func family() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let members = ["ann-1", "ann-2"]
            _ = try await control.send(CreateFamily(app: app, organizer: "ann", members: members))
            try await control.buy("skin", by: "ann")
            let erased = try await control.send(EraseCustomer(app: app, customer: "ann"))
            #expect(erased.family == "ann" && erased.notifications == ["REVOKE", "REVOKE"])
            for member in members {
                let left = try await control.send(GetCustomer(app: app, customer: member))
                #expect(left.owned.isEmpty && left.family == nil)
                let page = try await control.send(ListNotifications(app: app, customer: member))
                #expect(page.notifications.map(\.notificationType).contains("REVOKE"))
            }
        }
    }
}
