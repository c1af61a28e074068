import Glibc

/// An IPv4 or IPv6 address. An IPv4 address inside IPv6 (`::ffff:10.0.0.1`) is that IPv4 address.
public struct IPAddress: Hashable, Sendable {
    /// In network order: 4 or 16.
    public let bytes: [UInt8]

    static let loopback = Self(bytes: [127, 0, 0, 1])

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads `127.0.0.1` or `::1`; nil for names, zones (`%eth0`), short forms such as `127.1`, and anything else.
    public init?(_ text: String) {
        // C would stop at a NUL and take what stands before it.
        guard !text.utf8.contains(0) else { return nil }
        var version4 = in_addr()
        var version6 = in6_addr()
        if inet_pton(AF_INET, text, &version4) == 1 {
            bytes = withUnsafeBytes(of: version4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &version6) == 1 {
            let all = withUnsafeBytes(of: version6) { Array($0) }
            let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all[12...]) : all
        } else {
            return nil
        }
    }

    /// Whether it is written with colons.
    public var isVersion6: Bool { bytes.count == 16 }
}

extension IPAddress: CustomStringConvertible {
    /// The shortest usual spelling.
    public var description: String {
        let text = [UInt8](unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                let family = isVersion6 ? AF_INET6 : AF_INET
                let size = socklen_t(characters.count)
                guard inet_ntop(family, bytes, characters.baseAddress, size) != nil else { return }
                count = strlen(characters.baseAddress!)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
