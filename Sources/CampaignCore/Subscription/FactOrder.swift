// Of two versions of one fact the later signed one holds. Two of the same millisecond must give the same answer in
// whichever order they came, so the one that takes more away holds, and then any fixed order of their contents.

extension TransactionFact {
    /// Whether this version holds, not `other`; at most one of two different versions holds over the other.
    func holds(over other: TransactionFact) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        if self == other { return false }
        if revocationRank != other.revocationRank { return revocationRank > other.revocationRank }
        if isUpgraded != other.isUpgraded { return isUpgraded }
        if expiresDate != other.expiresDate { return earlier(expiresDate, other.expiresDate) }
        return other.content.lexicographicallyPrecedes(content)
    }

    /// A full refund takes more than a prorated one, which may leave the access.
    private var revocationRank: Int {
        guard revocationDate != nil else { return 0 }
        return isProratedRefund ? 1 : 2
    }

    var isProratedRefund: Bool { revocationDate != nil && revocationType == "REFUND_PRORATED" }

    private var content: [String] {
        [
            text(revocationDate), text(revocationType), text(reportedStatus), text(originalTransactionId),
            text(transactionId), text(productId), text(subscriptionGroupIdentifier), text(type.rawValue),
            text(purchaseDate), text(offerType?.rawValue), text(offerIdentifier), text(appAccountToken),
            text(inAppOwnershipType?.rawValue), text(appTransactionId), text(offerDiscountType), text(offerPeriod),
            text(storefront), text(transactionReason), text(price), text(currency),
        ]
    }
}

extension RenewalFact {
    /// Whether this version holds, not `other`; at most one of two different versions holds over the other.
    func holds(over other: RenewalFact) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        if self == other { return false }
        if renewalRank != other.renewalRank { return renewalRank > other.renewalRank }
        if gracePeriodExpiresDate != other.gracePeriodExpiresDate {
            return earlier(gracePeriodExpiresDate, other.gracePeriodExpiresDate)
        }
        return other.content.lexicographicallyPrecedes(content)
    }

    private var renewalRank: Int {
        switch autoRenewStatus {
        case .off: 2
        case nil: 0
        default: 1
        }
    }

    private var content: [String] {
        [
            text(autoRenewStatus?.rawValue), text(expirationIntent?.rawValue), text(isInBillingRetryPeriod),
            text(originalTransactionId), text(productId), text(autoRenewProductId), text(priceIncreaseStatus),
            text(offerType?.rawValue), text(offerIdentifier), text(renewalDate), text(renewalPrice), text(currency),
            text(recentSubscriptionStartDate), text(planChange?.rawValue),
        ] + eligibleWinBackOfferIds.map(\.rawValue)
    }
}

/// Whether `one` ends sooner; what has no end never does.
private func earlier(_ one: Instant?, _ other: Instant?) -> Bool {
    guard let one else { return false }
    return other.map { one < $0 } ?? true
}

/// A text in which nothing differs from an empty value.
private func text(_ value: (some CustomStringConvertible)?) -> String { value.map { "=\($0)" } ?? "" }

extension TransactionFact {
    /// Whether this is the later period of the two.
    ///
    /// Of periods that begin together, the one that no upgrade has replaced is the later, then the one with the greater
    /// number.
    func isLaterPeriod(than other: TransactionFact) -> Bool {
        if purchaseDate != other.purchaseDate { return purchaseDate > other.purchaseDate }
        if isUpgraded != other.isUpgraded { return other.isUpgraded }
        return other.transactionId.numberOrder < transactionId.numberOrder
    }
}

extension TransactionID {
    /// Orders numbers by their value, and before anything that is none.
    fileprivate var numberOrder: (isText: Int, length: Int, text: String) {
        let isNumber = rawValue.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isNumber ? (0, rawValue.utf8.count, rawValue) : (1, 0, rawValue)
    }
}
