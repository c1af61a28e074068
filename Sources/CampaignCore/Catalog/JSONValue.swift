/// A JSON text as a tree; numbers keep their spelling, because no binary fraction holds a price.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
    /// Stands where a secret was: its text was skipped, never copied.
    case secret

    /// How a message calls this kind of value; the value itself is not told.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string, .secret: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Why a text is no JSON, at which line and column (both from 1, columns in characters).
struct JSONSyntaxError: Error, Hashable {
    let line: Int
    let column: Int
    /// Names what was expected, never what the text holds.
    let message: String
}
