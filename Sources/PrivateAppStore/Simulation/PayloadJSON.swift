import CampaignCore
import FoundationEssentials

// Payloads as JSON with their keys in the order in which Apple writes them; absent values leave their keys out.

extension JSON {
    init(_ payload: JWSTransactionDecodedPayload) {
        var object = Members()
        object.add("transactionId", payload.transactionId)
        object.add("originalTransactionId", payload.originalTransactionId)
        object.add("webOrderLineItemId", payload.webOrderLineItemId)
        object.add("bundleId", payload.bundleId)
        object.add("productId", payload.productId)
        object.add("subscriptionGroupIdentifier", payload.subscriptionGroupIdentifier)
        object.add("purchaseDate", payload.purchaseDate)
        object.add("originalPurchaseDate", payload.originalPurchaseDate)
        object.add("expiresDate", payload.expiresDate)
        object.add("quantity", payload.quantity)
        object.add("type", payload.type?.rawValue)
        object.add("appAccountToken", payload.appAccountToken?.lowercaseString)
        object.add("inAppOwnershipType", payload.inAppOwnershipType?.rawValue)
        object.add("signedDate", payload.signedDate)
        object.add("revocationReason", payload.revocationReason)
        object.add("revocationDate", payload.revocationDate)
        object.add("revocationType", payload.revocationType)
        object.add("revocationPercentage", payload.revocationPercentage)
        object.add("isUpgraded", payload.isUpgraded)
        object.add("offerType", payload.offerType?.rawValue)
        object.add("offerIdentifier", payload.offerIdentifier)
        object.add("environment", payload.environment?.rawValue)
        object.add("transactionReason", payload.transactionReason)
        object.add("storefront", payload.storefront)
        object.add("storefrontId", payload.storefrontId)
        object.add("price", payload.price.map { Int($0) })
        object.add("currency", payload.currency)
        object.add("offerDiscountType", payload.offerDiscountType)
        object.add("appTransactionId", payload.appTransactionId)
        object.add("offerPeriod", payload.offerPeriod)
        self = .object(object.members)
    }

    init(_ payload: JWSRenewalInfoDecodedPayload) {
        var object = Members()
        object.add("expirationIntent", payload.expirationIntent?.rawValue)
        object.add("originalTransactionId", payload.originalTransactionId)
        object.add("autoRenewProductId", payload.autoRenewProductId)
        object.add("productId", payload.productId)
        object.add("autoRenewStatus", payload.autoRenewStatus?.rawValue)
        object.add("isInBillingRetryPeriod", payload.isInBillingRetryPeriod)
        object.add("gracePeriodExpiresDate", payload.gracePeriodExpiresDate)
        object.add("priceIncreaseStatus", payload.priceIncreaseStatus)
        object.add("offerType", payload.offerType?.rawValue)
        object.add("offerIdentifier", payload.offerIdentifier)
        object.add("renewalPrice", payload.renewalPrice.map { Int($0) })
        object.add("currency", payload.currency)
        object.add("signedDate", payload.signedDate)
        object.add("environment", payload.environment?.rawValue)
        object.add("recentSubscriptionStartDate", payload.recentSubscriptionStartDate)
        object.add("renewalDate", payload.renewalDate)
        object.add("offerDiscountType", payload.offerDiscountType)
        object.add("eligibleWinBackOfferIds", payload.eligibleWinBackOfferIds?.map(\.rawValue))
        object.add("appTransactionId", payload.appTransactionId)
        object.add("offerPeriod", payload.offerPeriod)
        object.add("appAccountToken", payload.appAccountToken?.lowercaseString)
        self = .object(object.members)
    }

    /// A notification about a purchase, about the app or with a summary.
    init(_ payload: ResponseBodyV2DecodedPayload, transaction: String?, renewalInfo: String?) {
        var object = Members()
        object.add("notificationType", payload.notificationType)
        object.add("subtype", payload.subtype)
        object.add("notificationUUID", payload.notificationUUID?.lowercaseString)
        if let data = payload.data {
            var inner = Members()
            inner.add("appAppleId", data.appAppleId.map { Int($0) })
            inner.add("bundleId", data.bundleId)
            inner.add("bundleVersion", data.bundleVersion)
            inner.add("environment", data.environment?.rawValue)
            inner.add("signedTransactionInfo", transaction)
            inner.add("signedRenewalInfo", renewalInfo)
            inner.add("status", transaction == nil ? nil : data.status)
            inner.add("consumptionRequestReason", data.consumptionRequestReason)
            object.members.append(Member("data", .object(inner.members)))
        }
        if let summary = payload.summary {
            var inner = Members()
            inner.add("environment", summary.environment?.rawValue)
            inner.add("appAppleId", summary.appAppleId.map { Int($0) })
            inner.add("bundleId", summary.bundleId)
            inner.add("productId", summary.productId)
            inner.add("requestIdentifier", summary.requestIdentifier)
            inner.add("storefrontCountryCodes", summary.storefrontCountryCodes)
            inner.add("succeededCount", summary.succeededCount.map { Int($0) })
            inner.add("failedCount", summary.failedCount.map { Int($0) })
            object.members.append(Member("summary", .object(inner.members)))
        }
        object.add("version", payload.version)
        object.add("signedDate", payload.signedDate)
        self = .object(object.members)
    }
}

/// The members of an object while it is put together.
private struct Members {
    var members: [JSON.Member] = []

    mutating func add(_ key: String, _ value: String?) {
        if let value { members.append(JSON.Member(key, .string(value))) }
    }

    mutating func add<Tag>(_ key: String, _ value: Tagged<Tag>?) { add(key, value?.rawValue) }

    mutating func add(_ key: String, _ value: Int?) {
        if let value { members.append(JSON.Member(key, .integer(Int64(value)))) }
    }

    mutating func add(_ key: String, _ value: Bool?) {
        if let value { members.append(JSON.Member(key, .bool(value))) }
    }

    mutating func add(_ key: String, _ value: Instant?) {
        if let value { members.append(JSON.Member(key, .instant(value))) }
    }

    mutating func add(_ key: String, _ values: [String]?) {
        if let values { members.append(JSON.Member(key, .array(values.map(JSON.string)))) }
    }
}
