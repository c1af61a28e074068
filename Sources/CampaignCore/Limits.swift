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

    /// Changes of offset in one zone's file; the most that a zone of the system's table has is about 240.
    static let timeZoneChanges = 10_000

    /// Characters of an offer code: App Store Connect allows 64 for one's own, and makes 18 itself.
    static let offerCodeBytes = 64

    /// Letters and digits from which on a text that is no code is masked in messages: Apple's codes have 18.
    static let maskedTextCharacters = 8

    /// Bytes of one line of a code file: a code with its link takes about 150.
    static let codeLineBytes = 4096

    /// Bytes of a customer's id: a UUID, a number or an address fits.
    static let codeCustomerBytes = 255

    /// How much later than Apple's clock ours may have put a claim that came before its redemption.
    static let claimClockSkewMilliseconds: Int64 = 60_000

    /// Claims in one or two hours below which no pace is unusual: a forum's thread has as many.
    static let unusualClaims: Int64 = 100

    /// How many times the pace of the week before is unusual: a working day has three to four times its mean.
    static let unusualPace = 10.0

    /// How far back what looks like abuse is counted: a year.
    static let abuseMilliseconds: Int64 = 365 * 24 * 60 * 60 * 1000

    /// More than any day of a calendar lasts: one in which the clocks go back, or a zone that moves across the date line.
    static let longestDayMilliseconds: Int64 = 50 * 60 * 60 * 1000
}
