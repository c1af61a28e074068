/// What the core refuses to go beyond, so that no input can make it slow or large without end.
enum Limits {
    /// Xcode's file of an app with all 10,000 products that App Store Connect allows stays below this.
    static let storeKitFileBytes = 16 * 1024 * 1024

    /// Xcode nests seven levels; deeper text is no StoreKit configuration file, and the parser recurses.
    static let jsonDepth = 32

    /// Values in one file; far beyond 10,000 products with every offer, and it bounds the memory of a tree.
    static let jsonValues = 1_000_000

    /// Places in a text are counted in 32 bits, and strings without their escapes go behind its end; no text of ours is
    /// this long.
    static let jsonBytes = 1 << 30

    /// Values that a text has room for before its list of them grows; a transaction of the App Store has thirty.
    static let jsonUsualValues = 32

    /// Keys of one object that are compared one by one; with more, hashing them is cheaper.
    static let jsonKeysCompared = 64

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

    /// Of a signed fact: 1970 to 9999, the years that every text and database of ours can write.
    static let dates =
        Instant(millisecondsSince1970: 0)...Instant(millisecondsSince1970: 253_402_300_799_999)

    /// How long before its period a renewal info may be signed and still be about it; Apple signs the two within
    /// seconds of each other.
    static let renewalInfoLeadMilliseconds: Int64 = 60 * 1000

    /// Apple tries a failed payment for 60 days from the failed renewal, the grace period included.
    static let billingRetryMilliseconds: Int64 = 60 * 24 * 60 * 60 * 1000

    /// Apple sells no period below three days, so a shorter one of an unknown product is an accelerated one.
    static let shortestRealPeriodMilliseconds: Int64 = 2 * 24 * 60 * 60 * 1000

    /// Between the end of a period and the begin of the next in an unbroken subscription; Apple may charge a day early.
    static let renewalGapMilliseconds: Int64 = 24 * 60 * 60 * 1000

    /// Apple keeps a customer's local hour, so months across a change to summer time are an hour short in UTC.
    static let clockChangeMilliseconds: Int64 = 60 * 60 * 1000
}
