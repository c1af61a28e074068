import YAML

// The sentences about campaigns.

extension Refusal {
    /// Of the refusals of campaigns; nil for others.
    var campaignDetail: String? {
        switch self {
        case .noCampaign:
            "no campaign is for this app and environment; add a file to the folder of campaigns"
        case .campaignNotRunning(let campaign, let pause):
            "the campaign \(quoted(campaign.rawValue)) \(pause.words)"
        case .notInAudience(let campaign):
            "the campaign \(quoted(campaign.rawValue)) is for other customers; "
                + "'holdfast campaign explain' shows which condition of its 'audience' does not hold"
        case .heldOut(let campaign):
            "the customer is in the control group of the campaign \(quoted(campaign.rawValue)), which is given nothing "
                + "so that the others can be compared with it"
        case .frequencyCapReached(let campaign, let cap, let freeDate):
            "the campaign \(quoted(campaign.rawValue)) gives at most \(cap.words)"
                + (freeDate.map { "; ask again at \($0)" } ?? "; ask again later")
        case .noRuleHolds(let campaign):
            "no rule of the campaign \(quoted(campaign.rawValue)) holds now; "
                + "'holdfast campaign explain' shows what each of them asks for"
        case .noOfferForVariant(let campaign, let rule):
            "the rule \(quoted(rule.rawValue)) of the campaign \(quoted(campaign.rawValue)) has nothing for the "
                + "customer's variant through this door; give it an offer without 'variant'"
        case .billingErrorNoDiscount:
            "the subscription ended because a payment failed, which no discount mends; "
                + "ask the customer to mend the payment at https://apps.apple.com/account/billing"
        case .alternateProductOutsideGroup(let productId):
            "\(quoted(productId.rawValue)) is no other product of the subscription's group; name one that is"
        default: abuseDetail
        }
    }

    private var abuseDetail: String? {
        switch self {
        case .offersPerYearReached(let most):
            "the customer was given \(most) offers within a year, as many as 'offersPerYear' allows; "
                + "ask again when the first of them is a year old"
        case .cancelledForDiscount(let most):
            "the customer has redeemed \(most) promotional offers within a year and cancelled again, and 'savesPerYear' "
                + "allows no more; let the subscription end"
        case .tooManyAccounts(let most):
            "more than \(most) accounts used this subscription within a year, and 'accountsPerSubscription' allows no "
                + "more; find out who shares it"
        default: nil
        }
    }
}

extension CampaignPause {
    fileprivate var words: String {
        switch self {
        case .status(.draft): "is a draft, which its test customers alone see; make it 'active'"
        case .status(let status): "is '\(status.rawValue)' and gives nothing; make it 'active' or ask another one"
        case .notStarted(let instant): "starts at \(instant); ask again then"
        case .ended(let instant): "ended at \(instant); ask another one"
        case .redemptions(let most): "has ended itself: \(most) of its offers were redeemed; ask another one"
        }
    }
}

extension FrequencyCap {
    /// `1 offer in 30d`, `3 offers in 365d across all campaigns`, `1 offer a calendar day`
    fileprivate var words: String {
        let count = atMost == 1 ? "1 offer" : "\(atMost) offers"
        let stretch =
            switch per {
            case .rolling(let milliseconds): " in \(span(ofMilliseconds: milliseconds))"
            case .calendarDay: " a calendar day"
            }
        return count + stretch + (across == .allCampaigns ? " across all campaigns" : "")
    }
}
