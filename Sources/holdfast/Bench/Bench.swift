import CampaignCore

/// One thing to measure; each is a file of its own.
struct Bench: Sendable {
    let name: String
    /// What is measured, in a few words.
    let summary: String
    let run: @Sendable (BenchSession) throws(CommandError) -> Void

    /// In the order in which they run.
    static let all = [
        SignatureBench.bench, DecideBench.bench, SignBench.bench, NotificationBench.bench, CodeImportBench.bench,
        ClaimBench.bench,
        StartBench.bench,
    ]
}

/// One measured figure.
struct BenchFigure {
    let bench: String
    /// What was measured, with its unit's meaning: `V1, CPU of the server for each request`.
    let what: String
    let value: Double
    let unit: Unit
    var yardstick: Yardstick?
    var target: Target?

    enum Unit: String {
        case microseconds = "us"
        case milliseconds = "ms"
        case perSecond = "/s"
        case seconds = "s"
        case bytes = "bytes"
        case mebibytes = "MiB"
    }

    enum Yardstick {
        /// One signature or one verification, as measured in the same run.
        case signature
        case verification
        case measured(what: String, value: Double)
    }

    enum Target {
        case ratioAtMost(Double)
        case valueBelow(Double)
        case valueAbove(Double)
    }
}

/// Where the server's time went: one library on one kind of thread.
struct ProfileLine {
    /// What was asked for meanwhile.
    let load: String
    let thread: String
    let library: String
    let percent: Double
    let microseconds: Double

    func of(_ load: String) -> ProfileLine {
        ProfileLine(load: load, thread: thread, library: library, percent: percent, microseconds: microseconds)
    }
}

/// What all benches of one run share: how long they may take, the yardstick, and what they found.
final class BenchSession {
    let wantsProfile: Bool
    let now: Instant
    /// How many subscribers are stored before the start is measured.
    let storedSubscribers: Int
    /// How many offer codes are imported.
    let importedCodes: Int
    private let seconds: Double
    private let output: Output
    private var yardsticks: [SignatureYardstick] = []
    private(set) var figures: [BenchFigure] = []
    private(set) var profile: [ProfileLine] = []
    private(set) var notes: [String] = []

    init(
        seconds: Double, storedSubscribers: Int?, importedCodes: Int?, wantsProfile: Bool, now: Instant, output: Output
    ) {
        self.seconds = seconds
        self.importedCodes = importedCodes ?? Int(seconds * Limits.codesImportedPerSecond)
        self.storedSubscribers = storedSubscribers ?? Int(seconds * Limits.subscribersStoredPerSecond)
        self.wantsProfile = wantsProfile
        self.now = now
        self.output = output
    }

    /// The seconds that are `part` of the whole, and never so few that a clock tick of 10 ms would show.
    func seconds(_ part: Double) -> Double { max(Limits.benchPhaseSeconds, seconds * part) }

    func measureYardstick() {
        progress("the yardstick")
        yardsticks.append(SignatureYardstick.measure(seconds: seconds(0.05)))
    }

    func add(_ figure: BenchFigure) { figures.append(figure) }

    func add(profile lines: [ProfileLine]) { profile += lines }

    func add(note: String) { notes.append(note) }

    func progress(_ what: String) { output.progress("measuring \(what) …") }

    /// The mean of all measurements of the yardstick.
    var yardstick: SignatureYardstick { SignatureYardstick.mean(of: yardsticks) }
}
