import Foundation
import TestSupport
import Testing

@Suite struct DemoCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func demo(_ options: String...) throws -> ChildResult {
        try run(
            Surroundings.holdfast, ["demo", "--once", "--directory", "kept", "--listen", "127.0.0.1:0"] + options,
            in: folder.url)
    }

    private func sql(_ statement: String) throws -> String {
        let result = try run("sqlite3", [folder.path("kept/holdfast.sqlite"), statement])
        try #require(result.exitCode == 0, "\(result.errorText)")
        return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `a folder that is used again keeps its people, and new ones join them later`() throws {
        let ids = "SELECT group_concat(original_transaction_id) FROM (SELECT * FROM subscription ORDER BY id)"
        #expect(try demo("--subscribers", "6").exitCode == 0)
        let first = try sql(ids)
        #expect(first.split(separator: ",").count == 6)
        #expect(try demo("--subscribers", "6").exitCode == 0)
        #expect(try sql(ids) == first)
        #expect(try sql("SELECT count(*) FROM signed_payload WHERE outcome = 'conflicting'") == "0")

        let file = folder.path("kept/subscribers.json")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let match = try #require(text.firstMatch(of: /"simulatedUntil": (\d+)/))
        let until = try #require(Int(match.1))
        try folder.write(
            text.replacing("\(until)", with: "\(until - 86_400_000)"), to: "kept/subscribers.json")
        let later = try demo("--subscribers", "6")
        #expect(later.exitCode == 0, "\(later.text)")
        let all = try sql(ids)
        #expect(all.hasPrefix(first + ",") && all.split(separator: ",").count == 12)
    }

    @Test func `a demo that is cut short in the middle goes on where it was`() throws {
        #expect(try demo("--subscribers", "8").exitCode == 0)
        let file = folder.path("kept/subscribers.json")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try folder.write(
            text.replacing("\"isComplete\": true", with: "\"isComplete\": false"), to: "kept/subscribers.json")
        let gone = try sql("SELECT max(id) FROM subscription")
        for table in ["transaction_fact", "renewal_fact", "signed_payload"] {
            _ = try sql("DELETE FROM \(table) WHERE subscription_id = \(gone)")
        }
        for table in ["subscription_transaction", "subscription_token", "subscription_download"] {
            _ = try sql("DELETE FROM \(table) WHERE subscription_id = \(gone)")
        }
        _ = try sql("DELETE FROM subscription WHERE id = \(gone)")
        let again = try demo("--subscribers", "8")
        #expect(again.exitCode == 0, "\(again.text)")
        #expect(try sql("SELECT count(*) FROM subscription") == "8")
        #expect(try sql("SELECT count(*) FROM signed_payload WHERE outcome = 'conflicting'") == "0")
    }

    @Test func `each demo loads codes of its own and hands one to one customer, and the books say so`() throws {
        for round in 1...2 {
            let result = try demo("--subscribers", "1")
            #expect(result.exitCode == 0, "\(result.text)")
            let granted = try #require(result.text.firstMatch(of: /granted ([A-Z0-9]{18}), one less is free/)).1
            #expect(result.text.contains("granted \(granted) to another requestId, and none is taken"))
            #expect(
                try sql("SELECT product_id, offer, count(*), sum(total), sum(claimed) FROM code_batch GROUP BY offer")
                    == "reader.annual|SPRING|\(round)|\(1000 * round)|\(round)")
            #expect(try sql("SELECT count(*) FROM code_block WHERE instr(codes, '\(granted)') > 0") == "1")
            #expect(try sql("SELECT count(DISTINCT customer), count(*) FROM code_claim") == "\(round)|\(round)")
        }
    }

    @Test func `a demo tells of codes that cannot be loaded or claimed, and of books that are wrong`() throws {
        #expect(try demo("--subscribers", "1").exitCode == 0)
        _ = try sql("UPDATE code_ledger SET count = count + 1 WHERE movement = 'loaded'")
        let wrong = try demo("--subscribers", "1")
        #expect(wrong.exitCode == 1 && wrong.text.hasSuffix("1 of 18 failed\n"), "\(wrong.text)")
        #expect(wrong.text.contains("FAIL  the books of every batch of codes are right"), "\(wrong.text)")

        let catalog = try String(contentsOfFile: folder.path("kept/Reader.storekit"), encoding: .utf8)
        try folder.write(catalog.replacing("\"SPRING\"", with: "\"AUTUMN\""), to: "kept/Reader.storekit")
        let without = try demo("--subscribers", "1")
        #expect(without.exitCode == 1, "\(without.text)")
        for job in ["a marketer loads", "a customer gets a code", "the same customer gets the same code"] {
            #expect(without.text.contains("FAIL  \(job)"), "\(without.text)")
        }
    }

    @Test func `a demo that is stopped while it makes its subscribers leaves nothing behind`() throws {
        try FileManager.default.createDirectory(atPath: folder.path("tmp"), withIntermediateDirectories: false)
        let result = try run(
            "timeout",
            ["--preserve-status", "-s", "TERM", "3", Surroundings.holdfast, "demo", "--subscribers", "1000000"],
            environment: ["TMPDIR": folder.path("tmp")], in: folder.url)
        #expect(result.exitCode == 1)
        #expect(result.errorText.hasPrefix("error: stopped before all subscribers were made"), "\(result.errorText)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("tmp")) == [])
    }
}
