import CampaignCore
import FoundationEssentials
@preconcurrency import Glibc
import Server
import Storage

/// A batch of offer codes imported while the service goes on, beside SQLite's own import of the same file.
enum CodeImportBench {
    static let bench = Bench(name: "codes", summary: "an import of offer codes while offers are signed", run: run)

    private static let clock = Server.Environment.systemMonotonicNanoseconds

    private static func run(_ session: BenchSession) throws(CommandError) {
        session.progress("the import of \(session.importedCodes) codes")
        let folder = try DemoFolder(
            folder: nil, listen: nil, subscriberCount: Limits.benchSubscribers, now: session.now)
        defer { folder.removeIfTemporary() }
        let file = folder.path + "/codes.csv"
        try writeCodes(session.importedCodes, to: file)
        let key = try folder.makeKey(role: .client, name: "bench", now: session.now)
        let first: ImportRun
        let again: ImportRun
        do {
            let server = try ServerProcess(configuration: folder.configurationPath, log: folder.path + "/serve.log")
            defer { server.stop() }
            var asked = try AskedMeanwhile(port: server.port, folder, key: key)
            first = try importCodes(file, into: folder, session.now, asking: &asked)
            tell(session, asked)
            again = try importCodes(file, into: folder, session.now, asking: &asked)
        }
        try folder.checkCodeBooks()
        session.progress("SQLite's own import of \(session.importedCodes) codes")
        let sqlite = try importBySQLite(file, into: folder.path + "/sqlite.db")
        if sqlite == nil {
            session.add(note: "There is no 'sqlite3' on PATH, so the import of codes has no yardstick.")
        }
        tell(session, first, again, sqlite: sqlite)
    }

    private static func tell(_ session: BenchSession, _ asked: AskedMeanwhile) {
        session.add(
            BenchFigure(
                bench: "codes",
                what: "\(Int(Limits.offersWhileImporting)) offers /s signed meanwhile: 99 of 100 come within",
                value: asked.offers.milliseconds(0.99), unit: .milliseconds,
                yardstick: .measured(
                    what: "/health/live at that rate", value: asked.bareAnswers.milliseconds(0.99)),
                target: .valueBelow(100)))
    }

    private static func tell(_ session: BenchSession, _ first: ImportRun, _ again: ImportRun, sqlite: Double?) {
        func add(_ what: String, _ value: Double, _ unit: BenchFigure.Unit, _ target: BenchFigure.Target? = nil) {
            session.add(BenchFigure(bench: "codes", what: what, value: value, unit: unit, target: target))
        }
        let yardstick = sqlite.map { BenchFigure.Yardstick.measured(what: "sqlite3 .import", value: $0) }
        session.add(
            BenchFigure(
                bench: "codes", what: "\(session.importedCodes) codes imported in", value: first.seconds,
                unit: .seconds, yardstick: yardstick, target: yardstick.map { _ in .ratioAtMost(0.3) }))
        add("CPU of the import", first.usage.cpuSeconds, .seconds)
        add("memory of the import", first.usage.residentBytes / 1_048_576, .mebibytes, .valueBelow(256))
        session.add(
            BenchFigure(
                bench: "codes", what: "the same file again, which changes nothing", value: again.seconds,
                unit: .seconds, yardstick: .measured(what: "the first time", value: first.seconds),
                target: .ratioAtMost(1)))
    }

    private static func writeCodes(_ count: Int, to path: String) throws(CommandError) {
        try writeNewFile(path, "")
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("cannot write '\(path)': \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var random = RandomCodes()
        var text: [UInt8] = []
        for number in 1...count {
            text += random.next()
            text.append(UInt8(ascii: "\n"))
            guard number == count || text.count >= Limits.codesWrittenBytes else { continue }
            if let failure = writeAll(text, to: descriptor) {
                throw .failed("cannot write '\(path)': \(String(cString: strerror(failure))); check the disk")
            }
            text.removeAll(keepingCapacity: true)
        }
    }

    /// One run of `codes import`.
    private struct ImportRun {
        let seconds: Double
        let usage: ChildProgram.Usage
    }

    /// Imports as a process of its own, and asks the server until it ends.
    private static func importCodes(
        _ file: String, into folder: DemoFolder, _ now: Instant, asking asked: inout AskedMeanwhile
    ) throws(CommandError) -> ImportRun {
        let day = "\(now.adding(milliseconds: 90 * Limits.dayMilliseconds))".prefix(10)
        let words = [
            "/proc/self/exe", "codes", "import", file, "--config", folder.configurationPath, "--offer", "SPRING",
            "--product", "reader.annual", "--expires", String(day),
        ]
        let log = folder.path + "/import.log"
        let began = clock()
        guard let child = ChildProgram.start(words, errorOutput: log) else {
            throw .failed("cannot start the import: \(String(cString: strerror(errno))); try again")
        }
        // It writes a line or two, which the pipe holds.
        while child.exitCodeSoFar() == nil { try asked.ask() }
        guard child.wait() == 0, let usage = child.usage else {
            let said = (try? readFile(log, limit: Limits.serverLogBytes)).map { String(decoding: $0, as: UTF8.self) }
            throw .failed("the import failed; it said: \(said?.split(separator: "\n").last ?? "nothing")")
        }
        return ImportRun(seconds: Double(clock() - began) / 1e9, usage: usage)
    }

    /// The seconds that SQLite's own program takes for the same file, into one column that is unique; nil without it.
    private static func importBySQLite(_ file: String, into path: String) throws(CommandError) -> Double? {
        let began = clock()
        let child = ChildProgram.start([
            "sqlite3", path, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
            "CREATE TABLE code (code TEXT UNIQUE)", ".import '\(file)' code",
        ])
        guard let child else { return nil }
        _ = child.readAll()
        guard child.wait() == 0 else { throw .failed("'sqlite3' could not import '\(file)'; check the disk") }
        return Double(clock() - began) / 1e9
    }
}

/// What a server is asked while something else goes on: signed offers, and in turns with them what needs no work.
private struct AskedMeanwhile {
    private(set) var offers = LoadResult(nanoseconds: [], seconds: 0)
    private(set) var bareAnswers = LoadResult(nanoseconds: [], seconds: 0)
    private let load: LoadGenerator
    private var offerRequests: LoadRequests
    private var bareRequests = LoadRequests.live

    init(port: UInt16, _ folder: DemoFolder, key: String) throws(CommandError) {
        load = try LoadGenerator(port: port)
        offerRequests = SignBench.offers(
            for: folder.subscribers.compactMap(\.transaction.originalTransactionId), key: key, formats: ["v1"])
        // The first answers fill caches and grow the database's first pages.
        _ = try load.run(&offerRequests, seconds: Limits.benchPhaseSeconds)
    }

    mutating func ask() throws(CommandError) {
        let (seconds, rate) = (Limits.importSliceSeconds, Limits.offersWhileImporting)
        offers = offers.and(try load.run(&offerRequests, seconds: seconds, rate: rate))
        bareAnswers = bareAnswers.and(try load.run(&bareRequests, seconds: seconds / 2, rate: rate))
    }
}

extension DemoFolder {
    /// Refuses an inventory whose counts, codes, claims and ledger do not agree.
    func checkCodeBooks() throws(CommandError) {
        let faults: [String]
        do throws(StorageError) {
            faults = try Store(reading: databasePath).codeFaults()
        } catch {
            throw .failed(error)
        }
        if let fault = faults.first { throw .failed("the books of the codes are wrong: \(fault)") }
    }
}
