extension OfferType {
    private static let names: [(type: Self, name: String)] = [
        (.introductoryOffer, "introductoryOffer"), (.promotionalOffer, "promotionalOffer"),
        (.offerCode, "offerCode"), (.winBackOffer, "winBackOffer"), (.retentionOffer, "retentionOffer"),
    ]

    /// The types that have a word.
    public static var named: [Self] { names.map(\.type) }

    /// `promotionalOffer` and the like; the number as text for a type that is new.
    public var name: String { Self.names.first { $0.type == self }?.name ?? String(rawValue) }
}
