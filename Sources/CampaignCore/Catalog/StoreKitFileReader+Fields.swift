import YAML

/// One JSON object of the file together with the place that findings about it name.
struct FileObject {
    private let members: [String: JSON]
    /// Empty for the file itself.
    var place: String

    init(members: [JSON.Member], place: String) {
        // The parser has reported keys that are there twice, and kept the first.
        self.members = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        self.place = place
    }

    var isEmpty: Bool { members.isEmpty }

    /// Whether the key is there with a value other than null.
    func has(_ key: String) -> Bool { self[key] != nil }

    /// Null and absent are the same to this file.
    subscript(key: String) -> JSON? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    /// The place of what `name` is inside this object.
    func place(of name: String) -> String { place.isEmpty ? name : "\(place) > \(name)" }
}

extension Character {
    var isASCIILetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}

// Each gives nil or nothing for an absent or null key, and also, with an error, for a value of the wrong kind.
extension StoreKitFileReader {
    mutating func text(_ key: String, of object: FileObject) -> String? {
        guard let value = object[key] else { return nil }
        guard case .string(let text) = value else {
            wrongKind(key, of: object, "text", value)
            return nil
        }
        return text
    }

    mutating func bool(_ key: String, of object: FileObject) -> Bool? {
        guard let value = object[key] else { return nil }
        guard case .bool(let bool) = value else {
            wrongKind(key, of: object, "true or false", value)
            return nil
        }
        return bool
    }

    mutating func integer(_ key: String, of object: FileObject) -> Int? {
        guard let value = object[key] else { return nil }
        guard case .number(let digits) = value else {
            wrongKind(key, of: object, "a whole number", value)
            return nil
        }
        guard let integer = Int(digits) else {
            error(object.place(of: key), "must be a whole number such as 3, not \(shown(digits))")
            return nil
        }
        return integer
    }

    mutating func object(_ key: String, of object: FileObject) -> FileObject? {
        guard let value = object[key] else { return nil }
        guard case .object(let members) = value else {
            wrongKind(key, of: object, "an object", value)
            return nil
        }
        return FileObject(members: members, place: object.place(of: key))
    }

    mutating func objects(_ key: String, of object: FileObject) -> [FileObject] {
        guard let value = object[key] else { return [] }
        guard case .array(let elements) = value else {
            wrongKind(key, of: object, "an array", value)
            return []
        }
        var objects: [FileObject] = []
        for (index, element) in elements.enumerated() {
            let place = object.place(of: "\(key)[\(index)]")
            if case .object(let members) = element {
                objects.append(FileObject(members: members, place: place))
            } else {
                error(place, "must be an object, not \(element.kind)")
            }
        }
        return objects
    }

    mutating func texts(_ key: String, of object: FileObject) -> [String] {
        guard let value = object[key] else { return [] }
        guard case .array(let elements) = value else {
            wrongKind(key, of: object, "an array of texts", value)
            return []
        }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            if case .string(let text) = element {
                texts.append(text)
            } else {
                error(object.place(of: "\(key)[\(index)]"), "must be text, not \(element.kind)")
            }
        }
        return texts
    }

    /// A text that names something: required, not empty, of bounded length and without invisible characters.
    ///
    /// U+2063 separates the fields of a V1 signature, so one inside an identifier could make one offer's signature fit
    /// another.
    mutating func identifier(_ key: String, of object: FileObject) -> String? {
        guard let text = text(key, of: object) else {
            if !object.has(key) { error(object.place, "no '\(key)'; every entry needs one") }
            return nil
        }
        if text.isEmpty {
            error(object.place, "'\(key)' is empty; write the identifier of App Store Connect")
            return nil
        }
        if text.utf8.count > Limits.identifierBytes {
            error(object.place, "'\(key)' is longer than \(Limits.identifierBytes) bytes: \(quoted(text))")
            return nil
        }
        if text.unicodeScalars.contains(where: \.isInvisible) {
            error(object.place, "'\(key)' holds an invisible character: \(quoted(text)); type it again")
            return nil
        }
        return text
    }

    mutating func period(_ key: String, of object: FileObject) -> Period? {
        guard let text = text(key, of: object) else {
            if !object.has(key) { error(object.place, "no '\(key)'; write a duration such as P1M") }
            return nil
        }
        guard let period = Period(text) else {
            error(object.place, "'\(key)' is \(quoted(text)); write a duration such as P3D, P1W, P1M or P1Y")
            return nil
        }
        return period
    }

    /// A price in milliunits; an empty text is an absent price, which Xcode leaves in files it has not synchronised.
    mutating func price(_ key: String, of object: FileObject) -> Int64? {
        guard let text = text(key, of: object), !text.isEmpty else { return nil }
        guard let price = milliunits(decimal: text) else {
            error(object.place, "'\(key)' is \(quoted(text)); write a decimal with at most three places such as 9.99")
            return nil
        }
        return price
    }

    /// Whether the key has neither a price nor anything that another finding is about.
    func lacksPrice(_ key: String, of object: FileObject) -> Bool { !object.has(key) || object[key] == .string("") }

    private mutating func wrongKind(_ key: String, of object: FileObject, _ expected: String, _ value: JSON) {
        error(object.place(of: key), "must be \(expected), not \(value.kind)")
    }
}
