import Testing
import TillControl
import TillJSON
import TillTestSupport

/// A family whose organizer is ann, in an environment.
private struct SampleFamily: Sendable {
    let control: TypedControl
    let app: AppEnvironment
    let organizer = "ann"
    /// The other members.
    let members: [String]
    /// The notifications that the creation of the family caused.
    let notifications: [String]

    init(_ control: TypedControl, in environment: StoreEnvironment = .sandbox, members count: Int = 2) async throws {
        self.control = control
        app = AppEnvironment(TestShop.bundleID, environment)
        members = (1...count).map { "ann-\($0)" }
        let made = try await control.send(
            CreateFamily(app: app, name: organizer, organizer: organizer, members: members)
        )
        notifications = made.notifications
        #expect(made.events.count { $0 == .joinedFamily } == count)
        let family = FamilyInfo(name: organizer, organizer: organizer, members: [organizer] + members)
        #expect(try made.family.json == family.json)
    }

    @discardableResult
    func buy(_ product: String, by customer: String = "ann", offer: OfferToApply? = nil) async throws
        -> TransactionInfo
    {
        try await control.buy(product, by: customer, in: app, offer: offer)
    }

    func history(of customer: String, _ filters: String = "") async throws -> [JSONTree] {
        try await control.history(of: customer, in: app, filters)
    }

    /// The only transaction of a customer.
    func only(of customer: String, _ filters: String = "") async throws -> JSONTree {
        let history = try await history(of: customer, filters)
        #expect(history.count == 1)
        return try #require(history.first)
    }
}

