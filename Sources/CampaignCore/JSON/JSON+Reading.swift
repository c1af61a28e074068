import YAML

extension JSONText {
    /// Checks JSON text in UTF-8 within the limits of `JSONParser`; a key that an object has twice is a fault too.
    public init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes)
        let text = try parser.checkedText()
        if let repeated = parser.repeatedKeys.first {
            throw JSONSyntaxError(
                line: repeated.line, column: repeated.column, message: "\(quoted(repeated.key)) is twice in one object")
        }
        self = text
    }
}

extension JSON {
    /// Reads JSON text in UTF-8 as `JSONText` does.
    public static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSON {
        try JSONText(bytes).root.json
    }

    /// The same, with nil for everything that is not such JSON.
    public static func read(_ bytes: [UInt8]) -> JSON? {
        try? parse(bytes)
    }
}
