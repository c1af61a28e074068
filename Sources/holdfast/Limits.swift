/// The sizes that this target keeps to, each with its reason.
enum Limits {
    /// Standard output is handed over in pieces of this size: big enough that a long CSV costs few system calls.
    static let outputBufferBytes = 64 * 1024

    /// Help is wrapped at this width, the narrowest terminal people use.
    static let helpColumns = 80

    /// A StoreKit configuration file is judged by its reader, which takes at most 16 MiB; this only bounds the memory.
    static let catalogFileBytes = 32 * 1024 * 1024

    /// Apple's largest payloads have about 19 KB, and the service reads at most 256 KiB.
    static let payloadFileBytes = 512 * 1024

    /// A folder of root certificates as one PEM file; a system's whole store is under 256 KiB.
    static let certificateFileBytes = 1024 * 1024

    /// Below this SQLite may not finish a checkpoint, and every answer would be a 503.
    static let freeBytesNeeded: Int64 = 100 * 1024 * 1024

    /// Room for the log of some 100,000 notifications of 10 KB.
    static let freeBytesWanted: Int64 = 1024 * 1024 * 1024

    /// 2026-01-01: no clock is right before this program was written.
    static let earliestClock: Int64 = 1_767_225_600_000

    /// 2039-04-30: Apple Root CA - G3 ends, and this program with it.
    static let latestClock: Int64 = 2_187_734_400_000

    /// How far a file of another machine may be ahead before our clock is in doubt.
    static let clockSkewMilliseconds: Int64 = 5 * 60 * 1000

    /// How long the demo's client waits for a piece of an answer; the server answers in milliseconds.
    static let clientTimeoutSeconds = 30

    /// Subscribers that the demo records in one transaction, so that others never wait for long.
    static let demoBatch = 500
}
