/// Every bound of the server, each with its reason.
enum Limits {
    /// Event loops: one a core of the smallest machine we serve on; more only take turns.
    static let eventLoops: UInt32 = 2
    /// Body bytes of a JSON route: a signed transaction is 4 KiB, a notification about 19 KiB (design, section 4).
    static let bodyBytes = 256 * 1024
    /// Header memory of one connection: a device key and common proxy headers fit many times over.
    static let connectionMemory = 16 * 1024
    /// Connections in all: each costs about 40 KiB, so this many stay under 400 MiB.
    static let connections: UInt32 = 10_000
    /// Seconds without a byte before a connection is closed.
    static let idleSeconds: UInt32 = 60
    /// Connections the kernel may hold before we take them.
    static let listenBacklog: Int32 = 1024
    /// Requests in one commit: enough to share an fsync, few enough to stay within the 50 ms that other writers wait.
    static let laneBatch = 128
    /// Requests waiting for the lane; beyond it new ones are told to come back.
    static let laneQueue = 10_000
    /// API keys remembered; an installation has a few for each app.
    static let knownKeys = 1_000
    /// Seconds told to a client that comes back after a fault of ours.
    static let retryAfterSeconds = 1
    /// A stopping server looks this often whether all answers have left.
    static let drainRoundMicroseconds: UInt32 = 10_000
    /// How often it looks at most: 10 s in all, so that a client that never ends its request cannot hold it.
    static let drainRounds = 1_000
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
    /// Lines of the log that wait for its thread: at about 300 bytes a line this is 3 MB, and seconds of a flood.
    static let logQueue = 10_000
    /// Lines that are handed over in one call.
    static let logBatch = 256
    /// Whoever waits for the log looks this often whether all has left.
    static let logFlushRoundMicroseconds: UInt32 = 1_000
    /// How often it looks at most: a second in all, so that a reader that stands still cannot hold a stopping server.
    static let logFlushRounds = 1_000
}
