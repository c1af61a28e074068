import Foundation
import TestSupport
import Testing

@testable import Server

@Suite struct ConfigurationValueTests {
    @Test(arguments: ["127.0.0.1:8080", "0.0.0.0:0", "[::1]:65535", "[2001:db8::7]:1", "192.168.1.7:443"])
    func `an address with a port is read and shown the same`(text: String) {
        #expect(ListenAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", ":", "8080", ":8080", "localhost:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:+1", "127.0.0.1:080", "127.0.0.1: 80", "127.0.0.1:８０", "127.0.0.1:000001", "::1:8080", "[::1]",
        "[127.0.0.1]:80", "[::1%lo]:80", "127.1:80", "010.0.0.1:80", "*:80", "[::1]x:80", "http://127.0.0.1:80",
        "127.0.0.1\u{0}:80",
    ])
    func `anything else is no address to listen at`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test func `an IPv4 address inside IPv6 is that IPv4 address`() throws {
        let mapped = try #require(IPAddress("::ffff:10.1.2.3") as IPAddress?)
        #expect(mapped.description == "10.1.2.3")
        #expect(AddressRange("10.0.0.0/8")?.contains(mapped) == true)
    }

    @Test(arguments: [
        "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/-1", "::/129", "10/8", "a",
        "10.0.0.0/8/8",
    ])
    func `anything else is no range`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func `addresses and ranges are those of Python's ipaddress`() throws {
        let seed =
            ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let pairs = (0..<400).map { _ -> [String] in
            let isVersion6 = Bool.random(using: &random)
            // Few different bytes, so that ranges often contain the address.
            let bytes = (0..<(isVersion6 ? 16 : 4)).map { _ in [0, 1, 128, 255].randomElement(using: &random) ?? 0 }
            let bits = Int.random(in: 0...(bytes.count * 8), using: &random)
            var other = bytes
            other[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random)
            return [text(bytes), "\(text(other))/\(bits)"]
        }
        let program = """
            import ipaddress, json, sys
            answers = []
            for address, network in json.load(sys.stdin):
                range = ipaddress.ip_network(network, strict=False)
                answers.append([str(ipaddress.ip_address(address)), str(range), ipaddress.ip_address(address) in range,
                    range == ipaddress.ip_network(network.split("/")[0] + "/" + str(range.prefixlen), strict=False)
                    and str(range.network_address) == str(ipaddress.ip_address(network.split("/")[0]))])
            json.dump([[str(part) for part in answer] for answer in answers], sys.stdout)
            """
        let result = try run("/usr/bin/python3", ["-c", program], input: JSONEncoder().encode(pairs))
        let answers = try JSONDecoder().decode([[String]].self, from: result.output)
        try #require(answers.count == pairs.count)
        for (pair, answer) in zip(pairs, answers) {
            let address = try #require(IPAddress(pair[0]))
            #expect(IPAddress(answer[0]) == address, "seed \(seed): \(pair)")
            let range = try #require(AddressRange(answer[1]), "seed \(seed): \(pair)")
            #expect(String(range.contains(address)) == answer[2].lowercased(), "seed \(seed): \(pair)")
            #expect((AddressRange(pair[1]) != nil) == (answer[3] == "True"), "seed \(seed): \(pair)")
        }
    }

    private func text(_ bytes: [Int]) -> String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map { String(bytes[$0] << 8 | bytes[$0 + 1], radix: 16) }.joined(
            separator: ":")
    }

    @Test(arguments: [
        ("sqlite:holdfast.sqlite", Configuration.Database.sqlite(path: "/etc/holdfast/holdfast.sqlite")),
        ("sqlite:./a b.sqlite", .sqlite(path: "/etc/holdfast/a b.sqlite")),
        ("sqlite:../data/a.sqlite", .sqlite(path: "/etc/holdfast/../data/a.sqlite")),
        ("sqlite:/var/lib/a.sqlite", .sqlite(path: "/var/lib/a.sqlite")),
        ("postgresql://user@host/name", .postgresql(url: "postgresql://user@host/name")),
        ("postgres://host:5432/name", .postgresql(url: "postgres://host:5432/name")),
        ("postgresql://[::1]:5432/name", .postgresql(url: "postgresql://[::1]:5432/name")),
    ])
    func `a database is a file or an address`(text: String, expected: Configuration.Database) {
        #expect(Configuration.Database(text, folder: "/etc/holdfast") == expected)
    }

    @Test(arguments: [
        "", "sqlite:", "sqlite::memory:", "sqlite://a.sqlite", "sqlite", "SQLITE:a", "mysql://host/name",
        "postgresql://",
        "postgresql:host", "holdfast.sqlite", "postgresql://user:password@host/name",
        "postgresql://host/name?password=x",
        "sqlite:a\u{0}b",
    ])
    func `anything else is no database`(text: String) {
        #expect(Configuration.Database(text, folder: "/etc/holdfast") == nil)
    }

    @Test(arguments: [
        ("sqlite:///var/lib/a.sqlite", "'sqlite:/var/lib/a.sqlite'"), ("sqlite:////a.sqlite", "'sqlite:/a.sqlite'"),
        ("sqlite://a.sqlite", "'sqlite:a.sqlite'"), ("SQLITE:a.sqlite", "'sqlite:a.sqlite'"),
        ("holdfast.sqlite", "'sqlite:holdfast.sqlite'"), ("/var/a.sqlite", "'sqlite:/var/a.sqlite'"),
        ("sqlite", Configuration.Database.expected), ("sqlite:", Configuration.Database.expected),
        ("sqlite://", Configuration.Database.expected), ("sqlite::memory:", Configuration.Database.expected),
        ("mysql://host/name", Configuration.Database.expected), ("", Configuration.Database.expected),
    ])
    func `what is no database is told what to write, and only what works`(text: String, cure: String) {
        #expect(Configuration.Database.cure(for: text) == cure)
        #expect(!cure.contains("postgres"))
    }

    @Test func `every zone that the system lists is a name, for us and for Foundation`() throws {
        let table = try String(contentsOfFile: "\(TimeZoneName.table)/zone.tab", encoding: .utf8)
        let names = table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            String($0.split(separator: "\t")[2])
        }
        #expect(names.count > 300)
        for name in names + ["UTC", "Etc/UTC", "GMT", "Etc/GMT+5"] {
            #expect(TimeZoneName.cure(for: name) == nil, "\(name)")
            #expect(TimeZone(identifier: name) != nil, "\(name)")
        }
    }

    @Test(arguments: [
        ("+02:00", "write an IANA name such as 'Europe/Berlin', not an offset"),
        ("-5", "write an IANA name such as 'Europe/Berlin', not an offset"),
        ("../etc/passwd", "write an IANA name such as 'Europe/Berlin', not an offset"),
        ("Europe//Berlin", "write an IANA name such as 'Europe/Berlin', not an offset"),
        ("posix/Europe/Berlin", "write an IANA name such as 'Europe/Berlin', not an offset"),
        ("Europe", "write an IANA name such as 'Europe/Berlin'"),
        ("Berlin", "write an IANA name such as 'Europe/Berlin'"),
        ("europe/berlin", "did you mean 'Europe/Berlin'?"), ("Europa/Berlin", "did you mean 'Europe/Berlin'?"),
        ("America/New York", "write an IANA name such as 'Europe/Berlin', not an offset"),
        ("America/New_Yrok", "did you mean 'America/New_York'?"),
        ("zone.tab", "write an IANA name such as 'Europe/Berlin', not an offset"),
    ])
    func `what is no name is told how to write one`(name: String, cure: String) {
        #expect(TimeZoneName.cure(for: name) == cure)
    }
}
