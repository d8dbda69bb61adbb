import TillControl
import TillCore
import TillShop
import TillStorage

/// Operations on families and Family Sharing.
extension ControlAPI {
    var familyRoutes: [ControlRoute] {
        [
            ControlRoute(CreateFamily.self) { try await createFamily($0) },
            ControlRoute(GetFamily.self) { try await family(of: try $0.customerName()) },
            ControlRoute(JoinFamily.self) { try await joinFamily($0) },
            ControlRoute(LeaveFamily.self) { call in
                customerChange(try await shop.perform(.leaveFamily, by: try call.customerName()))
            },
            ControlRoute(SetSharing.self) { call in
                try await perform(onTransactionOf: call, at: call.at) {
                    .shareWithFamily($0.originalID, call.shared)
                }
            },
        ]
    }

    private func createFamily(_ call: ControlCall<CreateFamily>) async throws -> FamilyChange {
        let scope = try call.scope()
        let organizer = try ControlExchange.checked(customer: call.organizer)
        let members = try call.members.map { try ControlExchange.checked(customer: $0) }
        // Names differ if their bytes differ, as in the store.
        let names = Set(members.map { Array($0.utf8) })
        guard !members.isEmpty, members.count < FamilyMembership.maxMembers, !names.contains(Array(organizer.utf8))
        else {
            throw ControlError.bad(
                "bad_members",
                "Name one to five members in addition to the organizer.",
                path: "$.members"
            )
        }
        guard names.count == members.count else {
            throw ControlError.bad("bad_members", "A member is named twice.", path: "$.members")
        }
        let effects = try await shop.exclusively("families/\(scope.environment.rawValue)/\(scope.app)") {
            let name = CustomerName(scope, organizer)
            return try await opening(Opening(), of: name, call.request) { opening in
                // All members are checked first, so that either all of them join or none.
                let present = try await shop.storage.account(of: name)
                let clock = present.map(\.clock) ?? opening.clock
                for member in [organizer] + members {
                    try await checkMayJoin(CustomerName(scope, member), clock: clock)
                }
                let host = try await shop.openAccount(name, opening).account
                var effects = Effects()
                for member in members { effects.add(Effects(try await join(member, host, named: call.name, scope))) }
                return effects
            }
        }
        return try await change(of: CustomerName(scope, organizer), effects)
    }

    private func joinFamily(_ call: ControlCall<JoinFamily>) async throws -> FamilyChange {
        let host = try await call.account()
        let member = try ControlExchange.checked(customer: call.member)
        guard !member.utf8.elementsEqual(host.customer.utf8) else {
            throw ControlError.bad("bad_members", "A customer cannot join their own family.", path: "$.member")
        }
        try await checkMayJoin(CustomerName(try call.scope(), member), clock: host.clock)
        let outcome = try await join(member, host, named: nil, try call.scope(), linksCopies: call.linkCopies ?? false)
        return try await change(of: try call.customerName(), Effects(outcome))
    }

    private func change(of name: CustomerName, _ effects: Effects) async throws -> FamilyChange {
        FamilyChange(family: try await family(of: name), events: effects.names, notifications: effects.notices)
    }

    /// Checks that a customer is in no family and on the family's clock. A customer who is new needs a valid name.
    private func checkMayJoin(_ name: CustomerName, clock: String?) async throws {
        guard let account = try await shop.storage.account(of: name) else {
            _ = try ControlExchange.checked(newCustomer: name.customer)
            if let clock { try shop.settings.checkMayMove(ClockName(name.scope, own: clock)) }
            return
        }
        if let family = account.family {
            throw Refusal.alreadyInFamily(customer: name.customer, family: family.name)
        }
        guard account.clock == clock else { throw Refusal.familyOnAnotherClock(customer: name.customer, clock: clock) }
    }

    private func join(
        _ member: String,
        _ host: Account,
        named name: String?,
        _ scope: AccountScope,
        linksCopies: Bool = false
    ) async throws -> Outcome {
        try await shop.perform(
            .joinFamily(of: host.id, named: name ?? host.customer, linksCopies: linksCopies),
            by: CustomerName(scope, member),
            opening: Opening(storefront: host.storefront, clock: host.clock)
        )
    }

    private func family(of name: CustomerName) async throws -> FamilyInfo {
        guard let account = try await shop.storage.account(of: name) else {
            throw Refusal.unknownAccount(name.customer)
        }
        guard let family = account.family else {
            throw ControlError.notFound("no_family", "Customer \(name.customer) is not in a family.")
        }
        var members: [AccountID: String] = [:]
        for id in family.members { members[id] = try await shop.storage.storedAccount(id)?.customer }
        return FamilyInfo(
            name: family.name,
            organizer: members[family.organizer] ?? "",
            members: family.members.compactMap { members[$0] }
        )
    }
}
