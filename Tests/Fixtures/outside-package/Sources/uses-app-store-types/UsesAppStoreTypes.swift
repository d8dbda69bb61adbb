import AppStoreTypes

@main
struct UsesAppStoreTypes {
    static func main() {
        print(
            ProductType.autoRenewable.rawValue,
            NotificationType.didRenew.rawValue,
            SubscriptionStatus.active.rawValue
        )
    }
}
