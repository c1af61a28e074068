/// Every bound of this target, with its reason.
enum Limits {
    /// How long a statement waits for another process's transaction.
    ///
    /// Writers keep theirs under 50 ms, so a hundred of them in a row fit, and a client's own timeout is longer.
    static let busyTimeoutMilliseconds: Int32 = 5_000

    /// The pause between two attempts to switch a new file to WAL, for which SQLite itself does not always wait.
    static let walRetryPauseMilliseconds: Int32 = 10

    /// Prepared statements kept by one connection; the store has a few dozen, so none is prepared twice.
    static let cachedStatements = 128

    /// Memory that a prepared statement has for its bound values: a grant with its answer fits.
    static let boundBytes = 2 * 1024

    /// More than this is given back once a statement has run, so that one large value does not keep it.
    static let boundBytesKept = 64 * 1024

    /// Page cache of a connection that writes: random keys of the newest grants stay in memory.
    static let writerCacheKibibytes: Int64 = 32 * 1024

    /// Page cache of a connection that reads: there is one for each loop, and together they stay small.
    static let readerCacheKibibytes: Int64 = 4 * 1024

    /// The write-ahead log is cut back to this after a checkpoint, so that one large import does not keep the disk.
    static let walBytesKept: Int64 = 64 * 1024 * 1024

    /// Pages in the write-ahead log before they are moved into the file: 32 MiB, so that a page which several batches
    /// change is moved once.
    static let walPagesBeforeCheckpoint = 8_000

    /// Connections that wait in a `ReaderPool`; a server has one event loop for each core.
    static let idleReaders = 16

    /// Subscriptions read for one customer: an account has one in each group, and a family or a test account a few more.
    static let subscriptionsRead = 100

    /// Subscriptions read at a time by a walk through the whole base: with their transactions about a megabyte, in some
    /// ten milliseconds.
    static let subscriptionsInPage = 500

    /// Free bytes below which a volume counts as full: a commit of 128 requests writes about half of it.
    static let freeBytesForWrites: Int64 = 1024 * 1024

    /// Transactions read for one customer, newest first: a weekly subscription needs nine years to get there.
    static let transactionsRead = 500

    /// Grants read of one subscription: a purchase attempt a day for more than a year.
    static let grantsRead = 500

    /// What campaigns gave one subscription that is read: caps and the guard count a year at most, and one a day fits.
    static let campaignGrantsRead = 500

    /// Grants of one offer that a transaction may have redeemed, newest first: each purchase attempt asks for one.
    static let grantsRedeemable = 20

    /// Versions of one subscription's transactions that are read for them: Apple signs each anew for every notification,
    /// some three in a month.
    static let versionsRead = 5_000

    /// What one step of a copy may take: as long as a transaction of any writer (design, section 1).
    static let copyStepNanoseconds: UInt64 = 50_000_000

    /// Pages of the first step of a copy: 256 KiB, which the slowest disk gives in time.
    static let firstCopyStepPages: Int32 = 64

    /// Pages of the largest step: 16 MiB, beyond which larger steps are no faster.
    static let largestCopyStepPages: Int32 = 4096

    /// Faults listed by an integrity check; one is enough to restore a backup.
    static let integrityFaultsListed = 20

    /// Bytes of the name of an API key; it is written into every grant.
    static let apiKeyNameBytes = 100

    /// Bytes of a signed payload that is taken apart for the log, and of one that is read back: what a route accepts.
    static let payloadBytes = 1024 * 1024

    /// Bytes of a JWS header that is kept for many payloads: three certificates in base64 take 4.4 KB.
    static let jwsHeaderBytes = 32 * 1024

    /// Signatures inside one payload that are taken apart: a notification has two.
    static let innerSignatures = 8

    /// JWS headers that a connection knows by heart: Apple has one chain at a time, tests a few.
    static let knownHeaders = 16

    /// Entries of one subscription's history, newest kept: thirty years of monthly renewals.
    static let historyEntries = 1_000

    /// Log entries or subscriptions that a replay takes at a time: their rows are written in some 5 ms.
    static let rowsReplayed = 200

    /// The pause after each transaction of a replay: longer than the first naps in which SQLite waits for a lock.
    static let replayPauseMicroseconds: UInt32 = 3_000

    /// Log entries that retention removes in one transaction: half a megabyte of pages, some 10 ms.
    static let entriesPruned = 500

    /// Grants that an erasure looks at in one read.
    static let grantsLookedAt = 1_000
}
