/// Every bound of the inventory of offer codes, with its reason.
enum CodeLimits {
    /// Codes in one row of `code_block`: with their line ends 200 codes of 18 characters fill a page of 4 KiB. It is
    /// part of how positions are stored and never changes.
    static let codesInBlock: Int64 = 200

    /// Bits of the number of a block within its batch.
    static let blockBits: Int64 = 32

    /// Codes sorted in memory at a time; with their text they take about 45 MB.
    static let sortedEntries = 1_000_000

    /// Bytes of their text, which is reached first when codes are long.
    static let sortedBytes = 32 * 1024 * 1024

    /// Bytes of a batch's name: an offer, a day and a word or two.
    static let batchNameBytes = 100

    /// Bytes of a code: those of `OfferCode`.
    static let codeBytes = 64

    /// What a temporary file is written with at once.
    static let spillBytes = 1024 * 1024

    /// Memory for reading all runs together, and what one of them gets at most and at least.
    static let mergeBytes = 32 * 1024 * 1024
    static let largestRunBuffer = 512 * 1024
    static let smallestRunBuffer = 4 * 1024

    /// When a loading transaction commits, unless it has so many bytes before: far below the 50 ms that every writer keeps
    /// to, because SQLite waits for a lock in naps and a waiting writer finds it free only by chance.
    static let loadingNanoseconds: UInt64 = 5_000_000
    static let loadingBytes = 1024 * 1024

    /// Blocks inserted between two looks at the clock: below a millisecond.
    static let blocksBetweenLooks = 32

    /// The pause after each loading transaction: longer than it takes, so that others get more than half of the time.
    static let loadingPauseMicroseconds: UInt32 = 6_000

    /// Blocks of a killed import that are removed in one transaction.
    static let blocksWiped = 2_000

    /// A millisecond each: how long the number of a batch that was just wiped is waited for.
    static let lockAttempts = 30

    static let dayMilliseconds: Int64 = 24 * 60 * 60 * 1000
}
