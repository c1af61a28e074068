public import CampaignCore

extension SubscriptionStatus {
    /// The status as every interface tells it (design, section 7).
    public func json(of subscription: Subscription, bundleId: BundleID, environment: AppStoreEnvironment) -> JSON {
        [
            "originalTransactionId": .string(subscription.originalTransactionId.rawValue),
            "bundleId": .string(bundleId.rawValue),
            "environment": .string(environment.rawValue),
            "productId": .string(subscription.productId.rawValue),
            "status": .string(state.rawValue),
            "autoRenewStatus": .text(autoRenewStatus?.name),
            "expiresDate": .instant(expiresDate),
            "gracePeriodExpiresDate": .instant(gracePeriodExpiresDate),
            "daysRemaining": daysRemaining.map { .integer(Int64($0)) } ?? .null,
            "expirationIntent": .text(expirationIntent?.name),
            "access": .string(access.rawValue),
            "accessLevel": .text(accessLevel),
            "message": .string(message.rawValue),
            "pendingChange": pendingChange.map { change in
                [
                    "kind": .string(change.kind.rawValue), "productId": .string(change.productId.rawValue),
                    "effectiveDate": .instant(change.effectiveDate),
                ]
            } ?? .null,
            "saveWindow": saveWindow.map { window in
                ["opensDate": .instant(window.opensDate), "closesDate": .instant(window.closesDate)]
            } ?? .null,
            "eligibleWinBackOfferIds": .array(eligibleWinBackOfferIds.map { .string($0.rawValue) }),
        ]
    }
}

extension OfferEligibility {
    /// One offer with every reason against it, as every interface tells it.
    public var json: JSON {
        [
            "productId": .string(productId.rawValue),
            "offerType": .string(offerType.name),
            "offerIdentifier": .text(offerIdentifier?.rawValue),
            "eligible": .bool(refusals.isEmpty),
            "reasons": refusals.json,
        ]
    }
}
