/// The text that packed payloads refer to: Apple's keys and usual values, in the order in which Apple writes them.
///
/// What is stored can be read with this very text alone, so it is never edited; a better one would get a format byte
/// of its own.
enum PayloadDictionary {
    static let first = Array(
        #"""
        {"consumptionRequestReason":"UNINTENDED_PURCHASE","summary":{"requestIdentifier":"","storefrontCountryCodes":[\#
        ],"succeededCount":,"failedCount":"externalPurchaseToken":{"externalPurchaseId":"SANDBOX_\#
        "tokenCreationDate":"appData":{"signedAppTransactionInfo":"TESTRESCIND_CONSENTMETADATA_UPDATEMIGRATION\#
        PRICE_CHANGEPRICE_INCREASEPENDINGACCEPTEDREFUND_DECLINEDREFUND_REVERSEDREVOKERENEWAL_EXTENSION\#
        RENEWAL_EXTENDEDSUMMARYFAILURECONSUMPTION_REQUESTONE_TIME_CHARGEOFFER_REDEEMEDGRACE_PERIOD_EXPIRED\#
        DID_FAIL_TO_RENEW","subtype":"GRACE_PERIODBILLING_RECOVERYBILLING_RETRYPRODUCT_NOT_FOR_SALE\#
        DID_CHANGE_RENEWAL_PREF","subtype":"UPGRADE","subtype":"DOWNGRADE"REFUND_FULLREFUND_PRORATEDFAMILY_REVOKE\#
        ,"revocationReason":0,"revocationDate":17"revocationType":""revocationPercentage":100000"isUpgraded":true\#
        "offerType":1,"offerIdentifier":""offerDiscountType":"FREE_TRIAL"PAY_AS_YOU_GOPAY_UP_FRONT\#
        "offerPeriod":"P1WP1MP3M","eligibleWinBackOfferIds":["],"priceIncreaseStatus":0\#
        "gracePeriodExpiresDate":17,"isInBillingRetryPeriod":true,"appAccountToken":""Non-Consumable\#
        FAMILY_SHARED"GBRDEUFRAJPNCANUSA","storefrontId":"143441","price":9990,"currency":"USD"EURGBP\#
        {"notificationType":"EXPIRED","subtype":"VOLUNTARY"{"notificationType":"REFUND","notificationUUID":"\#
        {"notificationType":"SUBSCRIBED","subtype":"INITIAL_BUY"RESUBSCRIBE\#
        {"notificationType":"DID_CHANGE_RENEWAL_STATUS","subtype":"AUTO_RENEW_DISABLEDAUTO_RENEW_ENABLED\#
        {"notificationType":"DID_RENEW","notificationUUID":"","data":{"appAppleId":,"bundleId":"com.\#
        ","bundleVersion":"1","environment":"Production","signedTransactionInfo":"","signedRenewalInfo":\#
        "","status":1},"version":"2.0","signedDate":17{"transactionId":"2000000","originalTransactionId":"2000000\#
        ","webOrderLineItemId":"2000000","bundleId":"com.","productId":"com.","subscriptionGroupIdentifier":"2\#
        ","purchaseDate":17,"originalPurchaseDate":17,"expiresDate":17,"quantity":1,"type":"Auto-Renewable \#
        Subscription","inAppOwnershipType":"PURCHASED","signedDate":17,"environment":"Sandbox",\#
        "transactionReason":"RENEWALPURCHASE","storefront":"USA","storefrontId":"1434","price":990,"currency":"\#
        ","appTransactionId":"70"}{"expirationIntent":1,"originalTransactionId":"2000000","autoRenewProductId":"\#
        com.","productId":"com.","autoRenewStatus":1,"isInBillingRetryPeriod":false,"renewalPrice":990,"currency":\#
        USD","signedDate":17,"environment":"Production","recentSubscriptionStartDate":17\#
        ,"renewalDate":17,"appTransactionId":"70"}
        """#.utf8)
}
