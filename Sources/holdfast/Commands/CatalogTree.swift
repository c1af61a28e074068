import CampaignCore
import YAML

/// The three ways in which `catalog show` writes a catalogue.
enum CatalogTree {
    /// Groups, products from the top level down, offers; offers of a product stand in columns.
    static func text(of catalog: Catalog) -> String {
        var lines: [String] = []
        for group in catalog.groups {
            lines.append("\(group.name ?? "group") (\(group.identifier))")
            for product in byLevel(group.subscriptions) {
                lines.append("  level \(product.level)  \(describe(product))")
                lines += columns(product.offers.map(cells)).map { "    " + $0 }
            }
        }
        if !catalog.otherProducts.isEmpty {
            lines.append("other products")
            lines += columns(catalog.otherProducts.map { [$0.productId.rawValue, $0.type.rawValue] }).map { "  " + $0 }
        }
        return lines.map { visible($0) + "\n" }.joined()
    }

    static func json(of catalog: Catalog) -> JSON {
        let groups = catalog.groups.map { group -> JSON in
            [
                "subscriptionGroupIdentifier": .string(group.identifier.rawValue), "name": .text(group.name),
                "subscriptions": .array(byLevel(group.subscriptions).map(json)),
            ]
        }
        let others = catalog.otherProducts.map { product -> JSON in
            ["productId": .string(product.productId.rawValue), "type": .string(product.type.rawValue)]
        }
        return ["groups": .array(groups), "otherProducts": .array(others)]
    }

    /// A header, then one row an offer.
    static func rows(of catalog: Catalog) -> [[String]] {
        let header = [
            "subscriptionGroupIdentifier", "level", "productId", "period", "priceMilliunits", "kind",
            "offerIdentifier", "paymentMode", "offerPeriod", "numberOfPeriods", "offerPriceMilliunits",
            "billingPlanType", "eligibility",
        ]
        let rows = catalog.groups.flatMap { byLevel($0.subscriptions) }.flatMap { product in
            product.offers.map { offer in
                [
                    product.subscriptionGroupIdentifier.rawValue, String(product.level), product.productId.rawValue,
                    product.period.description, text(product.priceMilliunits), offerKind(offer.offerType),
                    offer.offerIdentifier?.rawValue ?? "", offer.paymentMode.rawValue, offer.period.description,
                    String(offer.numberOfPeriods), text(offer.priceMilliunits), offer.billingPlanType?.rawValue ?? "",
                    eligibility(offer).joined(separator: " "),
                ]
            }
        }
        return [header] + rows
    }
}

extension CatalogTree {
    /// The file's order within a level, so that the same file is always shown the same way.
    private static func byLevel(_ products: [SubscriptionProduct]) -> [SubscriptionProduct] {
        products.enumerated().sorted { ($0.element.level, $0.offset) < ($1.element.level, $1.offset) }.map(\.element)
    }

    private static func describe(_ product: SubscriptionProduct) -> String {
        var parts = [product.productId.rawValue]
        if let name = product.referenceName { parts.append("'\(name)'") }
        parts.append(product.period.description)
        if let price = product.priceMilliunits { parts.append(decimal(price)) }
        if product.isFamilyShareable { parts.append("family shareable") }
        return parts.joined(separator: "  ")
    }

    private static func cells(_ offer: SubscriptionOffer) -> [String] {
        var terms = offer.paymentMode.rawValue
        if let price = offer.priceMilliunits, offer.paymentMode != .free { terms += " \(decimal(price))" }
        let times = offer.numberOfPeriods > 1 ? " × \(offer.numberOfPeriods)" : ""
        var notes: [String] = []
        if let plan = offer.billingPlanType { notes.append(plan.rawValue) }
        if offer.codeTerms != nil {
            let customers = eligibility(offer)
            notes.append(customers.isEmpty ? "for no one" : "for " + customers.joined(separator: ", "))
        }
        return [
            offerKind(offer.offerType), offer.offerIdentifier?.rawValue ?? "-", terms, "\(offer.period)\(times)",
            notes.joined(separator: "; "),
        ]
    }

    private static func json(_ product: SubscriptionProduct) -> JSON {
        [
            "productId": .string(product.productId.rawValue), "referenceName": .text(product.referenceName),
            "level": .integer(Int64(product.level)), "period": .string(product.period.description),
            "priceMilliunits": number(product.priceMilliunits), "familyShareable": .bool(product.isFamilyShareable),
            "billingPlans": .array(product.billingPlans.map(json)),
            "offers": .array(product.offers.map(json)),
        ]
    }

    private static func json(_ plan: BillingPlan) -> JSON {
        [
            "billingPlanType": .string(plan.billingPlanType.rawValue),
            "priceMilliunits": number(plan.priceMilliunits),
            "commitmentPriceMilliunits": number(plan.commitmentPriceMilliunits),
            "enabled": .bool(plan.isEnabled),
        ]
    }

    private static func json(_ offer: SubscriptionOffer) -> JSON {
        [
            "offerType": .integer(Int64(offer.offerType.rawValue)), "kind": .string(offerKind(offer.offerType)),
            "offerIdentifier": .text(offer.offerIdentifier?.rawValue), "referenceName": .text(offer.referenceName),
            "paymentMode": .string(offer.paymentMode.rawValue), "period": .string(offer.period.description),
            "numberOfPeriods": .integer(Int64(offer.numberOfPeriods)),
            "priceMilliunits": number(offer.priceMilliunits),
            "billingPlanType": .text(offer.billingPlanType?.rawValue),
            "eligibility": offer.codeTerms == nil ? .null : .array(eligibility(offer).map(JSON.string)),
        ]
    }

    private static func eligibility(_ offer: SubscriptionOffer) -> [String] {
        (offer.codeTerms?.eligibility ?? []).map(\.rawValue).sorted()
    }

    private static func number(_ value: Int64?) -> JSON { value.map(JSON.integer) ?? .null }

    private static func text(_ number: Int64?) -> String { number.map { String($0) } ?? "" }

    /// Milliunits as people write a price: `4.99`, `4.995` when the thousandths count.
    private static func decimal(_ milliunits: Int64) -> String {
        let thousandths = String(milliunits % 1000 + 1000).dropFirst()
        let fraction = thousandths.last == "0" ? thousandths.dropLast() : thousandths
        return "\(milliunits / 1000).\(fraction)"
    }
}
