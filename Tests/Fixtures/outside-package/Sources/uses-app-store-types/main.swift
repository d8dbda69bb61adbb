import AppStoreTypes

print(ProductType.autoRenewable.rawValue, NotificationType.didRenew.rawValue, SubscriptionStatus.active.rawValue)
