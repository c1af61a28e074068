/// Base64 with the standard alphabet (RFC 4648, section 4), read strictly.
public enum Base64 {
    /// `bytes` with padding and without line breaks.
    public static func encode(_ bytes: [UInt8]) -> String {
        Base64Codec.encode(bytes, alphabet: alphabet, padded: true)
    }

    /// The bytes that `text` stands for; nil unless it is exactly what `encode` writes for them:
    /// padded, nothing but the alphabet, no line breaks and no stray bits at the end.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64Codec.decode(text, values: values, groupValues: groupValues, padded: true)
    }

    /// The bytes that `text` stands for; nil unless it is exactly what `encode` writes for them.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8)
    }

    private static let alphabet = Base64Codec.alphabet(last: "+/")
    private static let values = Base64Codec.values(of: alphabet)
    private static let groupValues = Base64Codec.groupValues(of: values)
}

/// Base64 with the alphabet for URLs and file names (RFC 4648, section 5), as JWS uses it: without padding.
public enum Base64URL {
    /// `bytes` without padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        Base64Codec.encode(bytes, alphabet: alphabet, padded: false)
    }

    /// The bytes that `text` stands for; nil unless it is exactly what `encode` writes for them:
    /// no padding, nothing but the alphabet and no stray bits at the end. Contiguous text is not copied.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64Codec.decode(text, values: values, groupValues: groupValues, padded: false)
    }

    /// The bytes that `text` stands for; nil unless it is exactly what `encode` writes for them.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8)
    }

    private static let alphabet = Base64Codec.alphabet(last: "-_")
    private static let values = Base64Codec.values(of: alphabet)
    private static let groupValues = Base64Codec.groupValues(of: values)
}
