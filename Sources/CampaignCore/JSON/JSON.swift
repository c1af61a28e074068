/// A JSON value, read from what others send and written the same way every time.
///
/// Objects keep their order, and numbers their spelling, because no binary fraction holds a price.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One key with its value.
    public struct Member: Hashable, Sendable {
        public let key: String
        public let value: JSON

        public init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The value of `key` in an object; nil when there is none, or this is no object.
    public subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text of a string; nil for every other kind.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a whole number; nil for every other kind, and for one that 64 bits do not hold.
    public var integer: Int64? {
        if case .number(let digits) = self { Int64(digits) } else { nil }
    }

    /// A whole number.
    public static func integer(_ value: Int64) -> JSON { .number(String(value)) }

    /// A string, or JSON's `null` for nil.
    public static func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

    /// Apple's integer milliseconds, or JSON's `null` for nil.
    public static func instant(_ value: Instant?) -> JSON { value.map { .integer($0.millisecondsSince1970) } ?? .null }

    /// What a person calls this kind of value, such as `a number`; the value itself is not told.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }

    public init(arrayLiteral elements: JSON...) {
        self = .array(elements)
    }
}
