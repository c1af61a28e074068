import Testing

@testable import Server

@Suite struct `The address of a client` {
    @Test(
        arguments: [
            // Peer, X-Forwarded-For headers, and the address that counts; 10.0.0.0/8 and fd00::/8 are ours.
            ("203.0.113.7", [], "203.0.113.7"),
            ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
            ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", ["192.0.2.9, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", ["192.0.2.9", "198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", ["192.0.2.9 ,\t198.51.100.1,10.0.0.2 , 10.1.1.1"], "198.51.100.1"),
            ("10.0.0.1", ["2001:db8::7"], "2001:db8::7"),
            ("10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
            ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
            ("fd00::1", ["::ffff:198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", [], nil),
            ("10.0.0.1", ["unknown"], nil),
            ("10.0.0.1", ["198.51.100.1, unknown"], nil),
            ("10.0.0.1", ["198.51.100.1,"], nil),
            ("10.0.0.1", ["10.0.0.2"], nil),
        ] as [(String, [String], String?)])
    func `is the last one that is not a proxy of ours`(peer: String, forwardedFor: [String], expected: String?) throws {
        let ours = try ["10.0.0.0/8", "fd00::/8"].map { try #require(AddressRange($0)) }
        let address = IPAddress.client(
            peer: try #require(IPAddress(peer)), forwardedFor: forwardedFor, trustedProxies: ours)
        #expect(address?.description == expected)
    }

    @Test func `of version 6 is limited together with all that share its first 64 bits`() throws {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.network == IPAddress("2001:db8:1:2::"))
        #expect(IPAddress("203.0.113.7")?.network == IPAddress("203.0.113.7"))
        #expect(IPAddress("127.9.9.9")?.isLoopback == true && IPAddress("::1")?.isLoopback == true)
        #expect(IPAddress("128.0.0.1")?.isLoopback == false && IPAddress("::")?.isLoopback == false)
    }

    @Test func `opens a bounded number of connections, unless it is a proxy of ours or this machine`() throws {
        let proxy = try #require(IPAddress("10.0.0.1"))
        let stranger = try #require(IPAddress("2001:db8::1"))
        let neighbour = try #require(IPAddress("2001:db8::2"))
        let table = ConnectionTable(exempt: TrustedProxies([try #require(AddressRange("10.0.0.0/8"))]))
        func open(_ peer: IPAddress) -> ClientConnection {
            let connection = ClientConnection(descriptor: -1, peer: peer, deadlines: .standard, now: 0)
            table.insert(connection)
            return connection
        }
        for _ in 0..<Limits.connectionsPerNetwork - 1 { _ = open(stranger) }
        for _ in 0..<Limits.connectionsPerNetwork { _ = (open(proxy), open(.loopback)) }
        #expect(table.hasRoom(for: stranger))
        let last = open(neighbour)
        #expect(!table.hasRoom(for: stranger))
        #expect(table.hasRoom(for: proxy) && table.hasRoom(for: .loopback))
        #expect(try table.hasRoom(for: #require(IPAddress("2001:db8:0:1::1"))))
        table.remove(last)
        #expect(table.hasRoom(for: stranger))
    }

    @Test func `is counted or not as it was when its connection opened, whatever a reload says since`() throws {
        let peer = try #require(IPAddress("203.0.113.7"))
        let ranges = [try #require(AddressRange("203.0.113.0/24"))]
        let proxies = TrustedProxies([])
        let table = ConnectionTable(exempt: proxies)
        func open() -> ClientConnection {
            let connection = ClientConnection(descriptor: -1, peer: peer, deadlines: .standard, now: 0)
            table.insert(connection)
            return connection
        }
        let counted = (0..<Limits.connectionsPerNetwork).map { _ in open() }
        #expect(!table.hasRoom(for: peer))
        proxies.replace(with: ranges)
        #expect(table.hasRoom(for: peer))
        let exempt = (0..<Limits.connectionsPerNetwork).map { _ in open() }
        for connection in counted { table.remove(connection) }
        proxies.replace(with: [])
        #expect(table.hasRoom(for: peer), "those that opened while exempt are not counted now")
        for connection in exempt { table.remove(connection) }
        let again = (0..<Limits.connectionsPerNetwork).map { _ in open() }
        #expect(again.count == table.all.count && !table.hasRoom(for: peer))
    }
}
