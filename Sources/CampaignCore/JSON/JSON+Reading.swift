import YAML

extension JSON {
    /// Reads JSON text in UTF-8 within the limits of `JSONParser`; a key that an object has twice is a fault too.
    public static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSON {
        var parser = JSONParser(bytes)
        let value = try parser.parse()
        if let repeated = parser.repeatedKeys.first {
            throw JSONSyntaxError(
                line: repeated.line, column: repeated.column, message: "\(quoted(repeated.key)) is twice in one object")
        }
        return value
    }

    /// The same, with nil for everything that is not such JSON.
    public static func read(_ bytes: [UInt8]) -> JSON? {
        try? parse(bytes)
    }
}
