import CampaignCore
import FoundationEssentials
@preconcurrency import Glibc

/// `holdfast bench`: how fast this machine does the main jobs, each figure beside a yardstick of the same run.
enum BenchCommand {
    static let name = Argument(
        "NAME", .optional, help: Bench.all.map { "'\($0.name)': \($0.summary)" }.joined(separator: "; "))
    static let seconds = Option.integer(
        "seconds", "N", in: 1...600, help: "how long to measure in all, about (default 15)")
    static let subscribers = Option.integer(
        "subscribers", "N", in: 1...5_000_000, help: "how many to store for 'start' (default by '--seconds')")
    static let codes = Option.integer(
        "codes", "N", in: 1...10_000_000, help: "how many to import for 'codes' (default by '--seconds')")
    static let profile = Option.flag("profile", help: "say where the server's time goes, with Linux's 'perf'")

    static let command = Command(
        "bench",
        summary: "Measure how fast this machine does the main jobs",
        details: """
            Makes a demo's key, catalogue and subscribers in a temporary folder, runs 'holdfast serve' on them as a \
            process of its own, and asks it for offers over 64 connections; 'notifications' posts a year of simulated \
            notifications, each once. CPU means user and system time of that process divided by the requests it \
            answered, which holds on a busy machine where rates do not. 'start' stores '--subscribers' first, some \
            20,000 a second, and drops the file from the system's cache before it starts the server. 'codes' imports as \
            many random codes as '--codes' says while the server signs 300 offers a second, and gives the same file to \
            'sqlite3 .import'.

            A figure is set against a yardstick that is measured in the same run: 'openssl speed ecdsap256', or this \
            program's own signer where there is no 'openssl'; for latency, '/health/live' at the same rate.
            """,
        arguments: [name], options: [seconds, subscribers, codes, profile, .format(.text, .json)],
        examples: [
            Example("holdfast bench", "everything, in about fifteen seconds"),
            Example("holdfast bench sign --seconds 30 --profile", "signed offers, and where their time goes"),
            Example("holdfast bench codes --codes 10000000", "a whole quarter's codes; takes minutes"),
            Example("holdfast bench start --subscribers 5000000", "the start of a large service; takes minutes"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let benches = try chosen(arguments)
        let allSeconds = arguments.integer(seconds) ?? Limits.benchSeconds
        let session = BenchSession(
            seconds: Double(allSeconds), storedSubscribers: arguments.integer(subscribers),
            importedCodes: arguments.integer(codes), wantsProfile: arguments.has(profile), now: Instant(Date()),
            output: output)
        session.measureYardstick()
        for bench in benches { try bench.run(session) }
        // Once more at the end, because a shared machine is not as fast at all times.
        if allSeconds >= Limits.benchSeconds { session.measureYardstick() }
        output.progress("")
        let report = BenchReport(session: session)
        switch arguments.format {
        case .json: output.write(report.json)
        case .text, .csv: output.write(report.text)
        }
        return .done
    }

    private static func chosen(_ arguments: Arguments) throws(CommandError) -> [Bench] {
        guard let word = arguments[name] else { return Bench.all }
        let found = Bench.all.filter { $0.name == word }
        guard found.isEmpty else { return found }
        let names = Bench.all.map(\.name)
        throw arguments.wrongUsage(
            "'\(word)' is nothing to measure; it is one of \(names.joined(separator: ", "))"
                + didYouMean(word, among: names))
    }
}
