/// How much this target reads before it gives up.
public enum AppStoreLimits {
    /// Apple's largest notifications have about 19 KB; the service reads bodies of at most 256 KiB anyway.
    public static let jwsBytes = 256 * 1024

    /// The header's part, encoded: Apple's has 4.4 KB, nearly all of it the three certificates.
    public static let jwsHeaderBytes = 32 * 1024

    /// Apple has a handful of leaf certificates in use at a time, each with one chain.
    public static let verifiedChains = 64

    /// How much of an unproven value, such as the name of an algorithm, an error repeats.
    public static let quotedCharacters = 24
}

/// How far a diagnosis goes.
public enum SignatureCheckLimits {
    /// Mistakes in what was signed that are found together; the number of trials grows with this power.
    public static let mistakesTogether = 2

    /// Verifications for one V1 signature, at about 80 us each: under two seconds on one core.
    ///
    /// Without a catalogue a search ends far below this; with thousands of products pairs of mistakes that involve
    /// another product are tried until the number is reached.
    public static let verifications = 20_000

    /// A signature has 96 characters; encoded twice and in hexadecimal it still has under 600.
    public static let signatureCharacters = 4096

    /// Encodings around each other, such as Base64 of Base64 of DER.
    public static let encodingLayers = 4

    /// A JWS of ours has under 800 characters.
    public static let jwsCharacters = 64 * 1024

    /// Characters of a received value that a sentence repeats.
    public static let quotedCharacters = 80

    /// Characters of a key's name that a sentence repeats: it may be a path, whose end tells the most.
    public static let keyNameCharacters = 4096

    /// Products that a sentence lists by name.
    public static let listedProducts = 5

    /// Clocks of servers differ by this much without anyone noticing.
    public static let clockSkewMilliseconds: Int64 = 5 * 60 * 1000
}
