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
