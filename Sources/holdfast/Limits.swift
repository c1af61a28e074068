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

    /// A file that is one JSON document: a page of the App Store Server API's notification history has some 400 KB.
    static let wholeFileBytes: Int64 = 8 * 1024 * 1024

    /// What a reader of lines asks the system for at once.
    static let lineReaderBytes = 256 * 1024

    /// Notifications that an import commits together: about 10 ms of work, so that the service hardly waits.
    static let importBatch = 64

    /// How much earlier than a notification what it carries may be signed: Apple takes the same millisecond mostly.
    static let innerSignatureMilliseconds: Int64 = 60_000

    /// Subscriptions that a replay lists one by one; a change of rules may touch every one.
    static let differencesTold = 1_000

    /// Refused lines that are told one by one; a file of the wrong kind has as many as it has lines.
    static let refusedLinesTold = 50

    /// Bytes of a path, and of a name that somebody else chose, that a message repeats.
    static let quotedPath = 256
    static let quotedName = 96

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

    /// Subscribers whose lives the demo tells and signs together: enough work for every core.
    static let demoBatch = 64

    /// Lives that one thread of the demo tells and signs before it takes the next ones.
    static let demoSlice = 4

    /// The number of the first life of a demo: those of 'simulate' begin at 0 and stay below, so that both fit into one
    /// folder.
    static let demoFirstSubscriber = 10_000_000

    /// Subscribers of the demo that stay in memory, for its page, its jobs and benchmarks.
    static let demoSubscribersKept = 1_000

    /// Lives among which the demo looks for the people of its page: each kind is found among a few dozen.
    static let demoCastSearched = 1_000

    /// A demo's folder that is used again within this time keeps its subscribers; later new ones join them, for what
    /// was about to happen to the first ones has not happened.
    static let demoFreshMilliseconds: Int64 = 12 * 60 * 60 * 1000

    /// Codes that a demo loads: more than the 500 below which an offer is low.
    static let demoCodes = 1_000

    /// How long they can be redeemed: less than the six months of the App Store, and longer than what is loaded beside
    /// them to try it, which then goes first.
    static let demoCodesLastMilliseconds: Int64 = 150 * dayMilliseconds

    /// How long `bench` measures in all unless it is told.
    static let benchSeconds = 15

    /// The shortest phase of a benchmark: 30 of the 10 ms steps in which the system counts CPU time.
    static let benchPhaseSeconds = 0.3

    /// Campaigns of a benchmark's decision.
    static let benchCampaigns = 50

    /// Customers of a benchmark, so that not all requests are for one; their rows fit into any cache.
    static let benchSubscribers = 200

    /// Notifications that `bench` signs for each second in which it posts them: more than two cores take in, and each
    /// has 19 KB.
    static let notificationsPerSecond = 4_000.0

    /// The most of them, 400 MB; a longer phase ends when they are posted.
    static let notificationsPrepared = 20_000

    /// Codes that `bench codes` imports for each second that `bench` may take: a tenth of that second, with SQLite's own
    /// import of them.
    static let codesImportedPerSecond = 10_000.0

    /// Signed offers that are asked for in each second of an import: a large app's evening.
    static let offersWhileImporting = 300.0

    /// Bytes of codes that are written at once.
    static let codesWrittenBytes = 1024 * 1024

    /// How long offers, and then bare answers, are asked for in turns while an import goes on.
    static let importSliceSeconds = 0.5

    /// Claims that `bench` prepares for each second in which it sends them: more than two cores answer.
    static let claimsPerSecond = 30_000.0

    /// The most of them, 80 MB; a longer phase ends when they are sent.
    static let claimsPrepared = 150_000

    /// Simulated subscribers have more notifications than this in a year, most of them.
    static let notificationsEach = 8

    static let dayMilliseconds: Int64 = 24 * 60 * 60 * 1000

    /// Subscribers that `bench start` stores for each second that `bench` may take: a tenth of that second.
    static let subscribersStoredPerSecond = 2_000.0

    /// Subscribers that it stores in one transaction; nobody else waits for the database.
    static let subscribersStoredTogether = 10_000

    /// How long a started server is left alone before its memory is looked at.
    static let idleMilliseconds: UInt32 = 1_000

    /// How often a starting server is asked whether it is ready.
    static let readyPauseMicroseconds: UInt32 = 500

    /// Connections of a benchmark's load, as the design's figures have it.
    static let loadConnections = 64

    /// Bytes of one answer that the load generator holds; an answer with both formats has about 1.5 KiB.
    static let loadAnswerBytes = 16 * 1024

    /// Bytes of the log of a server that did not start; it has a line or two.
    static let serverLogBytes = 1024 * 1024

    /// Samples a second of a profile: many for each phase, and never in step with a clock of the system.
    static let profileSamplesPerSecond = 997

    /// Samples below which a profile tells nothing: with 200, a share of a tenth is right within a fifth of itself.
    static let profileSamplesNeeded = 200

    /// Subscribers whose simulated notifications are put in order of arrival; each takes about 20 KB of memory.
    static let orderedSubscribers = 5000

    /// Subscribers simulated together when there are more, so that memory does not grow with them.
    static let simulatedBatch = 256

    /// Simulated notifications signed before they are written; each takes about 19 KB.
    static let signedAtOnce = 1024

    /// Simulated notifications that one thread signs before it takes the next ones; making its signer takes as long as
    /// signing one.
    static let signedBySlice = 64

    /// Connections over which simulated notifications are posted: enough to keep a server's loops busy.
    static let postingConnections = 16

    /// What a code file is read in: few system calls, and it stays in a processor's cache.
    static let codeFileBytes = 256 * 1024

    /// Bytes of the reason that a code was released or voided for: a sentence or two.
    static let codeReasonBytes = 500

    /// Bytes of a line of a mailing: an id and what else a CRM exports with it.
    static let customerLineBytes = 64 * 1024

    /// Customers whose codes are claimed in one transaction: about 10 ms of work, so that the service hardly waits.
    static let claimBatch = 100

    /// Refused lines of code files that are told one by one; '--rejects' writes all.
    static let refusedCodesTold = 50

    /// Between two looks at the campaign folder: a change is in force within three of them.
    static let campaignLookSeconds = 2

    /// Faults of campaign files that one line of the log tells.
    static let campaignFaultsTold = 3
}
