/// What the core refuses to go beyond, so that no input can make it slow or large without end.
enum Limits {
    /// Xcode's file of an app with all 10,000 products that App Store Connect allows stays below this.
    static let storeKitFileBytes = 16 * 1024 * 1024

    /// Xcode nests seven levels; deeper text is no StoreKit configuration file, and the parser recurses.
    static let jsonDepth = 32

    /// Values in one file; far beyond 10,000 products with every offer, and it bounds the memory of a tree.
    static let jsonValues = 1_000_000

    /// Keys of one object that are compared one by one; with more, hashing them is cheaper.
    static let jsonKeysCompared = 16

    /// App Store Connect allows 10,000 products for one app.
    static let catalogProducts = 10_000

    /// Of one kind on one subscription: Apple allows 350 win-back offers and ten of each other kind.
    static let catalogOffersOfOneKind = 500

    /// Bytes of UTF-8 in a product, offer or group identifier; App Store Connect's own limits are shorter.
    static let identifierBytes = 255

    /// Bytes reserved for the text of a V1 signature: identifiers of usual length, two UUIDs and the separators fit.
    static let signingInputBytes = 256

    /// Findings listed for one file; the rest are only counted, because nobody reads on.
    static let catalogFindings = 200

    /// Digits of a period's number and of `numberOfPeriods`; Apple's longest are `P18M` and 12.
    static let periodDigits = 3

    /// Products that a refusal lists by name.
    static let listedProducts = 3
}
