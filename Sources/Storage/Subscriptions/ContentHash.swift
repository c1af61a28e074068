import CampaignCore
import FoundationEssentials

/// FNV-1a over what a fact says, so that two versions signed in one millisecond are kept apart whichever came first.
///
/// It is stored as part of a key and so never changes. It guards against nothing: who can make two facts of one hash
/// would have to have Apple sign them.
struct ContentHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    var value: Int64 { Int64(bitPattern: state) }

    private mutating func mix(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    mutating func mix(_ text: String?) {
        guard let text else { return mix(0xff) }
        for byte in text.utf8 { mix(byte) }
        // Never part of UTF-8: ends the text.
        mix(0xfe)
    }

    mutating func mix(_ number: Int64?) {
        guard let number else { return mix(0xff) }
        state = (state ^ UInt64(bitPattern: number)) &* 0x0000_0100_0000_01b3
        state = (state ^ state >> 32) &* 0x0000_0100_0000_01b3
    }

    mutating func mix(_ instant: Instant?) { mix(instant?.millisecondsSince1970) }
}

extension TransactionFact {
    /// Of everything but `signedDate` and `reportedStatus`, which are keys of their own.
    var contentHash: Int64 {
        var hash = contentWithoutToken
        hash.mix(appAccountToken?.lowercaseString)
        return hash.value
    }

    var contentWithoutToken: ContentHash {
        var hash = ContentHash()
        hash.mix(productId.rawValue)
        hash.mix(subscriptionGroupIdentifier?.rawValue)
        hash.mix(type.rawValue)
        hash.mix(purchaseDate)
        hash.mix(expiresDate)
        hash.mix(revocationDate)
        hash.mix(isUpgraded ? 1 : 0)
        hash.mix((offerType?.rawValue).map(Int64.init))
        hash.mix(offerIdentifier?.rawValue)
        hash.mix(inAppOwnershipType?.rawValue)
        hash.mix(appTransactionId?.rawValue)
        hash.mix(revocationType)
        hash.mix(offerDiscountType)
        hash.mix(offerPeriod)
        hash.mix(storefront)
        hash.mix(transactionReason)
        hash.mix(price)
        hash.mix(currency)
        return hash
    }

    /// Whether this fact tells nothing beyond `known`; a token that it lacks tells nothing.
    func tellsNoMore(than known: TransactionFact) -> Bool {
        transactionId == known.transactionId && contentWithoutToken.value == known.contentWithoutToken.value
            && (appAccountToken == nil || appAccountToken == known.appAccountToken)
    }
}

extension RenewalFact {
    /// Of everything but `signedDate`.
    var contentHash: Int64 {
        var hash = ContentHash()
        hash.mix(productId?.rawValue)
        hash.mix(autoRenewProductId?.rawValue)
        hash.mix((autoRenewStatus?.rawValue).map(Int64.init))
        hash.mix((expirationIntent?.rawValue).map(Int64.init))
        hash.mix(isInBillingRetryPeriod.map { $0 ? 1 : 0 })
        hash.mix(gracePeriodExpiresDate)
        hash.mix(priceIncreaseStatus.map(Int64.init))
        hash.mix((offerType?.rawValue).map(Int64.init))
        hash.mix(offerIdentifier?.rawValue)
        for offer in eligibleWinBackOfferIds { hash.mix(offer.rawValue) }
        hash.mix(renewalDate)
        hash.mix(renewalPrice)
        hash.mix(currency)
        hash.mix(recentSubscriptionStartDate)
        hash.mix(planChange?.rawValue)
        return hash.value
    }
}
