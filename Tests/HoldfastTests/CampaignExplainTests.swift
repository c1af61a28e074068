import Foundation
import TestSupport
import Testing

/// `campaign explain` and `campaign preview` over real files and a real database.
@Suite struct CampaignExplainTests {
    private static let campaign = """
        schema: 1
        campaign: keep
        status: active
        audience: { bundleId: com.example.reader, environment: Production, productId: reader.annual }
        rules:
          - rule: save
            when: { status: active, autoRenewStatus: off }
            via: [app, webhook]
            offers:
              - promotionalOffer: save50
                productId: reader.monthly
          - rule: reminder
            when: { status: [billingRetry, billingGracePeriod] }
            message: update-payment
          - rule: return
            when: { status: expired }
            offers: [{ offerCode: SPRING }]

        """
    /// The same, with a control group.
    private static let compared = campaign.replacingOccurrences(of: "campaign: keep\n", with: "campaign: compared\n")
        .replacingOccurrences(of: "rules:\n", with: "holdout: { percent: 40 }\nrules:\n")

    private func year() throws -> SimulatedYear {
        let year = try SimulatedYear(subscribers: 60).imported()
        try year.installation.folder.write(Self.campaign, to: "Campaigns/keep.yaml")
        try year.installation.folder.write(Self.compared, to: "Campaigns/compared.yaml")
        return year
    }

    private func preview(_ year: SimulatedYear, _ campaign: String, _ more: String...) throws -> [String: Any] {
        let arguments = ["campaign", "preview", campaign, "--format", "json"] + more
        let result = try run(
            Surroundings.holdfast, arguments, environment: ["HOLDFAST_CONFIG": ""], in: year.installation.folder.url)
        #expect(result.errorText == "")
        return try object(result)
    }

    private func given(_ preview: [String: Any], _ rule: String) -> Int {
        (preview["given"] as? [[String: Any]] ?? []).filter { $0["rule"] as? String == rule }
            .reduce(0) { $0 + ($1["count"] as? Int ?? 0) }
    }

    private func reason(_ preview: [String: Any], _ code: String) -> Int? {
        (preview["reasons"] as? [[String: Any]] ?? []).first { $0["code"] as? String == code }?["count"] as? Int
    }

    @Test func `preview counts what the database itself counts, and writes nothing`() throws {
        let year = try year()
        let before = try year.sql(".dump")
        let preview = try preview(year, "keep", "--at", SimulatedYear.ends)
        let end = Int64(1_798_761_600_000)
        func count(_ condition: String) throws -> Int {
            try #require(Int(try year.sql("SELECT count(*) FROM subscription WHERE \(condition)")))
        }
        #expect(preview["subscribers"] as? Int == 60)
        #expect(try preview["audience"] as? Int == count("product_id = 'reader.annual'"))
        #expect(try reason(preview, "notInAudience") == count("product_id <> 'reader.annual'"))
        let saved = try count(
            """
            product_id = 'reader.annual' AND revocation_date IS NULL AND expires_date > \(end)
            AND auto_renew_status = 0
            """)
        #expect(saved > 0)
        #expect(given(preview, "save") == saved)
        let offered = try #require(preview["offered"] as? Int)
        #expect(offered == saved + given(preview, "reminder") + given(preview, "return"))
        #expect(preview["refused"] as? Int == (preview["audience"] as? Int ?? 0) - offered)
        #expect(try year.sql(".dump") == before)
    }

    @Test func `preview as of an instant knows nothing that was signed later`() throws {
        let year = try year()
        let preview = try preview(year, "keep", "--at", "2026-06-01T00:00:00Z")
        let then = Int64(1_780_272_000_000)
        let known = try year.sql(
            "SELECT count(DISTINCT subscription_id) FROM transaction_fact WHERE signed_date <= \(then)")
        #expect(preview["subscribers"] as? Int == Int(known))
        #expect(Int(known) ?? 60 < 60)
    }

