import YAML

extension StoreKitFileReader {
    /// One entry of `subscriptions` of the group at `groupPlace`; nil when an error leaves nothing to make of it.
    mutating func subscription(
        _ object: FileObject, in group: SubscriptionGroupIdentifier, at groupPlace: String
    ) -> SubscriptionProduct? {
        let identifier = identifier("productID", of: object)
        let isFirst = identifier.map { isFirstProduct($0, at: object.place) }
        var object = object
        // From here on the product's name tells a reader more than its position does.
        if let identifier, isFirst == true { object.place = "\(groupPlace) > \(shown(identifier))" }
        checkKindAndGroup(object, group)
        let level = level(object)
        let period = period("recurringSubscriptionPeriod", of: object)
        let price = price("displayPrice", of: object)
        if lacksPrice("displayPrice", of: object) {
            warn(object.place, "no 'displayPrice'; reports cannot tell what the subscription is worth")
        }
        let referenceName = text("referenceName", of: object)
        let isFamilyShareable = bool("familyShareable", of: object) ?? false
        let billingPlans = objects("billingPlans", of: object).compactMap { billingPlan($0) }
        let offers = offers(of: object)
        guard let identifier, let level, let period else { return nil }
        return SubscriptionProduct(
            productId: ProductID(identifier), subscriptionGroupIdentifier: group, referenceName: referenceName,
            level: level, period: period, priceMilliunits: price, isFamilyShareable: isFamilyShareable,
            billingPlans: billingPlans, introductoryOffers: offers.introductory,
            promotionalOffers: offers.promotional, codeOffers: offers.code, winBackOffers: offers.winBack)
    }

    private mutating func checkKindAndGroup(_ object: FileObject, _ group: SubscriptionGroupIdentifier) {
        if let kind = text("type", of: object), kind != "RecurringSubscription" {
            warn(object.place, "'type' is \(quoted(kind)); it is read as RecurringSubscription, as all of a group are")
        }
        if let other = text("subscriptionGroupID", of: object), other != group.rawValue {
            warn(
                object.place,
                "'subscriptionGroupID' is \(quoted(other)), but it is listed in the group \(quoted(group.rawValue)), "
                    + "which is used"
            )
        }
    }

    private mutating func level(_ object: FileObject) -> Int? {
        guard let level = integer("groupNumber", of: object) else {
            if !object.has("groupNumber") { error(object.place, "no 'groupNumber'; write its level, 1 for the top") }
            return nil
        }
        guard level >= 1 else {
            error(object.place, "'groupNumber' is '\(level)'; levels count from 1 at the top")
            return nil
        }
        return level
    }

    private mutating func billingPlan(_ object: FileObject) -> BillingPlan? {
        let payment = price("displayPrice", of: object)
        let commitment = price("commitmentDisplayPrice", of: object)
        let isEnabled = bool("isEnabled", of: object) ?? true
        guard let type = identifier("billingPlanType", of: object) else { return nil }
        return BillingPlan(
            billingPlanType: BillingPlanType(rawValue: type), priceMilliunits: payment,
            commitmentPriceMilliunits: commitment, isEnabled: isEnabled)
    }
}
