import FoundationEssentials

extension JSON: Decodable {
    /// Deepest nesting that is read: what we are sent is two or three deep, and reading recurses.
    public static let deepest = 16

    /// Reads JSON text in UTF-8; nil when it is not JSON or is nested deeper than `deepest`.
    public static func read(_ bytes: [UInt8]) -> JSON? {
        try? JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.deepest else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "nested deeper than \(Self.deepest)"))
        }
        if decoder.codingPath.isEmpty, let object = try? Self.object(from: decoder) {
            self = object
            return
        }
        let value = try decoder.singleValueContainer()
        if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSON] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSON.self)) }
            self = .array(array)
        } else {
            self = try Self.object(from: decoder)
        }
    }

    private static func object(from decoder: any Decoder) throws -> JSON {
        let members = try decoder.container(keyedBy: AnyKey.self)
        let keys = members.allKeys.sorted { $0.stringValue < $1.stringValue }
        return .object(try keys.map { Member($0.stringValue, try members.decode(JSON.self, forKey: $0)) })
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }
}