/// Checks shared purchases, and the events that give the members access and revoke it.
@Suite("Families, through the control API")
struct FamilyControlTests {
    @Test("Only products with Family Sharing are shared", arguments: StoreEnvironment.allCases)
    func shareable(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment)
            for product in ["solo", "coins", "year"] { try await family.buy(product) }
            for member in family.members { #expect(try await family.history(of: member).isEmpty, "\(member)") }
        }
    }

    @Test("A later member gets the purchases that the family owns at that time", arguments: StoreEnvironment.allCases)
    func laterMember(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let app = AppEnvironment(TestShop.bundleID, environment)
            try await control.buy("skin", by: "ann", in: app)
            let refunded = try await control.buy("basic", by: "ann", in: app, offer: .noOffer)
            _ = try await control.send(RefundTransaction(app: app, transactionId: refunded.transactionId))
            let family = try await SampleFamily(control, in: environment, members: 1)
            let copies = try await family.history(of: family.members[0])
            #expect(copies.map { $0["productId"]?.text } == ["skin"])
            #expect(family.notifications == ["ONE_TIME_CHARGE"], "for the member's copy")
            let joined = try await control.send(JoinFamily(app: app, customer: "ann", member: "late"))
            #expect(joined.family.members == ["ann"] + family.members + ["late"])
            #expect(try await family.history(of: "late").map { $0["productId"]?.text } == ["skin"])
        }
    }

    @Test("A member can also buy a shared product", arguments: StoreEnvironment.allCases)
    func ownPurchase(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment)
            try await family.buy("basic", offer: .noOffer)
            let own = try await family.buy("pro", by: family.members[0])
            let statuses = try await control.statuses(of: family.members[0], in: family.app)
            #expect(statuses.count == 2)
            let purchased = statuses.first { $0.transaction["inAppOwnershipType"]?.text == "PURCHASED" }
            let shared = statuses.first { $0.transaction["inAppOwnershipType"]?.text == "FAMILY_SHARED" }
            #expect(purchased?.originalTransactionId == own.originalTransactionId)
            #expect(shared != nil && shared?.originalTransactionId != own.originalTransactionId)
        }
    }

    @Test("A member who leaves loses access to shared purchases", arguments: StoreEnvironment.allCases)
    func memberLeaves(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment)
            try await family.buy("skin")
            let (leaver, other) = (family.members[0], family.members[1])
            let left = try await control.send(LeaveFamily(app: family.app, customer: leaver))
            #expect(left.notifications == ["REVOKE"] && left.events.contains(.leftFamily))
            let copy = try await family.only(of: leaver)
            #expect(copy["revocationType"]?.text == "FAMILY_REVOKE" && copy["revocationReason"]?.number == 0)
            for customer in [other, family.organizer] {
                #expect(try await family.history(of: customer).map { $0["revocationDate"] } == [nil], "\(customer)")
            }
            let gone = GetFamily(app: family.app, customer: leaver)
            #expect(try await control.refusal(of: gone) == .init(404, "no_family"))
            let rest = try await control.send(GetFamily(app: family.app, customer: other))
            #expect(rest.members == [family.organizer, other])
            #expect(try await control.send(GetCustomer(app: family.app, customer: leaver)).owned.isEmpty)
            let bought = try await family.buy("skin", by: leaver)
            let payload = try control.payload(of: bought.signedTransactionInfo)
            #expect(payload["inAppOwnershipType"]?.text == "PURCHASED")
        }
    }

    @Test("When a purchaser leaves, the shared access ends", arguments: StoreEnvironment.allCases)
    func purchaserLeaves(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment)
            let (purchaser, other) = (family.members[0], family.members[1])
            let bought = try await family.buy("skin", by: purchaser)
            let copies = try await family.history(of: family.organizer)
            #expect(copies.map { $0["inAppOwnershipType"]?.text } == ["FAMILY_SHARED"])
            _ = try await control.send(LeaveFamily(app: family.app, customer: purchaser))
            for customer in [family.organizer, other] {
                #expect(try await family.only(of: customer)["revocationType"]?.text == "FAMILY_REVOKE", "\(customer)")
            }
            let before = try control.payload(of: bought.signedTransactionInfo)
            #expect(try await family.only(of: purchaser).withoutSigningDate == before.withoutSigningDate)
        }
    }

    @Test("When the organizer leaves, the family ends", arguments: StoreEnvironment.allCases)
    func organizerLeaves(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment)
            try await family.buy("skin", by: family.members[0])
            _ = try await control.send(LeaveFamily(app: family.app, customer: family.organizer))
            for customer in [family.organizer] + family.members {
                let gone = GetFamily(app: family.app, customer: customer)
                #expect(try await control.refusal(of: gone) == .init(404, "no_family"), "\(customer)")
            }
            #expect(try await family.history(of: family.members[1]).first?["revocationType"]?.text == "FAMILY_REVOKE")
        }
    }

    @Test("A refund of a past period does not affect the members")
    func refundOfPastPeriod() async throws {
        try await TypedControl.run { control in
            let old = try await control.lapsed("basic", by: "ann")
            let family = try await SampleFamily(control, members: 1)
            try await family.buy("basic", offer: .noOffer)
            _ = try await control.send(RefundTransaction(app: family.app, transactionId: old.transactionId))
            let statuses = try await control.statuses(of: family.members[0], in: family.app)
            #expect(statuses.map(\.status) == [.active])
        }
    }

    @Test("An upgrade is shared, too")
    func upgrade() async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, members: 1)
            let member = family.members[0]
            try await family.buy("basic", offer: .noOffer)
            let first = try #require(try await family.history(of: member).first)
            let pro = try await family.buy("pro")
            let copies = try await family.history(of: member)
            try #require(copies.count == 2)
            let (old, new) = (copies[0], copies[1])
            #expect(old["transactionId"] == first["transactionId"] && old["isUpgraded"] == .bool(true))
            #expect(new["productId"]?.text == "pro")
            #expect(new["originalTransactionId"] == first["originalTransactionId"])
            #expect(new["expiresDate"]?.number == pro.expiresDate?.milliseconds && pro.expiresDate != nil)
            let statuses = try await control.statuses(of: member, in: family.app)
            #expect(statuses.map { $0.transaction["transactionId"] } == [new["transactionId"]])
        }
    }

    @Test("A family has at most six members", arguments: StoreEnvironment.allCases)
    func sixMembers(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment, members: 5)
            let seventh = JoinFamily(app: family.app, customer: "ann", member: "seventh")
            #expect(try await control.refusal(of: seventh) == .init(409, "family_full"))
            try await family.buy("skin")
            var copies: Set<String> = []
            for member in family.members {
                let copy = try #require(try await family.history(of: member).first)
                copies.insert(try #require(copy["transactionId"]?.text))
            }
            #expect(copies.count == 5)
        }
    }

    @Test(
        "An invalid family is rejected as a whole",
        arguments: [[], ["x0", "x1", "x2", "x3", "x4", "x5"], ["ann"], ["twin", "twin"]]
    )
    func invalid(members: [String]) async throws {
        try await TypedControl.run { control in
            let family = CreateFamily(app: control.app, organizer: "ann", members: members)
            let refusal = try #require(try await control.refusal(of: family))
            #expect([400, 409].contains(refusal.status), "\(refusal)")
            let created = try await control.refusal(of: GetFamily(app: control.app, customer: "ann"))
            #expect(created?.status == 404, "part of the family was created")
        }
    }

    @Test("A customer cannot join a second family", arguments: StoreEnvironment.allCases)
    func secondFamily(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment)
            let second = CreateFamily(app: family.app, organizer: "bob", members: ["carl", family.members[0]])
            #expect(try await control.refusal(of: second) == .init(409, "already_in_family"))
            #expect(try await control.refusal(of: GetFamily(app: family.app, customer: "bob")) != nil)
        }
    }

    @Test("A member's copy cannot be refunded", arguments: StoreEnvironment.allCases)
    func refundOfCopy(environment: StoreEnvironment) async throws {
        try await TypedControl.run { control in
            let family = try await SampleFamily(control, in: environment)
            try await family.buy("skin")
            let copy = try await family.only(of: family.members[0], "&inAppOwnershipType=FAMILY_SHARED")
            let id = try #require(copy["transactionId"]?.text)
            let refund = RefundTransaction(app: family.app, transactionId: id)
            #expect(try await control.refusal(of: refund) == .init(409, "family_shared"))
            #expect(try await family.history(of: family.members[0]).contains { $0["transactionId"]?.text == id })
        }
    }
}
