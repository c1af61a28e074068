/// Why a text is no JSON, at which line and column (both from 1, columns in characters).
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    public let line: Int
    public let column: Int
    /// Names what was expected, never what the text holds.
    public let message: String

    public var description: String { "line \(line), column \(column): \(message)" }
}
