/// One fault or doubt about a text, and where it is.
public struct Diagnostic: Error, Hashable, Sendable {
    public let severity: Severity
    /// The place to look at.
    public let mark: Mark
    /// What is there and what to write: lower case, one line, no full stop.
    public let message: String

    /// What a finding does to the text it is about.
    public enum Severity: String, Sendable {
        /// The text is not used.
        case error
        /// The text is used as it is.
        case warning
    }

    public init(_ severity: Severity, at mark: Mark, _ message: String) {
        self.severity = severity
        self.mark = mark
        self.message = message
    }

    /// `path:line:column: error: message`, the line that editors and terminals turn into a link.
    public func line(path: String) -> String {
        "\(path):\(mark): \(severity.rawValue): \(message)"
    }
}

/// Collects what is found while one text is read; the readers of its parts share it.
public final class Diagnostics {
    private var found: [Diagnostic] = []

    public init() {}

    /// Notes what makes the text unusable; `message` as `Diagnostic.message`.
    public func error(_ message: String, at mark: Mark) {
        found.append(Diagnostic(.error, at: mark, message))
    }

    /// Notes a doubt.
    public func warning(_ message: String, at mark: Mark) {
        found.append(Diagnostic(.warning, at: mark, message))
    }

    /// Notes what was found elsewhere.
    public func add(_ diagnostic: Diagnostic) {
        found.append(diagnostic)
    }

    /// Whether anything found is more than a doubt.
    public var hasErrors: Bool { found.contains { $0.severity == .error } }

    /// How many errors there are so far, to tell whether a part of the text added one.
    public var errorCount: Int { found.count { $0.severity == .error } }

    /// All that was found, in the order of the text.
    public var all: [Diagnostic] {
        // The position breaks ties, because the sort promises no order for equal marks.
        found.enumerated()
            .sorted { ($0.element.mark, $0.offset) < ($1.element.mark, $1.offset) }
            .map(\.element)
    }
}

/// Why a text was not read: at least one error.
public struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In the order of the text.
    public let diagnostics: [Diagnostic]

    /// One line for each finding, without a path.
    public var description: String {
        diagnostics.map { "\($0.mark): \($0.severity.rawValue): \($0.message)" }.joined(separator: "\n")
    }
}
