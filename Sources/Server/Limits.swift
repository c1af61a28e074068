/// Every bound of the server, each with its reason.
enum Limits {
    /// Event loops: one a core of the smallest machine we serve on; more only take turns.
    static let eventLoops = 2
    /// Rounds of a loop in which a request without an answer is asked for one before it is suspended: a commit takes a
    /// few, and ten thousand requests that wait for a stuck database cost nothing any more.
    static let roundsAwake = 50
    /// How long a loop sleeps at most while requests wait and the library may have other work: hardly ever has it any.
    static let unsureMilliseconds: Int32 = 5
    /// Body bytes of a JSON route: a signed transaction is 4 KiB, a notification about 19 KiB (design, section 4).
    static let bodyBytes = 256 * 1024
    /// Freed memory that each thread keeps for its next request: a few bodies of notifications with all that is made of
    /// them.
    static let freedMemoryKept: Int32 = 1024 * 1024
    /// Header memory of one connection: a device key and common proxy headers fit many times over.
    static let connectionMemory = 16 * 1024
    /// Connections in all: ten thousand slow ones leave room for others, and each costs about 40 KiB, 640 MiB in all.
    static let connections = 16_000
    /// Connections of one IPv4 address or IPv6 /64: the devices behind a company's or a carrier's address fit, and no
    /// one address can take a tenth of all. Proxies of ours and this machine itself are not counted.
    static let connectionsPerNetwork = 1_000
    /// Descriptors for everything but connections: the database's files, readers, logs, event loops.
    static let otherDescriptors = 256
    /// For a whole request, headers and body: 256 KiB in this time need 70 kbit/s, which every mobile network gives.
    static let requestMilliseconds: Int64 = 30_000
    /// Between two requests on one connection: about what proxies in front of us keep theirs open.
    static let idleMilliseconds: Int64 = 60_000
    /// For the client to take an answer, which is a few KiB.
    static let answerMilliseconds: Int64 = 30_000
    /// For the lane to begin a request: clients give up at about this time, and a signature nobody waits for is waste.
    static let laneMilliseconds: Int64 = 20_000
    /// Bytes of a code file: 26 million codes of 18 characters (design, section 4).
    static let uploadBytes = 512 * 1024 * 1024
    /// Code files that are received or loaded at once; each keeps its bytes in a file beside the database.
    static let uploads = 4
    /// How long an answer to a claim is given again: as long as one with a signature.
    static let claimAnswerMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// Refused lines of a code file that an answer lists; a file of the wrong kind has as many as it has lines.
    static let refusedLinesTold = 50
    /// How often the stock of codes is looked at: an alarm that is a minute late is early enough.
    static let stockRoundMilliseconds: Int64 = 60_000
    /// How long a pool that drains fast is told once.
    static let drainAlarmMilliseconds: Int64 = 60 * 60 * 1000
    /// How often deadlines are looked at: a fraction of the shortest one.
    static let sweepMilliseconds: Int32 = 250
    /// Connections cut in one round: two milliseconds' work for the loops that close them.
    static let cutsInSweep = 100
    /// The pause after a round that left some: ten thousand are cut within five seconds.
    static let crowdedSweepMilliseconds: Int32 = 50
    /// Bytes of all bodies together: a queue full of signed transactions fits, and thousands of clients that each hold
    /// back the end of a large body cannot fill the memory.
    static let bodyBytesInAll = 128 * 1024 * 1024
    /// Bytes of a body without an announced length that are read before its client is told that it is too large, which
    /// the library allows at its end only; a longer one is cut.
    static let drainedBodyBytes = 4 * 1024 * 1024
    /// Connections the kernel may hold before we take them.
    static let listenBacklog: Int32 = 1024
    /// Requests in one commit: enough to share an fsync, few enough to stay within the 50 ms that other writers wait.
    static let laneBatch = 128
    /// Requests of a batch beyond which no more join it: a commit for fewer costs each of them more, and while the lane
    /// takes in more, the event loops wait for work.
    static let joinedLaneBatch = 24
    /// Requests waiting for the lane; beyond it new ones are told to come back.
    static let laneQueue = 10_000
    /// Codecs kept for packing notifications: one for each event loop, and some for other threads.
    static let idleCodecs = 8
    /// API keys remembered; an installation has a few for each app.
    static let knownKeys = 1_000
    /// Time zones remembered by a lane: the world has about 600 names.
    static let knownZones = 1_000
    /// How long an offer that needs no signature is given again for the same request: as long as one with a signature.
    static let offerAnswerMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// Bytes of an app's word about a purchase that failed; StoreKit's own errors take a fraction of it.
    static let outcomeErrorBytes = 1_000
    /// Seconds told to a client that comes back after a fault of ours.
    static let retryAfterSeconds = 1
    /// Requests that one customer's devices may make at once: a purchase takes one or two, an impatient thumb a few.
    static let customerBurst = 10
    /// After those, one more each time: ten a minute.
    static let customerMilliseconds: Int64 = 6_000
    /// Requests of device keys from one IPv4 address or IPv6 /64 at once: a campaign that reaches a carrier's or a
    /// company's shared address in the same minute.
    static let networkBurst = 600
    /// After those, one more each time: twenty a second.
    static let networkMilliseconds: Int64 = 50
    /// Customers, and networks, remembered by their limits in each of two generations: 100 bytes each, 20 MB in all.
    static let rateLimitEntries = 50_000
    /// When the log is first looked at for entries that are too old: a start and its first requests come before it.
    static let retentionStartMilliseconds: Int64 = 20_000
    /// Between two rounds: entries are kept for months, and a day more or less is no matter.
    static let retentionRoundMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// After a piece that failed: a full disk or a long copy is over in minutes or needs an operator.
    static let retentionRetryMilliseconds: Int64 = 10 * 60 * 1000
    /// A stopping server looks this often whether all answers have left.
    static let drainRoundMicroseconds: UInt32 = 10_000
    /// How often it looks at most: 10 s in all, so that a client that never ends its request cannot hold it.
    static let drainRounds = 1_000
    /// How long the answers to code files that were given up may take to leave: a second.
    static let givenUpRounds = 100
    /// Rounds in a row without an open request before the connections are closed: a request that was on its way is read.
    static let quietDrainRounds = 3
    /// Characters of an identifier that Apple issues or App Store Connect accepts; longer ones exist nowhere.
    static let identifierLength = 256
    /// Bytes of a sent value that an error repeats.
    static let quotedValue = 64
    /// Bytes of a file of root certificates; one certificate has about 600.
    static let rootCertificateBytes = 256 * 1024
    /// Bytes of a StoreKit configuration file; one with a hundred products has about 300 KiB.
    static let catalogBytes = 16 * 1024 * 1024
    /// Lines of one kind that strangers can cause, written at once: enough to see what goes on.
    static let logBurst = 20
    /// After those, one more each time: one a second, 20 MB a day however hard the flood.
    static let logMilliseconds: Int64 = 1_000
    /// How long lines that were left out wait until one line tells their number.
    static let logLeftOutMilliseconds: Int64 = 10_000
    /// Lines of the log that wait for its thread: at about 300 bytes a line this is 3 MB, and seconds of a flood.
    static let logQueue = 10_000
    /// Lines that are handed over in one call.
    static let logBatch = 256
    /// Whoever waits for the log looks this often whether all has left.
    static let logFlushRoundMicroseconds: UInt32 = 1_000
    /// How often it looks at most: a second in all, so that a reader that stands still cannot hold a stopping server.
    static let logFlushRounds = 1_000

    /// Files of campaigns in one folder; every decision asks all of an app's, one after another.
    static let campaignFiles = 1000
}
