import CMicrohttpd
import FoundationEssentials

/// One parameter of a request's query, percent-encoded as it was sent.
public struct QueryParameter: Hashable, Sendable {
    public let name: String
    /// Empty also when there was no `=`.
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Name and value decoded; nil when an escape is broken, or stands for bytes that are not UTF-8.
    var decoded: (name: String, value: String)? {
        guard let name = percentDecoded(name), let value = percentDecoded(value) else { return nil }
        return (name, value)
    }
}

/// `text` with each `%` and two hexadecimal digits replaced by the byte they stand for; nil when that cannot be done.
func percentDecoded(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        // `UInt8(_:radix:)` takes a sign, which is no digit.
        let digits = rest.prefix(2)
        guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let decoded = UInt8(String(Substring(digits)), radix: 16)
        else { return nil }
        bytes.append(decoded)
        rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
}

/// The parameters of the request's query, in the order in which they were sent.
func queryParameters(of connection: OpaquePointer) -> [QueryParameter] {
    var parameters: [QueryParameter] = []
    withUnsafeMutablePointer(to: &parameters) {
        _ = MHD_get_connection_values(connection, .GET_ARGUMENT_KIND, collectParameter, $0)
    }
    return parameters
}

private func collectParameter(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let key else { return .NO }
    context.assumingMemoryBound(to: [QueryParameter].self).pointee.append(
        QueryParameter(name: String(cString: key), value: value.map { String(cString: $0) } ?? ""))
    return .YES
}
