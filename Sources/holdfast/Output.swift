@preconcurrency import Glibc
import YAML

/// The program's standard output and standard error.
///
/// Answers go to standard output through a buffer; errors, notes and progress go to standard error. Writing never
/// throws: the first failure is kept and told once at the end, and a reader that went away is no failure at all.
final class Output {
    private var buffer: [UInt8] = []
    /// The error number of the first write that failed.
    private var failure: Int32?
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let errorIsTerminal = isatty(STDERR_FILENO) == 1
    private let allowsColour = Output.environmentAllowsColour()

    /// False once nobody reads any more or the disk is full, so that a long loop can stop early.
    var isOpen: Bool { failure == nil }

    func write(_ text: String) {
        guard isOpen else { return }
        buffer.append(contentsOf: text.utf8)
        // Someone watching a terminal sees each line as it is written.
        if isTerminal || buffer.count >= Limits.outputBufferBytes { flush() }
    }

    /// Tells how a service stands; nobody needs to listen, so a failure does not count.
    func announce(_ text: String) {
        flush()
        _ = writeAll(Array(text.utf8), to: STDOUT_FILENO)
    }

    /// Hands over what is buffered, for a program that reads along.
    func flush() {
        guard isOpen else { return }
        failure = writeAll(buffer, to: STDOUT_FILENO)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Flushes and gives the exit code: the command's own, unless its answer could not be written.
    func close(_ exitCode: ExitCode) -> ExitCode {
        flush()
        guard let failure, failure != EPIPE else { return exitCode }
        error("cannot write to standard output: \(String(cString: strerror(failure))); free space or write elsewhere")
        return exitCode == .done ? .failed : exitCode
    }

    func error(_ message: String) {
        note(coloured("error:", .red, when: errorIsTerminal) + " \(visible(message))\n")
    }

    func warning(_ message: String) {
        note(coloured("warning:", .yellow, when: errorIsTerminal) + " \(visible(message))\n")
    }

    /// Text on standard error, after everything that was written before it.
    func note(_ text: String) {
        flush()
        _ = writeAll(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Replaces the line of progress on standard error; silent unless that is a terminal. An empty text clears it.
    func progress(_ text: String) {
        if errorIsTerminal { note("\r\u{1b}[K\(text)") }
    }

    /// `text` in a colour when standard output shows colours, else as it is.
    func coloured(_ text: String, _ colour: Colour) -> String { coloured(text, colour, when: isTerminal) }

    enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
    }

    private func coloured(_ text: String, _ colour: Colour, when isShown: Bool) -> String {
        isShown && allowsColour ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// Source: no-color.org; a terminal that calls itself dumb knows no colours either.
    private static func environmentAllowsColour() -> Bool {
        let noColour = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        return !noColour && !isDumb
    }
}
