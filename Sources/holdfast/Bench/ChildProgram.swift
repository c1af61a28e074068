@preconcurrency import Glibc

/// Another program that runs beside this one; its standard output is read here, its standard error goes to a file.
final class ChildProgram {
    let processId: pid_t
    private let output: Int32
    private var exitCode: Int32?
    /// What it took from its start to its end; nil while it runs.
    private(set) var usage: Usage?

    struct Usage {
        /// User and system time.
        let cpuSeconds: Double
        /// The most that it had in memory at once.
        let residentBytes: Double
    }

    private init(processId: pid_t, output: Int32) {
        self.processId = processId
        self.output = output
    }

    deinit {
        close(output)
    }

    /// Starts `words`, a program on `PATH` or a path with its arguments; nil when it cannot be started.
    static func start(_ words: [String], errorOutput: String = "/dev/null") -> ChildProgram? {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutableBytes(of: &ends) { bytes in
            bytes.baseAddress.map { pipe($0.assumingMemoryBound(to: Int32.self)) } ?? -1
        }
        guard made == 0 else { return nil }
        defer { close(ends.1) }
        // The child gets its end as standard output alone, so that the end of the pipe is the end of the child.
        for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends.1, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorOutput, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setUsualSignals(&attributes)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var processId: pid_t = 0
        guard posix_spawnp(&processId, words[0], &actions, &attributes, &arguments, environ) == 0 else {
            close(ends.0)
            return nil
        }
        return ChildProgram(processId: processId, output: ends.0)
    }

    /// Whoever started us may have blocked signals, and we ignore some; a program that waits for its alarm would wait
    /// for ever.
    private static func setUsualSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    /// The next line of its output, without its end; nil when there is none any more.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// All of its output from here on.
    func readAll() -> String {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = read(output, &piece, piece.count), count > 0 { all += piece[..<count] }
        return String(decoding: all, as: UTF8.self)
    }

    /// Asks it to end; `wait` still has to be called.
    func terminate() {
        kill(processId, SIGTERM)
    }

    /// Waits for its end; its exit code, or -1 when a signal ended it.
    @discardableResult
    func wait() -> Int32 { ended(options: 0) ?? -1 }

    /// Its exit code as soon as it has ended; nil while it runs.
    func exitCodeSoFar() -> Int32? { ended(options: WNOHANG) }

    private func ended(options: Int32) -> Int32? {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        var used = rusage()
        var found: pid_t
        repeat { found = wait4(processId, &status, options, &used) } while found < 0 && errno == EINTR
        guard found == processId else { return nil }
        usage = Usage(
            cpuSeconds: Double(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
                + Double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
            residentBytes: Double(used.ru_maxrss) * 1024)
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : -1
        exitCode = code
        return code
    }
}
