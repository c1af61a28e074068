import FoundationEssentials
@preconcurrency import Glibc

/// Samples of where a process spends its time, taken by Linux's `perf`.
///
/// Nothing is built into the server for it, so what is measured is what runs in production.
final class CPUProfile {
    private let folder: String
    private let recording: ChildProgram

    static let howToGetOne =
        "no profile: 'perf' is missing or may not look at a process, or it saw too little; try '--seconds 30'"

    private init(folder: String, recording: ChildProgram) {
        self.folder = folder
        self.recording = recording
    }

    deinit {
        recording.wait()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Begins to take samples for `seconds`; nil when there is no `perf`.
    static func start(processId: pid_t, seconds: Double) -> CPUProfile? {
        var template = Array((FileManager.default.temporaryDirectory.path + "/holdfast-perf-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let words = [
            "perf", "record", "-F", "\(Limits.profileSamplesPerSecond)", "-p", "\(processId)", "-o",
            folder + "/samples", "--", "sleep", "\(seconds)",
        ]
        guard let recording = ChildProgram.start(words) else {
            try? FileManager.default.removeItem(atPath: folder)
            return nil
        }
        return CPUProfile(folder: folder, recording: recording)
    }

    /// Shares by thread and library, the largest first; `microseconds` is what 100 % stands for.
    func lines(microseconds: Double) -> [ProfileLine] {
        recording.wait()
        let report = ["perf", "report", "-i", folder + "/samples", "--stdio", "-g", "none", "--sort", "comm,dso"]
        guard let child = ChildProgram.start(report) else { return [] }
        let text = child.readAll()
        guard child.wait() == 0, Self.sampleCount(in: text) >= Limits.profileSamplesNeeded else { return [] }
        return text.split(separator: "\n").compactMap { Self.line($0, microseconds: microseconds) }
    }

    /// The number in `# Samples: 312  of event 'cpu-clock'`, which is `12K` from ten thousand on.
    private static func sampleCount(in report: String) -> Int {
        let line = report.split(separator: "\n").first { $0.hasPrefix("# Samples:") }
        guard let word = line?.split(separator: " ").dropFirst(2).first else { return 0 }
        return word.hasSuffix("K") ? (Int(word.dropLast()) ?? 0) * 1000 : Int(word) ?? 0
    }

    /// `    23.62%  MHD-worker  libcrypto.so.3`; anything else is nil.
    private static func line(_ text: Substring, microseconds: Double) -> ProfileLine? {
        let words = text.split(separator: " ")
        guard words.count >= 3, words[0].hasSuffix("%"), let percent = Double(words[0].dropLast()), percent >= 0.5
        else { return nil }
        // The HTTP library names its threads; the lane has the program's own name.
        let thread = words[1].hasPrefix("MHD") ? "event loops" : "lane"
        let library = words[2] == "[kernel.kallsyms]" ? "kernel" : String(words[2])
        return ProfileLine(
            load: "", thread: thread, library: library, percent: percent, microseconds: percent * microseconds / 100)
    }
}
