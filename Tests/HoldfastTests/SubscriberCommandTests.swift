import Foundation
import TestSupport
import Testing

@Suite struct SubscriberCommandTests {
    @Test func `show says of every subscriber what is true, with the history that led there`() throws {
        let year = try SimulatedYear(subscribers: 30).imported()
        for (id, truth) in year.truth {
            let shown = try object(
                try year.installation.holdfast("subscriber", "show", id, "--at", SimulatedYear.ends, "--format", "json")
            )
            #expect(shown["originalTransactionId"] as? String == id)
            #expect(shown["status"] as? String == truth[1], "\(id)")
            #expect(shown["autoRenewStatus"] as? String == truth[2], "\(id)")
            #expect(shown["productId"] as? String == truth[3], "\(id)")
            #expect((shown["expiresDate"] as? Int).map(String.init) == truth[4], "\(id)")
            #expect((shown["grants"] as? [Any])?.isEmpty == true && (shown["codes"] as? [Any])?.isEmpty == true)
            let history = try #require(shown["history"] as? [[String: Any]])
            #expect(history.first?["notificationType"] as? String == "SUBSCRIBED")
            #expect(history.last?["status"] as? String != nil)
            #expect(shown["isHistoryComplete"] as? Bool == true)
        }
    }

    @Test func `show in words tells state, access, message, window and history`() throws {
        let year = try SimulatedYear(subscribers: 30).imported()
        let id = try #require(
            year.ids("active").first { year.truth[$0]?[2] == "off" }, "nobody has cancelled in this seed")
        let text = try year.installation.holdfast("subscriber", "show", id, "--at", SimulatedYear.ends).text
        for words in [
            "subscriber   \(id)\n", "app          com.example.reader, Production\n",
            "status       active, auto-renew off\n", "access       full", "message      saveOffer: ", "save window  20",
            "\nHistory, by the date of signing\n", "  SUBSCRIBED ",
        ] { #expect(text.contains(words), "\(words) in \(text)") }
        // Before the cancellation there was none.
        let start = try #require(text.firstMatch(of: /save window  (\S+)/)).1
        let before = try year.installation.holdfast(
            "subscriber", "show", id, "--at", String(start.prefix(10)) + "T00:00:00Z")
        #expect(!before.text.contains("save window"), "\(before.text)")
    }

    @Test func `show says when the history has left the log, and still knows the status`() throws {
        let year = try SimulatedYear(subscribers: 6).imported()
        let id = try year.sql(
            "SELECT original_transaction_id FROM subscription s JOIN renewal_fact f ON f.subscription_id = s.id "
                + "GROUP BY s.id ORDER BY count(*) DESC LIMIT 1")
        func show() throws -> ChildResult {
            try year.installation.holdfast("subscriber", "show", id, "--at", SimulatedYear.ends)
        }
        let whole = try show().text
        try year.sql(
            "DELETE FROM signed_payload WHERE signed_date < (SELECT max(signed_date) FROM signed_payload p "
                + "JOIN subscription s ON s.id = p.subscription_id WHERE s.original_transaction_id = '\(id)')")
        let some = try show().text
        #expect(some.contains("has left the log; what it told is kept"), "\(some)")
        try year.sql("DELETE FROM signed_payload")
        let none = try show().text
        #expect(none.contains("The history has left the log"), "\(none)")
        #expect(none.prefix { $0 != "\n" } == whole.prefix { $0 != "\n" })
        let status = try #require(whole.split(separator: "\n").first { $0.hasPrefix("status") })
        #expect(some.contains(status) && none.contains(status))
        let replayed = try year.installation.holdfast("notifications", "replay")
        #expect(replayed.text.contains("0 came out otherwise"), "\(replayed.text)")
    }

    @Test func `nobody is shown or erased who was never seen, and the error says what to do`() throws {
        let installation = try Installation()
        for line in [["show", "7"], ["erase", "7"], ["erase", "7", "--dry-run"], ["show", "no\u{7}id"]] {
            let result = try run(
                Surroundings.holdfast, ["subscriber"] + line, environment: ["HOLDFAST_CONFIG": ""],
                in: installation.folder.url)
            #expect(result.exitCode == 2)
            #expect(result.text == "")
            #expect(result.errorText.hasPrefix("error: no subscriber '"), "\(result.errorText)")
            #expect(result.errorText.contains("'holdfast notifications import'"))
        }
        #expect(try installation.holdfast("subscriber", "show").exitCode == 64)
    }

    @Test func `a subscriber is found in its own environment, and not in another`() throws {
        let year = try SimulatedYear(subscribers: 2).imported()
        let made = try year.installation.holdfast(
            "simulate", "--subscribers", "2", "--environment", "Sandbox", "--from", "2026-01-01T00:00:00Z", "--output",
            "sandbox.jsonl")
        try #require(made.exitCode == 0, "\(made.errorText)")
        _ = try year.imports("sandbox.jsonl")
        let id = try year.sql(
            "SELECT original_transaction_id FROM subscription s JOIN app ON app.id = s.app_id "
                + "WHERE environment = 'Sandbox' LIMIT 1")
        let shown = try object(try year.installation.holdfast("subscriber", "show", id, "--format", "json"))
        #expect(shown["environment"] as? String == "Sandbox")
        #expect(try year.installation.holdfast("subscriber", "show", id, "--environment", "Production").exitCode == 2)
    }

    @Test func `erase removes one customer and keeps out what comes late`() throws {
        let year = try SimulatedYear().imported()
        let id = try #require(year.truth.keys.sorted().first)
        let before = try year.sql("SELECT count(*) FROM signed_payload")
        let dry = try year.installation.holdfast("subscriber", "erase", id, "--dry-run")
        #expect(dry.exitCode == 0 && dry.text.contains("nothing was removed"), "\(dry.text)")
        #expect(try year.sql("SELECT count(*) FROM signed_payload") == before)

        let erased = try year.installation.holdfast("subscriber", "erase", id)
        #expect(erased.exitCode == 0, "\(erased.errorText)")
        #expect(erased.text.hasPrefix("erased 1 subscription, "), "\(erased.text)")
        let entries = try #require(erased.text.firstMatch(of: /\d+ log entr(y|ies)/)).0
        #expect(dry.text.contains(": 1 subscription ") && dry.text.contains(", \(entries);"), "\(dry.text)")
        #expect(try year.installation.holdfast("subscriber", "show", id).exitCode == 2)
        #expect(try year.installation.holdfast("subscriber", "erase", id).exitCode == 2)
        let again = try year.imports("year.jsonl")
        #expect((again["erased"] ?? 0) > 0 && again["folded"] == 0, "\(again)")
        #expect(try year.installation.holdfast("subscriber", "show", id).exitCode == 2)
        let other = try #require(year.truth.keys.sorted().last)
        #expect(try year.installation.holdfast("subscriber", "show", other).exitCode == 0)

        let json = try object(try year.installation.holdfast("subscriber", "erase", other, "--format", "json"))
        #expect(json["subscriptions"] as? Int == 1 && (json["payloads"] as? Int ?? 0) > 0)
    }
}
