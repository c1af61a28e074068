/// How much this target reads before it gives up.
public enum CryptoLimits {
    /// A P-256 key is under 400 bytes; a file much larger than that is something else, and is not read into memory.
    public static let keyFileBytes = 16 * 1024

    /// A folder of root certificates as one PEM file; a system's whole store is under 256 KiB.
    public static let pemBytes = 1024 * 1024

    /// A system's store has under 200 certificates.
    public static let pemBlocks = 1000

    /// Apple's certificates have under 1.1 KiB; a larger one is not worth its parsing.
    public static let certificateBytes = 16 * 1024

    /// Random bytes fetched at once, for 128 UUIDs; a whole number of them.
    static let randomBytesFetched = 128 * 16

    /// Contexts that one key keeps ready to verify: one for each thread that verifies at the same time.
    static let readyContexts = 8
}
