import FoundationEssentials

/// Why a signed payload cannot be read: which field is at fault, never its value.
public struct PayloadFault: Error, Hashable, Sendable {
    /// The path from the payload's root, such as `data.status`; nil when the payload is no JSON object.
    public let field: String?

    public init(field: String?) {
        self.field = field
    }

    /// The same fault, seen from the object that holds `name`.
    func inside(_ name: String) -> PayloadFault {
        PayloadFault(field: field.map { "\(name).\($0)" } ?? name)
    }
}

/// A payload of the App Store that is read from JSON: unknown keys are ignored, and `null` counts as absent.
///
/// One function a type and one pass over its members: Foundation's decoder takes many times as long for a notification,
/// and keeps one of two equal keys in silence.
public protocol AppStorePayload: Sendable {
    init()

    /// Takes one member; those it does not know change nothing.
    mutating func read(_ member: JSONText.Value) throws(PayloadFault)
}

extension AppStorePayload {
    /// Reads the text of a payload; strict JSON, see `JSON.parse`.
    public init(json bytes: [UInt8]) throws(PayloadFault) {
        guard let text = try? JSONText(bytes) else { throw PayloadFault(field: nil) }
        try self.init(text.root)
    }

    /// Reads a payload that is a JSON object.
    public init(_ value: JSONText.Value) throws(PayloadFault) {
        guard value.isObject else { throw PayloadFault(field: nil) }
        self.init()
        try value.forEach { (member) throws(PayloadFault) in
            if !member.isNull { try read(member) }
        }
    }
}

// What a member's value is read as; a value of another kind is a fault of that member.
extension JSONText.Value {
    var fault: PayloadFault { PayloadFault(field: key) }

    /// The value of a string.
    public func text() throws(PayloadFault) -> String {
        guard let string else { throw fault }
        return string
    }

    func signedText() throws(PayloadFault) -> SignedText {
        guard let utf8 else { throw fault }
        return SignedText(utf8: utf8)
    }

    func word<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws(PayloadFault) -> Word {
        guard let word = Word(rawValue: try text()) else { throw fault }
        return word
    }

    func number() throws(PayloadFault) -> Int64 {
        guard let integer else { throw fault }
        return integer
    }

    func code<Code: RawRepresentable<Int>>(_ type: Code.Type = Code.self) throws(PayloadFault) -> Code {
        guard let code = Code(rawValue: Int(try number())) else { throw fault }
        return code
    }

    func instant() throws(PayloadFault) -> Instant { Instant(millisecondsSince1970: try number()) }

    func bool() throws(PayloadFault) -> Bool {
        switch kind {
        case .true: return true
        case .false: return false
        default: throw fault
        }
    }

    func uuid() throws(PayloadFault) -> UUID {
        guard let utf8, let uuid = UUID(strict: utf8) else { throw fault }
        return uuid
    }

    func words<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws(PayloadFault) -> [Word] {
        var words: [Word] = []
        for text in try texts() {
            guard let word = Word(rawValue: text) else { throw fault }
            words.append(word)
        }
        return words
    }

    /// The value of an array of strings.
    public func texts() throws(PayloadFault) -> [String] {
        guard kind == .array else { throw fault }
        var texts: [String] = []
        try forEach { (element) throws(PayloadFault) in
            guard let text = element.string else { throw PayloadFault(field: "\(key).\(texts.count)") }
            texts.append(text)
        }
        return texts
    }

    func payload<Payload: AppStorePayload>(_ type: Payload.Type = Payload.self) throws(PayloadFault) -> Payload {
        do throws(PayloadFault) {
            return try Payload(self)
        } catch {
            throw error.inside(key)
        }
    }
}
