/// Where the server listens: a plain address and a port, never a name that could resolve to something else.
public struct ListenAddress: Hashable, Sendable {
    public let address: IPAddress
    /// 0 takes any free port.
    public let port: UInt16

    public init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Reads `127.0.0.1:8080` or `[::1]:8080`; nil for anything else.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            digits == "0" || !digits.hasPrefix("0"), let port = UInt16(digits)
        else { return nil }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard let address = IPAddress(String(isBracketed ? host.dropFirst().dropLast() : host)),
            isBracketed == host.contains(":")
        else { return nil }
        self.init(address: address, port: port)
    }

    /// What to write, for messages.
    public static let expected = "an address and a port such as '127.0.0.1:8080' or '\"[::1]:8080\"'"
}

extension ListenAddress: CustomStringConvertible {
    /// As it is read; the authority of a URL.
    public var description: String {
        address.isVersion6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
