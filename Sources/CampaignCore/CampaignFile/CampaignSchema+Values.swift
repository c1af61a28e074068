extension CampaignSchema {
    /// An object with the keys of a table and no others.
    static func mapping<Key: RawRepresentable<String> & CaseIterable>(
        _ keys: Key.Type, required: [Key] = [], _ property: (Key) -> JSON
    ) -> JSON {
        var members: [JSON.Member] = [
            .init("type", "object"), .init("additionalProperties", .bool(false)),
        ]
        if !required.isEmpty { members.append(.init("required", .array(required.map { .string($0.rawValue) }))) }
        members.append(.init("properties", .object(keys.allCases.map { .init($0.rawValue, property($0)) })))
        return .object(members)
    }

    static func described(_ schema: JSON, _ text: String) -> JSON {
        guard case .object(let members) = schema else { return schema }
        return .object(members + [.init("description", .string(text))])
    }

    static func words(_ words: [String]) -> JSON { ["enum": .array(words.map(JSON.string))] }

    static func integer(_ range: ClosedRange<Int64>) -> JSON {
        ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    }

    /// A value or a list of values.
    static func oneOrMore(_ item: JSON, atMost limit: Int = CampaignLimits.listValues) -> JSON {
        ["anyOf": .array([item, list(item, atMost: limit)])]
    }

    /// A value, a list of values, or what must not be.
    static func condition(_ item: JSON) -> JSON {
        let values = oneOrMore(item)
        let not = mapping(NotKey.self, required: [.not]) { key in
            switch key {
            case .not: values
            }
        }
        return ["anyOf": .array([item, list(item, atMost: CampaignLimits.listValues), not])]
    }

    private static func list(_ item: JSON, atMost limit: Int) -> JSON {
        ["type": "array", "minItems": .integer(1), "maxItems": .integer(Int64(limit)), "items": item]
    }

    static let namePattern = "^[A-Za-z0-9._-]{1,\(CampaignLimits.nameBytes)}$"

    /// A plain number is text to the reader, and a number to an editor.
    static let name: JSON = ["type": ["string", "integer"], "pattern": .string(namePattern)]

    static let identifier: JSON = ["type": ["string", "integer"], "minLength": .integer(1)]

    static let span: JSON = ["type": "string", "pattern": "^(0|[1-9][0-9]*)[mhdw]$"]

    static let instant: JSON = [
        "type": "string",
        "pattern":
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
    ]
}