    @Test func `explain says of each subscriber what preview counts of all`() throws {
        let year = try year()
        for campaign in ["keep", "compared"] {
            let preview = try preview(year, campaign, "--at", SimulatedYear.ends)
            var offered: [String: Int] = [:]
            var reasons: [String: Int] = [:]
            for id in year.truth.keys.sorted() {
                let told = try object(
                    try year.installation.holdfast(
                        "campaign", "explain", campaign, id, "--at", SimulatedYear.ends, "--format", "json"))
                #expect(told["originalTransactionId"] as? String == id)
                if let rule = told["rule"] as? String {
                    offered[rule, default: 0] += 1
                } else {
                    let codes = (told["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
                    #expect(!codes.isEmpty)
                    for code in Set(codes) { reasons[code, default: 0] += 1 }
                }
            }
            #expect(
                offered
                    == ["save", "reminder", "return"].reduce(into: [:]) { counts, rule in
                        if given(preview, rule) > 0 { counts[rule] = given(preview, rule) }
                    })
            for code in reasons.keys { #expect(reason(preview, code) == reasons[code], "\(campaign) \(code)") }
            #expect((preview["reasons"] as? [Any])?.count == reasons.count)
            #expect(preview["heldOut"] as? Int == reasons["heldOut"] ?? 0)
        }
    }

    @Test func `explain in words names each condition with what was found`() throws {
        let year = try year()
        let id = try year.sql(
            """
            SELECT original_transaction_id FROM subscription WHERE product_id = 'reader.annual'
            AND revocation_date IS NULL AND expires_date > 1798761600000 AND auto_renew_status = 0 LIMIT 1
            """)
        try #require(!id.isEmpty, "nobody has cancelled in this seed")
        func explain(_ more: String...) throws -> ChildResult {
            try run(
                Surroundings.holdfast, ["campaign", "explain", "keep", id, "--at", SimulatedYear.ends] + more,
                environment: ["HOLDFAST_CONFIG": ""], in: year.installation.folder.url)
        }
        let text = try explain().text
        for words in [
            "answer      promotionalOffer save50 on reader.monthly, by rule 'save'\n",
            "  yes  productId  reader.annual  found reader.annual\n", "\nRule 'save': used\n",
            "  yes  via              app, webhook  asked app\n", "  yes  autoRenewStatus  off           found off\n",
            "  offer promotionalOffer save50 on reader.monthly: available\n", "\nRule 'return': does not hold\n",
        ] { #expect(text.contains(words), "\(words) in \(text)") }
        let webhook = try explain("--via", "retentionMessage").text
        #expect(webhook.contains("answer      nothing\n  noRuleHolds: "), "\(webhook)")
        #expect(webhook.contains("\nRule 'save': not for this door\n"), "\(webhook)")
        let sandbox = try explain("--environment", "Sandbox")
        #expect(sandbox.exitCode == 2 && sandbox.text == "")
    }

    @Test func `a campaign or subscriber that is not there is an error that says what to do`() throws {
        let installation = try Installation()
        try installation.folder.write(Self.campaign, to: "Campaigns/keep.yaml")
        for line in [["explain", "kep", "7"], ["preview", "kep"]] {
            let result = try run(
                Surroundings.holdfast, ["campaign"] + line, environment: ["HOLDFAST_CONFIG": ""],
                in: installation.folder.url)
            #expect(result.exitCode == 2 && result.text == "")
            #expect(result.errorText.hasPrefix("error: no campaign 'kep' in '"), "\(result.errorText)")
            #expect(result.errorText.hasSuffix("; did you mean 'keep'?\n"), "\(result.errorText)")
        }
        let nobody = try installation.holdfast("campaign", "explain", "keep", "7")
        #expect(nobody.exitCode == 2 && nobody.errorText.hasPrefix("error: no subscriber '7'"), "\(nobody.errorText)")
        let empty = try installation.holdfast("campaign", "preview", "keep", "--format", "csv")
        #expect(empty.text.hasPrefix("count,what,rule,") && empty.text.contains("\n0,subscribers,"), "\(empty.text)")
        let other = try installation.holdfast("campaign", "preview", "keep", "--app", "com.example.other")
        #expect(other.exitCode == 2 && other.errorText.contains("is for 'com.example.reader'"), "\(other.errorText)")
    }
}
