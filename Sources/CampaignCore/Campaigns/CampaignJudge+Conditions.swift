// Each condition is one case, so that a decision asks it and an explanation shows it by the same lines.

/// The conditions of an audience, by the keys of the file.
enum AudienceCondition: String, CaseIterable {
    case productId
    case subscriptionGroupIdentifier
    case inAppOwnershipType
    case storefront

    static let all = allCases
}

extension CampaignJudge {
    func isInAudience(of prepared: PreparedCampaign) -> Bool {
        // One by one, because a list of them costs more than to ask.
        holds(.productId, of: prepared) != false && holds(.subscriptionGroupIdentifier, of: prepared) != false
            && holds(.inAppOwnershipType, of: prepared) != false && holds(.storefront, of: prepared) != false
    }

    func holds(_ when: When) -> Bool { WhenKey.all.allSatisfy { holds($0, of: when) != false } }

    /// nil when the audience says nothing of it.
    func holds(_ condition: AudienceCondition, of prepared: PreparedCampaign) -> Bool? {
        switch condition {
        case .productId: prepared.campaign.audience.productId?.holds(facts.subscription.productId)
        case .subscriptionGroupIdentifier:
            prepared.campaign.audience.subscriptionGroupIdentifier?.holds(groupIdentifier)
        case .inAppOwnershipType:
            prepared.campaign.audience.inAppOwnershipType?.holds(facts.subscription.inAppOwnershipType)
        case .storefront: prepared.campaign.audience.storefront?.holds(facts.subscription.storefront)
        }
    }

    /// nil when the rule says nothing of it.
    func holds(_ condition: WhenKey, of when: When) -> Bool? {
        switch condition {
        case .status: when.status?.holds(status.state)
        case .autoRenewStatus: when.autoRenewStatus?.holds(status.autoRenewStatus)
        case .expirationIntent: when.expirationIntent?.holds(status.expirationIntent)
        case .productId: when.productId?.holds(facts.subscription.productId)
        case .offerType: when.offerType?.holds(facts.subscription.offerType)
        case .pendingChange: when.pendingChange?.holds(status.pendingChange?.kind)
        case .untilExpires: when.untilExpires.map { holds($0, millisecondsUntilExpires) }
        case .sinceExpired: when.sinceExpired.map { holds($0, millisecondsSinceExpired) }
        }
    }

    private func holds(_ range: SpanRange, _ milliseconds: Int64?) -> Bool {
        milliseconds.map { range.holds(milliseconds: $0, clock: clock) } ?? false
    }

    /// nil once the period has ended.
    var millisecondsUntilExpires: Int64? {
        let left = status.expiresDate.millisecondsSince1970.subtractingReportingOverflow(now.millisecondsSince1970)
        return left.overflow || left.partialValue <= 0 ? nil : left.partialValue
    }

    /// nil unless the subscription is expired.
    var millisecondsSinceExpired: Int64? {
        guard status.state == .expired else { return nil }
        let since = now.millisecondsSince1970.subtractingReportingOverflow(status.expiresDate.millisecondsSince1970)
        return since.overflow ? nil : since.partialValue
    }
}
