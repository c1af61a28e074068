import CMicrohttpd

#if canImport(Glibc)
    import Glibc
#endif

extension IPAddress {
    /// The address in a socket's address; nil for anything but IPv4 and IPv6.
    init?(_ socketAddress: UnsafePointer<sockaddr>?) {
        guard let socketAddress else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let raw = UnsafeRawPointer(socketAddress)
        let written: UnsafePointer<CChar>?
        switch Int32(socketAddress.pointee.sa_family) {
        case AF_INET:
            var address = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
            written = inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case AF_INET6:
            var address = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
            written = inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        default:
            return nil
        }
        guard let written else { return nil }
        self.init(String(cString: written))
    }

    /// Whether it is this machine's own.
    var isLoopback: Bool {
        isVersion6 ? bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 : bytes[0] == 127
    }

    /// What one customer has: an IPv4 address, or the first 64 bits of an IPv6 one, behind which every device has a
    /// great many addresses to choose from.
    var network: IPAddress {
        guard isVersion6 else { return self }
        return IPAddress(bytes: Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8))
    }

    /// The address of the client, which `peer` says of itself or, when `peer` is a proxy of ours, forwards.
    ///
    /// Each proxy appends the address it was asked from, so only what stands right of the first address that is not
    /// ours was written by our own proxies; everything left of it is the client's invention. An entry that is no
    /// address, such as `unknown`, ends the search. Nil when no address but those of our own proxies is known.
    static func client(peer: IPAddress, forwardedFor: [String], trustedProxies: [AddressRange]) -> IPAddress? {
        var address = peer
        var entries = forwardedFor.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        while trustedProxies.contains(where: { $0.contains(address) }) {
            guard let entry = entries.popLast(), let forwarded = IPAddress(forwarded: entry) else { return nil }
            address = forwarded
        }
        return address
    }

    /// An entry of `X-Forwarded-For`; some proxies add the port.
    private init?(forwarded entry: Substring) {
        let text = String(entry.filter { $0 != " " && $0 != "\t" })
        if let plain = IPAddress(text) {
            self = plain
        } else if let withPort = ListenAddress(text) {
            self = withPort.address
        } else {
            return nil
        }
    }
}
