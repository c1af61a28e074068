import CampaignCore
import FoundationEssentials
@preconcurrency import Glibc
import Server
import Storage

/// A server that starts with many subscribers stored: how soon it is ready, and what memory it takes when idle.
enum StartBench {
    static let bench = Bench(name: "start", summary: "a server's start with many subscribers stored, its idle memory") {
        session throws(CommandError) in try run(session)
    }

    private static func run(_ session: BenchSession) throws(CommandError) {
        session.progress("the start of a server")
        let folder = try DemoFolder(folder: nil, listen: nil, subscriberCount: 0, now: session.now)
        defer { folder.removeIfTemporary() }
        let key = try folder.makeKey(role: .client, name: "bench", now: session.now)
        let stored = StoredSubscribers(count: session.storedSubscribers, now: session.now)
        let clock = Server.Environment.systemMonotonicNanoseconds
        let began = clock()
        let bytes = try store(stored, in: folder)
        add(session, "\(stored.count) subscribers stored in", Double(clock() - began) / 1e9, .seconds)
        add(session, "the database they are in", Double(bytes) / 1_048_576, .mebibytes)
        dropFromCache(folder.databasePath)

        let start = clock()
        let server = try ServerProcess(configuration: folder.configurationPath, log: folder.path + "/serve.log")
        defer { server.stop() }
        let client = HTTPClient(port: server.port)
        try waitUntilReady(client)
        add(session, "ready after its start", Double(clock() - start) / 1e6, .milliseconds, below: 200)
        usleep(Limits.idleMilliseconds * 1_000)
        add(session, "memory when idle", try server.residentBytes() / 1_048_576, .mebibytes, below: 64)
        let asked = clock()
        try tell(Int.random(in: 0..<stored.count), of: stored, client, key)
        add(session, "one subscriber is told, connection included", Double(clock() - asked) / 1e3, .microseconds)
    }

    private static func add(
        _ session: BenchSession, _ what: String, _ value: Double, _ unit: BenchFigure.Unit, below limit: Double? = nil
    ) {
        session.add(
            BenchFigure(
                bench: "start", what: what, value: value, unit: unit, target: limit.map { .valueBelow($0) }))
    }

    /// The size of the file afterwards; the store is closed, and its write-ahead log with it.
    private static func store(_ stored: StoredSubscribers, in folder: DemoFolder) throws(CommandError) -> Int64 {
        do {
            let store = try Store(folder.databasePath, now: stored.now)
            try stored.write(to: store)
            return try store.size().file
        } catch {
            throw .failed(error)
        }
    }

    /// As after the machine's own start; where the system refuses, the file is read from memory.
    private static func dropFromCache(_ path: String) {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return }
        fsync(file)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        close(file)
    }

    private static func waitUntilReady(_ client: HTTPClient) throws(CommandError) {
        do {
            while try client.send("GET", "/health/ready").status != 200 { usleep(Limits.readyPauseMicroseconds) }
        } catch {
            throw .failed(error)
        }
    }

    /// Asks for one subscriber and compares the answer with what was stored.
    private static func tell(
        _ index: Int, of stored: StoredSubscribers, _ client: HTTPClient, _ key: String
    ) throws(CommandError) {
        let (transaction, renewal) = stored.facts(index)
        let name = transaction.originalTransactionId.rawValue
        let path = "/v1/subscribers/\(name)?bundleId=\(DemoFolder.bundleId)&environment=Production"
        let answer: HTTPClient.Answer
        do {
            answer = try client.send("GET", path, bearer: key)
        } catch {
            throw .failed(error)
        }
        let told = JSON.read(answer.body)
        guard answer.status == 200, told?["originalTransactionId"]?.string == name,
            told?["status"]?.string == "active",
            told?["expiresDate"]?.integer == transaction.expiresDate?.millisecondsSince1970,
            told?["autoRenewStatus"]?.string == renewal.autoRenewStatus?.name
        else { throw .failed("subscriber '\(name)' is not told as it was stored; the database is wrong") }
    }
}
