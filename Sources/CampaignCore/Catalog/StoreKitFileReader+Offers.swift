import YAML

extension StoreKitFileReader {
    /// The offers of one subscription by kind.
    struct Offers {
        var introductory: [SubscriptionOffer] = []
        var promotional: [SubscriptionOffer] = []
        var code: [SubscriptionOffer] = []
        var winBack: [SubscriptionOffer] = []
    }

    mutating func offers(of subscription: FileObject) -> Offers {
        var places: [String: String] = [:]
        var offers = Offers()
        offers.introductory = introductoryOffers(of: subscription)
        offers.promotional = named("adHocOffers", "offerID", .promotionalOffer, of: subscription, &places)
        offers.code = named("codeOffers", "referenceName", .offerCode, of: subscription, &places)
        offers.winBack = named("winbackOffers", "offerID", .winBackOffer, of: subscription, &places)
        return offers
    }

    /// The offers of the array `key`; `places` knows where each identifier of the subscription was seen first.
    ///
    /// Apple refuses one identifier for offers of two kinds, and a payload's `offerIdentifier` would not tell them
    /// apart.
    private mutating func named(
        _ key: String, _ identifierKey: String, _ type: OfferType, of subscription: FileObject,
        _ places: inout [String: String]
    ) -> [SubscriptionOffer] {
        let objects = limited(objects(key, of: subscription), key, of: subscription)
        return objects.compactMap { object in
            var object = object
            let identifier = identifier(identifierKey, of: object)
            if let identifier {
                object.place += " \(quoted(identifier))"
                if let first = places[identifier] {
                    error(
                        object.place,
                        "the offer identifier \(quoted(identifier)) is already at \(first); give each offer its own")
                } else {
                    places[identifier] = object.place
                }
            }
            let codeTerms = type == .offerCode ? codeTerms(object) : nil
            let offer = offer(object, type, identifier, codeTerms)
            return identifier == nil ? nil : offer
        }
    }

    /// Schema 5 may tell one and the same offer under `introductoryOffer` and in `introductoryOffers`.
    private mutating func introductoryOffers(of subscription: FileObject) -> [SubscriptionOffer] {
        let objects = limited(objects("introductoryOffers", of: subscription), "introductoryOffers", of: subscription)
        var offers = objects.compactMap { offer($0, .introductoryOffer, nil, nil) }
        guard let single = object("introductoryOffer", of: subscription) else { return offers }
        // The old key repeats the new one: by the same internal number, or by the same terms.
        let number = text("internalID", of: single)
        if let number, objects.contains(where: { $0["internalID"] == .string(number) }) { return offers }
        guard let offer = offer(single, .introductoryOffer, nil, nil), !offers.contains(offer) else { return offers }
        if !offers.isEmpty {
            warn(single.place, "differs from every entry of 'introductoryOffers'; both are kept, remove the wrong one")
        }
        offers.append(offer)
        return offers
    }

    private mutating func limited(_ objects: [FileObject], _ key: String, of subscription: FileObject) -> [FileObject] {
        guard objects.count > Limits.catalogOffersOfOneKind else { return objects }
        error(
            subscription.place(of: key),
            "\(objects.count) offers, at most \(Limits.catalogOffersOfOneKind) are read; remove those that have ended")
        return []
    }

    private mutating func offer(
        _ object: FileObject, _ type: OfferType, _ identifier: String?, _ codeTerms: CodeTerms?
    ) -> SubscriptionOffer? {
        // For an offer code the reference name is the identifier, which has been read.
        let referenceName = type == .offerCode ? identifier : text("referenceName", of: object)
        let mode = paymentMode(object)
        let period = period("subscriptionPeriod", of: object)
        let numberOfPeriods = numberOfPeriods(object)
        let plan = text("billingPlanType", of: object).map(BillingPlanType.init(rawValue:))
        guard let mode else { return nil }
        let price = offerPrice(object, mode)
        guard let period, let numberOfPeriods else { return nil }
        return SubscriptionOffer(
            offerType: type, offerIdentifier: identifier.map(OfferIdentifier.init(_:)), referenceName: referenceName,
            paymentMode: mode, period: period, numberOfPeriods: numberOfPeriods, priceMilliunits: price,
            billingPlanType: plan, codeTerms: codeTerms)
    }

    private mutating func paymentMode(_ object: FileObject) -> PaymentMode? {
        guard let text = text("paymentMode", of: object) else {
            if !object.has("paymentMode") {
                error(object.place, "no 'paymentMode'; write free, payAsYouGo or payUpFront")
            }
            return nil
        }
        let mode = PaymentMode(rawValue: text)
        if !mode.isKnown {
            warn(object.place, "'paymentMode' is \(quoted(text)), which is unknown; it is kept as it is")
        }
        return mode
    }

    private mutating func numberOfPeriods(_ object: FileObject) -> Int? {
        guard let number = integer("numberOfPeriods", of: object) else {
            return object.has("numberOfPeriods") ? nil : 1
        }
        guard number >= 1, String(number).count <= Limits.periodDigits else {
            error(object.place, "'numberOfPeriods' is '\(number)'; write a small whole number from 1")
            return nil
        }
        return number
    }

    private mutating func offerPrice(_ object: FileObject, _ mode: PaymentMode) -> Int64? {
        let price = price("displayPrice", of: object)
        if mode == .free {
            if let price, price != 0 {
                let text = text("displayPrice", of: object) ?? ""
                warn(object.place, "a free offer has the 'displayPrice' \(quoted(text)); its price is read as 0")
            }
            return 0
        }
        if lacksPrice("displayPrice", of: object), mode.isKnown {
            warn(object.place, "no 'displayPrice', though 'paymentMode' is \(quoted(mode.rawValue))")
        }
        return price
    }

    private mutating func codeTerms(_ object: FileObject) -> CodeTerms {
        let eligibility = texts("eligibility", of: object).map(CodeEligibility.init(rawValue:))
        for word in eligibility where !word.isKnown {
            warn(object.place, "'eligibility' holds \(quoted(word.rawValue)), which is unknown; it is kept as it is")
        }
        if eligibility.isEmpty, !object.has("eligibility") || object["eligibility"] == .array([]) {
            warn(object.place, "no 'eligibility', so no customer fits; write new, existing or expired")
        }
        return CodeTerms(
            eligibility: Set(eligibility), isStackable: bool("isStackable", of: object) ?? false,
            autoRenews: bool("autoRenew", of: object) ?? true)
    }
}
