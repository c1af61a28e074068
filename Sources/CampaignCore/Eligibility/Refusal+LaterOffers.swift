import YAML

// The sentences about win-back offers and offer codes.

extension Refusal {
    /// Of the refusals of win-back offers, some of which codes share; nil for others.
    var winBackDetail: String? {
        switch self {
        case .neverSubscribedInGroup(_, let group):
            "the customer never had a subscription in the group \(quoted(group.rawValue)), and win-back offers are for "
                + "those who left one; use an introductory offer, or an offer code whose eligibility holds 'new'"
        case .stillSubscribed(let group):
            "the customer's subscription in the group \(quoted(group.rawValue)) runs, and win-back offers are for those "
                + "who left; use a promotional offer"
        case .inBillingRetry(let group):
            "the App Store is trying a failed payment in the group \(quoted(group.rawValue)); "
                + "ask the customer to mend the payment at https://apps.apple.com/account/billing"
        case .subscriptionRevoked(let group):
            "the customer's last period in the group \(quoted(group.rawValue)) was refunded or taken back; "
                + "use a promotional offer if you want to give one all the same"
        case .notInEligibleWinBackOfferIds(let offer):
            "Apple's 'eligibleWinBackOfferIds' of the customer do not hold \(quoted(offer.rawValue)); "
                + "use one that they hold"
        case .winBackEligibilityUnknown(let offer):
            "neither Apple's 'eligibleWinBackOfferIds' nor month rules of the configuration tell whether "
                + "\(quoted(offer.rawValue)) is for the customer; configure the months that App Store Connect has for it"
        case .paidDurationTooShort(let offer, let months, let required):
            "\(quoted(offer.rawValue)) asks for \(count(required)) paid in a row, and the customer has \(months); "
                + "use another offer"
        case .lapseTooShort(let offer, let months, let minimum):
            "\(quoted(offer.rawValue)) asks for \(count(minimum)) since the last period, and \(months) have passed; "
                + "ask again later"
        case .lapseTooLong(let offer, let months, let maximum):
            "\(quoted(offer.rawValue)) allows \(count(maximum)) since the last period, and it ended over "
                + "\(count(months)) ago; use another offer"
        case .winBackTooSoon(let offer, let months, let required):
            "\(quoted(offer.rawValue)) asks for \(count(required)) since the last win-back offer, and \(months) have "
                + "passed; ask again later"
        default: nil
        }
    }

    /// Of the refusals of offer codes.
    var codeDetail: String {
        switch self {
        case .codeEligibilityDiffers(let customer, let eligibility):
            eligibility.isEmpty
                ? "the catalogue names no customers whom the offer's codes are for; add its eligibility there"
                : "the offer's codes are for \(eligibility.map { quoted($0.rawValue) }.joined(separator: ", ")) customers "
                    + "of the group, and this one is \(quoted(customer.rawValue)); use another offer"
        case .cancelledButActive(let group):
            "the customer has turned auto-renew off in the group \(quoted(group.rawValue)) and the period still runs, for "
                + "which Apple promises no code; use a promotional offer"
        case .codeWouldDowngrade(let productId, let current):
            "a code for \(quoted(productId.rawValue)) would move the customer down from \(quoted(current.rawValue)), "
                + "which the App Store refuses; use an offer of the same or a higher level"
        case .offerCodeUsed(let offer):
            "the customer has redeemed a code of \(quoted(offer.rawValue)), and Apple allows one for each offer; "
                + "use another offer"
        case .noCodeOffer(let offer, let nearest):
            "no subscription of the catalogue has a code offer \(quoted(offer.rawValue)); "
                + (nearest.map { "did you mean \(quoted($0.rawValue))?" } ?? "'holdfast catalog show' lists all")
        case .codePoolExhausted(let offer, let environment):
            "no codes are left for the offer \(quoted(offer.rawValue)) in \(environment.rawValue); load more with "
                + "'holdfast codes import'"
        default: code
        }
    }

    private func count(_ months: Int) -> String { months == 1 ? "1 month" : "\(months) months" }
}
