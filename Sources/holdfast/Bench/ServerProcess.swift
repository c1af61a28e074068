import CampaignCore
import FoundationEssentials
@preconcurrency import Glibc

/// `holdfast serve` in a process of its own, so that its CPU time is nobody else's.
final class ServerProcess {
    let port: UInt16
    private let child: ChildProgram

    /// Starts this same program on any free port of this machine and waits until it serves.
    ///
    /// - Parameter log: the file that its log goes to.
    init(configuration: String, log: String) throws(CommandError) {
        let words = ["/proc/self/exe", "serve", "--config", configuration, "--listen", "127.0.0.1:0"]
        guard let child = ChildProgram.start(words, errorOutput: log) else {
            throw .failed("cannot start the server: \(String(cString: strerror(errno))); try again")
        }
        var port: UInt16?
        while port == nil, let line = child.readLine() {
            guard line.hasPrefix("serving on ") else { continue }
            port = line.split(separator: ":").last.flatMap { UInt16($0) }
        }
        guard let port else {
            child.wait()
            let said = (try? readFile(log, limit: Limits.serverLogBytes)).map { String(decoding: $0, as: UTF8.self) }
            throw .failed("the server did not start; it said: \(said?.split(separator: "\n").last ?? "nothing")")
        }
        self.port = port
        self.child = child
    }

    var processId: pid_t { child.processId }

    /// User and system time of all its threads so far, in steps of 10 ms.
    func cpuMicroseconds() throws(CommandError) -> Double { try cpuTime(ofProcess: "\(processId)") }

    /// What it has in memory, the pages of the program and its libraries among them.
    ///
    /// Source: proc(5), `/proc/PID/status`.
    func residentBytes() throws(CommandError) -> Double {
        let path = "/proc/\(processId)/status"
        let text = String(decoding: try readFile(path, limit: Limits.serverLogBytes), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let word = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first,
            let kibibytes = Double(word)
        else { throw .failed("cannot read '\(path)'; is this Linux?") }
        return kibibytes * 1024
    }

    func stop() {
        child.terminate()
        child.wait()
    }
}

/// User and system time of this process so far.
func processMicroseconds() -> Double {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
}

/// Source: proc(5), `/proc/PID/stat`: the 14th and 15th field; the second one, a name in brackets, may hold blanks.
private func cpuTime(ofProcess name: String) throws(CommandError) -> Double {
    let text = String(decoding: try readFile("/proc/\(name)/stat", limit: Limits.serverLogBytes), as: UTF8.self)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
        throw .failed("cannot read '/proc/\(name)/stat'; is this Linux?")
    }
    return (user + system) * 1e6 / Double(sysconf(Int32(_SC_CLK_TCK)))
}
