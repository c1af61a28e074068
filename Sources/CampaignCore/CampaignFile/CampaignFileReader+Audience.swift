import FoundationEssentials
import YAML

extension CampaignFileReader {
    func audience(_ value: ValueReader?, places: inout CampaignPlaces) -> Audience {
        let nobody = Audience(bundleId: BundleID(""), environment: .production)
        let errors = diagnostics.errorCount
        defer { places.knowsAudience = value != nil && diagnostics.errorCount == errors }
        guard let value, let keys = value.mapping(keys: AudienceKey.self) else { return nobody }
        (places.bundleId, places.environment) = (value.mark, value.mark)
        let bundleId = keys.required(.bundleId, example: "com.example.reader").flatMap { value in
            places.bundleId = value.mark
            return identifier(value, wanted: "a bundle identifier such as 'com.example.reader'")
        }
        let environment = keys.required(.environment, example: "Production").flatMap { value in
            places.environment = value.mark
            return word(value, among: AppStoreEnvironment.inCampaigns, name: \.rawValue)
        }
        var products: [Placed<ProductID>] = []
        var groups: [Placed<SubscriptionGroupIdentifier>] = []
        let productId = keys.optional(.productId).flatMap { oneOf($0) { product($0, among: &products) } }
        let group = keys.optional(.subscriptionGroupIdentifier).flatMap { value in
            oneOf(value) { item -> SubscriptionGroupIdentifier? in
                guard let text = identifier(item, wanted: "a subscription group's identifier such as '21500001'") else {
                    return nil
                }
                groups.append(Placed(value: SubscriptionGroupIdentifier(text), mark: item.mark))
                return SubscriptionGroupIdentifier(text)
            }
        }
        let ownership = keys.optional(.inAppOwnershipType).flatMap { value in
            oneOf(value) { word($0, among: InAppOwnershipType.inCampaigns, name: \.rawValue) }
        }
        let storefront = keys.optional(.storefront).flatMap { oneOf($0, storefrontCode) }
        places.products = products
        places.groups = groups
        return Audience(
            bundleId: BundleID(bundleId ?? ""), environment: environment ?? .production, productId: productId,
            subscriptionGroupIdentifier: group, inAppOwnershipType: ownership, storefront: storefront)
    }

    /// A product of the catalogue, noted with its place.
    func product(_ value: ValueReader, among products: inout [Placed<ProductID>]) -> ProductID? {
        guard let text = identifier(value, wanted: "a product identifier such as 'reader.annual'") else { return nil }
        products.append(Placed(value: ProductID(text), mark: value.mark))
        return ProductID(text)
    }

    private func storefrontCode(_ value: ValueReader) -> String? {
        let wanted = "a storefront's three letters such as 'DEU'"
        guard let text = value.text(wanted: wanted) else { return nil }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard text.utf8.count == 3, text.utf8.allSatisfy(letters.contains) else {
            value.wrong(wanted: wanted)
            return nil
        }
        return text
    }

    /// `testCustomers` hold account tokens in lower case, or original transaction ids.
    func testCustomers(_ value: ValueReader) -> [String] {
        let wanted = "an appAccountToken, which is a UUID, or an originalTransactionId, which is a number"
        return list(value).compactMap { item in
            guard let text = item.text(wanted: wanted) else { return nil }
            if let token = UUID(strict: text) { return token.lowercaseString }
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            guard text.utf8.count <= CampaignLimits.nameBytes, text.utf8.allSatisfy(digits.contains) else {
                item.wrong(wanted: wanted)
                return nil
            }
            return text
        }
    }
}
