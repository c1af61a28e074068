#if canImport(Glibc)
    import Glibc
#endif

/// An open socket that listens on one address.
///
/// Opened by us and handed to the HTTP library, so that a port already in use is an error with a sentence, and port 0 can
/// be asked which port it became.
public struct ListeningSocket: Sendable {
    public let descriptor: Int32
    public let port: UInt16

    /// Opens a socket on `address`; port 0 takes any free port.
    public init(_ wanted: ListenAddress) throws(ServerError) {
        let (host, port) = ("\(wanted.address)", wanted.port)
        var four = sockaddr_in()
        var six = sockaddr_in6()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        let isFour = inet_pton(AF_INET, host, &four.sin_addr) == 1
        guard isFour || inet_pton(AF_INET6, host, &six.sin6_addr) == 1 else { throw .notAnAddress(host) }

        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(isFour ? AF_INET : AF_INET6, kind, 0)
        guard descriptor >= 0 else { throw .cannotListen(host: host, port: port, reason: Self.reason()) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let bound =
            isFour
            ? Self.withAddress(&four) { bind(descriptor, $0, $1) } : Self.withAddress(&six) { bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, Limits.listenBacklog) == 0 else {
            let reason = Self.reason()
            close(descriptor)
            throw .cannotListen(host: host, port: port, reason: reason)
        }

        // `sin_port` and `sin6_port` stand at the same place, so one structure reads both.
        var actual = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let named = withUnsafeMutablePointer(to: &actual) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard named == 0 else {
            let reason = Self.reason()
            close(descriptor)
            throw .cannotListen(host: host, port: port, reason: reason)
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: actual.sin6_port)
    }

    /// Whether `address` could be listened on a moment ago.
    public static func isFree(_ address: ListenAddress) -> Bool {
        guard let socket = try? ListeningSocket(address) else { return false }
        close(socket.descriptor)
        return true
    }

    private static func withAddress<Address>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
