import CampaignCore
import Foundation
import Testing

@testable import Storage

/// Values travel as bound parameters and come back as they went in, or not at all.
struct SQLTests {
    let fixture: Fixture
    let connection: Connection

    init() throws {
        fixture = try Fixture()
        connection = try Connection(fixture.path, mode: .readWriteCreate)
        try connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, bytes BLOB, amount INTEGER)")
    }

    @Test(arguments: [
        "", "plain", "'); DROP TABLE note; --", "\" OR 1=1", "?1", "a\u{0}b", "näher 👍🏽", "\u{2063}",
        String(repeating: "long ", count: 20_000),
    ])
    func `any text is a value, never a statement`(text: String) throws {
        try connection.run("INSERT INTO note (body) VALUES (\(text))")
        #expect(try connection.value("SELECT body FROM note WHERE body = \(text)", String.self) == text)
        let hexadecimal = text.utf8.map { String(format: "%02X", $0) }.joined()
        #expect(try fixture.sqlite3("SELECT hex(body), typeof(body) FROM note") == "\(hexadecimal)|text")
    }

    @Test(arguments: [[], [0], [0, 255, 39], [UInt8](repeating: 9, count: 5000)])
    func `bytes come back as they went in`(bytes: [UInt8]) throws {
        try connection.run("INSERT INTO note (bytes) VALUES (\(bytes))")
        #expect(try connection.value("SELECT bytes FROM note", [UInt8].self) == bytes)
        #expect(try fixture.sqlite3("SELECT typeof(bytes), length(bytes) FROM note") == "blob|\(bytes.count)")
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 1_790_000_000_000, Int64.max])
    func `whole numbers come back as they went in`(number: Int64) throws {
        try connection.run("INSERT INTO note (amount) VALUES (\(number))")
        #expect(try connection.value("SELECT amount FROM note", Int64.self) == number)
        #expect(try fixture.sqlite3("SELECT amount FROM note") == "\(number)")
    }

    @Test func `instants, UUIDs, words and null are stored as the design says`() throws {
        let token = try #require(UUID(uuidString: "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E"))
        let none: String? = nil
        try connection.run("INSERT INTO note (bytes, body, amount) VALUES (\(token), \(none), \(Fixture.now))")
        try connection.run("INSERT INTO note (body, amount) VALUES (\(AppStoreEnvironment.sandbox), \(true))")
        let rows = "0F1E2D3C4B5A49688778695A4B3C2D1E||1790000000000\n|Sandbox|1"
        #expect(try fixture.sqlite3("SELECT hex(bytes), body, amount FROM note ORDER BY id") == rows)
        #expect(try connection.value("SELECT bytes FROM note WHERE id = 1", UUID.self) == token)
        #expect(try connection.value("SELECT amount FROM note WHERE id = 1", Instant.self) == Fixture.now)
        #expect(try connection.value("SELECT body FROM note WHERE id = 2", AppStoreEnvironment.self) == .sandbox)
        #expect(try connection.value("SELECT amount FROM note WHERE id = 2", Bool.self) == true)
    }

    @Test(arguments: ["NULL", "'text'", "1.5", "x'00'"])
    func `a column of another type is a corrupt row that names table and column`(value: String) throws {
        try fixture.sqlite3("CREATE TABLE loose (amount)")
        try fixture.sqlite3("INSERT INTO loose VALUES (\(value))")
        #expect(throws: StorageError.corruptRow(table: "loose", column: "amount")) {
            try connection.value("SELECT amount FROM loose", Int64.self)
        }
    }

    @Test func `text that is not UTF-8 is a corrupt row`() throws {
        try fixture.sqlite3("INSERT INTO note (body) VALUES (CAST(x'61ff' AS TEXT))")
        #expect(throws: StorageError.corruptRow(table: "note", column: "body")) {
            try connection.value("SELECT body FROM note", String.self)
        }
    }

    @Test func `a statement can run while the rows of the same one are read`() throws {
        for number in [1, 2, 3] { try connection.run("INSERT INTO note (amount) VALUES (\(number))") }
        func amounts(above floor: Int) throws(StorageError) -> [[Int]] {
            try connection.rows("SELECT amount FROM note WHERE amount > \(floor) ORDER BY amount") {
                row throws(StorageError) in
                let amount = try row.next(Int.self)
                return [amount] + (try amounts(above: amount).first ?? [])
            }
        }
        #expect(try amounts(above: 0) == [[1, 2, 3], [2, 3], [3]])
    }

    @Test func `the cache of statements stays bounded and right`() throws {
        for round in 0..<2 {
            for number in 0..<(Limits.cachedStatements + 40) {
                let constant = SQL.Fragment("\(number)")
                #expect(try connection.value("SELECT \(raw: constant) + \(round)", Int.self) == number + round)
            }
        }
        #expect(connection.statements.count == Limits.cachedStatements)
    }

    @Test func `a statement that SQLite refuses says why and holds no value`() throws {
        let error = #expect(throws: StorageError.self) {
            try connection.run("INSERT INTO absent (body) VALUES (\("secret"))")
        }
        #expect(error?.description.contains("no such table: absent") == true)
        #expect(error?.description.contains("secret") == false)
    }
}
