extension Subscription {
    /// What the subscription is at `now` for an app with this catalogue and policy.
    ///
    /// Everything follows from the facts and the instant, so nothing needs to arrive for time to pass. A product that
    /// the catalogue does not have is followed all the same.
    ///
    /// - Parameter environment: where it was bought; Sandbox shortens billing retry as it shortens the period.
    public func status(
        at now: Instant, catalog: Catalog, policy: AccessPolicy, environment: AppStoreEnvironment = .production
    ) -> SubscriptionStatus {
        let (state, intent) = state(at: now, catalog: catalog, environment: environment)
        let grace = state == .billingGracePeriod ? gracePeriodExpiresDate : nil
        let window = state == .active ? saveWindow : nil
        let access = access(in: state, policy: policy)
        return SubscriptionStatus(
            state: state, autoRenewStatus: autoRenewStatus, expiresDate: expiresDate, gracePeriodExpiresDate: grace,
            daysRemaining: grace.map { wholeDays(from: now, to: $0) }, expirationIntent: intent, access: access,
            accessLevel: access == .none ? nil : policy.accessLevels[productId],
            message: message(in: state, intent: intent, isSaveWindowOpen: window != nil),
            pendingChange: state == .active ? pendingChange(catalog: catalog) : nil, saveWindow: window,
            eligibleWinBackOfferIds: state == .expired ? winBackOffers(catalog: catalog).known : [])
    }

    /// Offers of Apple's list that the catalogue, which has other products of the group, does not have; for counting.
    public func unknownWinBackOfferIds(catalog: Catalog) -> [OfferIdentifier] {
        winBackOffers(catalog: catalog).unknown
    }

    /// One of Apple's five states, and why it ended when it has.
    ///
    /// Source: App Store Server API, `status`; the order of the questions is that of Apple's documents on billing grace
    /// and retry.
    func state(
        at now: Instant, catalog: Catalog, environment: AppStoreEnvironment
    ) -> (state: SubscriptionStatus.State, intent: ExpirationIntent?) {
        if revocationDate != nil { return (.revoked, nil) }
        if expiresDate > now { return (.active, nil) }
        let isInTrouble = isInBillingRetryPeriod ?? (gracePeriodExpiresDate != nil)
        // Who cancels during grace or retry is gone at once.
        guard isInTrouble, autoRenewStatus != .off else {
            let derived: ExpirationIntent? =
                autoRenewStatus == .off ? (isInTrouble ? .billingError : .customerCancelled) : nil
            return (.expired, expirationIntent ?? derived)
        }
        if let gracePeriodExpiresDate, gracePeriodExpiresDate > now { return (.billingGracePeriod, nil) }
        let clock = AcceleratedClock(self, catalog: catalog, environment: environment)
        let end = expiresDate.adding(milliseconds: clock.billingRetryMilliseconds)
        return end > now ? (.billingRetry, nil) : (.expired, .billingError)
    }

    private func access(in state: SubscriptionStatus.State, policy: AccessPolicy) -> SubscriptionStatus.Access {
        switch state {
        case .active, .billingGracePeriod: .full
        case .billingRetry: policy.billingRetryAccess
        case .expired, .revoked: .none
        }
    }

    private func message(
        in state: SubscriptionStatus.State, intent: ExpirationIntent?, isSaveWindowOpen: Bool
    ) -> SubscriptionStatus.Message {
        switch state {
        case .active: isSaveWindowOpen ? .saveOffer : .none
        case .billingGracePeriod: .graceCountdown
        case .billingRetry: .fixPayment
        // A failed card deserves no discount.
        case .expired: intent == .billingError ? .resubscribe : .winBack
        case .revoked: .none
        }
    }

    private var saveWindow: SubscriptionStatus.SaveWindow? {
        guard autoRenewStatus == .off, let saveWindowOpensDate else { return nil }
        return SubscriptionStatus.SaveWindow(opensDate: saveWindowOpensDate, closesDate: expiresDate)
    }

    private func pendingChange(catalog: Catalog) -> SubscriptionStatus.PendingChange? {
        guard autoRenewStatus != .off, let next = autoRenewProductId, next != productId else { return nil }
        return SubscriptionStatus.PendingChange(
            kind: catalog.planChange(from: productId, to: next) ?? planChange ?? .change, productId: next,
            effectiveDate: expiresDate)
    }

    /// Apple's list, in Apple's order, parted by whether the catalogue has the offer on a product of the group; all are
    /// known while the catalogue has nothing of the group.
    private func winBackOffers(catalog: Catalog) -> (known: [OfferIdentifier], unknown: [OfferIdentifier]) {
        guard !eligibleWinBackOfferIds.isEmpty,
            let group = catalog.group(of: productId, signed: subscriptionGroupIdentifier)
        else { return (eligibleWinBackOfferIds, []) }
        let isKnown = { (identifier: OfferIdentifier) in
            group.subscriptions.contains { catalog.offer(identifier, on: $0.productId)?.offerType == .winBackOffer }
        }
        return (eligibleWinBackOfferIds.filter(isKnown), eligibleWinBackOfferIds.filter { !isKnown($0) })
    }
}

extension Catalog {
    /// Which way a change goes by the levels of both products; nil unless they are of one group.
    func planChange(from productId: ProductID, to next: ProductID) -> PlanChange? {
        guard let present = subscription(productId), let next = subscription(next),
            present.subscriptionGroupIdentifier == next.subscriptionGroupIdentifier
        else { return nil }
        if next.level == present.level { return .crossgrade }
        return next.level < present.level ? .upgrade : .downgrade
    }
}

/// Days from `now` to a later instant; a day begun counts.
private func wholeDays(from now: Instant, to end: Instant) -> Int {
    let milliseconds = end.millisecondsSince1970 - now.millisecondsSince1970
    return Int((milliseconds + Period.day - 1) / Period.day)
}
