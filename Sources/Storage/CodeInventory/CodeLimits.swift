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

    /// Bytes of a code: those of `OfferCode`.
    static let codeBytes = 64

    /// What a temporary file is written with at once.
    static let spillBytes = 1024 * 1024

    /// Memory for reading all runs together, and what one of them gets at most and at least.
    static let mergeBytes = 32 * 1024 * 1024
    static let largestRunBuffer = 512 * 1024
    static let smallestRunBuffer = 4 * 1024

    /// When a loading transaction commits: with its commit it stays below the 50 ms that every writer keeps to.
    static let loadingNanoseconds: UInt64 = 20_000_000

    /// Blocks inserted between two looks at the clock: below a millisecond.
    static let blocksBetweenLooks = 32

    /// Bytes inserted in one transaction, so that a fast disk's log is moved into the file in small steps.
    static let loadingBytes = 8 * 1024 * 1024

    /// The pause after each loading transaction: longer than the first naps in which SQLite waits for a lock.
    static let loadingPauseMicroseconds: UInt32 = 3_000

    /// Blocks of a killed import that are removed in one transaction.
    static let blocksWiped = 2_000

    static let dayMilliseconds: Int64 = 24 * 60 * 60 * 1000
}
