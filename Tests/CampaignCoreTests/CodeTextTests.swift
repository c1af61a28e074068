import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Bytes of code files` {
    /// What a file comes to when it is read in pieces: each code or `!` with its fault, after the number of its line.
    private static func read(_ bytes: [UInt8], pieces: [Int] = []) -> [String] {
        var reader = CodeTextReader(appAppleId: 6_400_000_001)
        var found: [String] = []
        func visit(_ read: CodeRead, _ line: Int64) {
            switch read {
            case .code(let code): found.append("\(line) \(String(decoding: code, as: UTF8.self))")
            case .fault(let fault): found.append("\(line) ! \(fault.description)")
            }
        }
        var rest = bytes[...]
        for piece in pieces + [Int.max] {
            Array(rest.prefix(piece)).withUnsafeBytes { reader.read($0, visit) }
            rest = rest.dropFirst(piece)
        }
        reader.finish(visit)
        return found
    }

    private static func read(_ text: String) -> [String] { read(Array(text.utf8)) }

    @Test func `C01 files with a header, without one, and with nothing else`() {
        #expect(Self.read("TIDE7Q2M\nTIDE8W5N\n") == ["1 TIDE7Q2M", "2 TIDE8W5N"])
        #expect(Self.read("Code\nTIDE7Q2M\nTIDE8W5N") == ["2 TIDE7Q2M", "3 TIDE8W5N"])
        #expect(Self.read("code\n") == [])
        #expect(Self.read("") == [])
    }

    @Test func `C02 a byte-order mark is no part of the first code or header`() {
        #expect(Self.read("\u{FEFF}TIDE7Q2M\r\nTIDE8W5N\r\n") == ["1 TIDE7Q2M", "2 TIDE8W5N"])
        #expect(Self.read("\u{FEFF}code\r\nTIDE7Q2M\r\n") == ["2 TIDE7Q2M"])
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x41, 0x00, 0x0A, 0x00], "1 ! the file is UTF-16"),
            ([0x41, 0x00, 0x42, 0x00, 0x0A, 0x00], "1 ! the file is UTF-16"),
            ([0xFE, 0xFF, 0x00, 0x41], "1 ! the file is UTF-16"),
            ([0x50, 0x4B, 0x03, 0x04, 0x0A], "1 ! the file is no text: it has the byte 0x03"),
            ([0x41, 0x0A, 0x00, 0x0A, 0x42, 0x0A], "2 ! the file is no text: it has the byte 0x00"),
        ] as [([UInt8], String)])
    func `what is no UTF-8 text is told once`(bytes: [UInt8], beginning: String) throws {
        let found = Self.read(bytes).filter { $0.contains("!") }
        #expect(found.count == 1)
        #expect(try #require(found.first).hasPrefix(beginning))
    }

    @Test func `a line of a megabyte is refused and the next one is read`() {
        let long = String(repeating: "A", count: 1 << 20)
        let found = Self.read("AAA\n\(long)\nBBB\n\(long)")
        #expect(found.count == 4 && found[0] == "1 AAA" && found[2] == "3 BBB")
        #expect(found[1].hasPrefix("2 ! more than 4096 bytes") && found[3].hasPrefix("4 ! more than 4096 bytes"))
    }

    @Test func `it does not matter in which pieces a file comes`() {
        let seed = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let link = "https://apps.apple.com/redeem?ctx=offercodes&id=6400000001&code="
        let words = [
            "\u{FEFF}", "code,url", "AB12", "ab12", "A B", ",", ";", "\"", "\r", "\n", "\n", "\n", link,
            "AB12,\(link)AB12",
            String(repeating: "X", count: 70), "é", " ", "\t",
        ]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            let bytes = Array(text.joined().utf8)
            let pieces = (0..<20).map { _ in Int.random(in: 0...9, using: &random) }
            #expect(Self.read(bytes, pieces: pieces) == Self.read(bytes), "\(text)")
        }
    }
}
