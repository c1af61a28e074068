/// What the App Store signed, as it was sent: a JWS in compact form that nobody has taken apart yet.
///
/// It is a part of the text that it came in, because a notification has 18 KB of it and is read only once.
public struct SignedText: Hashable, Sendable {
    public let utf8: ArraySlice<UInt8>

    public init(utf8: ArraySlice<UInt8>) {
        self.utf8 = utf8
    }

    public init(_ text: String) {
        utf8 = Array(text.utf8)[...]
    }

    public var string: String { String(decoding: utf8, as: UTF8.self) }
}

extension SignedText: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
