import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// `POST /v1/offers`, asked with curl; the sqlite3 program counts what was written.
@Suite(.serialized) struct `The route that gives offers of campaigns` {
    private let server: TestServer
    private let client: String

    init() throws {
        server = try TestServer(
            catalogText: TestServer.codeCatalog(),
            campaigns: [
                TestServer.save,
                TestServer.campaign(
                    "thanks",
                    rules: """
                          - rule: code
                            when: { status: active }
                            offers: [{ offerCode: THANKS }, { promotionalOffer: gift_month }]
                          - { rule: words, when: { status: [billingRetry, billingGracePeriod] }, message: fix-payment }
                        """),
            ])
        client = try server.makeKey(.client)
    }

    private func metrics() throws -> String {
        try curl("GET", port: server.port, path: "/metrics", key: server.makeKey(.operator)).text
    }

    @Test func `an offer of a campaign is signed over the bytes of Apple's own library`() throws {
        var lines: [String] = []
        for (number, token) in [UUID(), nil, UUID()].enumerated() {
            try server.subscribe("10\(number)", token: token)
            let answer = try server.campaignOffer(
                key: client,
                ["originalTransactionId": "10\(number)", "appAccountToken": token?.uuidString.lowercased()])
            #expect(answer.status == 200 && answer.text("offerType") == "promotionalOffer", "\(answer.text)")
            #expect(answer.text("campaign") == "save" && answer.text("rule") == "half")
            #expect(answer.text("message") == "stay" && answer.reasons == [])
            let line = """
                {"appAccountToken": \(token.map { "\"\($0.uuidString.lowercased())\"" } ?? "null"), "answer": \(answer.text)}
                """
            lines.append(line)
        }
        let keyFile = try server.folder.write(server.signingKey.exportSecretPEM(), to: "key.p8")
        let script = Surroundings.project.appendingPathComponent("Fixtures/Oracles/campaign_offers.py").path
        let result = try run(
            Surroundings.python,
            [
                script, keyFile.path, "\(TestServer.keyId)", "\(TestServer.issuerId)", "\(TestServer.bundleId)",
            ], input: Data(lines.joined(separator: "\n").utf8), environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        #expect(result.text == "3 verified\n", "\(result.errorText)")
    }

    @Test func `the same request gets the same bytes, its id with another body is a conflict, and a cap holds`() throws
    {
        try server.subscribe("100")
        let id = UUID().uuidString
        let first = try server.campaignOffer(key: client, ["requestId": id])
        #expect(first.decision == "offered")
        server.clock.advance(milliseconds: 86_400_000 - 1)
        #expect(try server.campaignOffer(key: client, ["requestId": id]).text == first.text)
        let other = try server.campaignOffer(key: client, ["requestId": id, "timeZone": "Europe/Berlin"])
        #expect(other.status == 409 && other.problem == "requestIdReused")
        let capped = try server.campaignOffer(key: client, ["campaign": "save"])
        #expect(capped.decision == "refused" && capped.reasons == ["frequencyCapReached"], "\(capped.text)")
        for name in ["grantId", "campaign", "offerType", "v1", "v2", "code", "message", "expiresDate"] {
            #expect(capped.json[name] is NSNull, "\(name)")
        }
        // A grant that came to nothing counts for no cap.
        let grant = try #require(first.text("grantId"))
        #expect(try server.outcome("failed", of: grant, key: client).status == 200)
        #expect(try server.campaignOffer(key: client).text("campaign") == "save")
        #expect(
            try server.sqlite3("SELECT count(*), count(DISTINCT offer_grant_id) FROM campaign_grant") == "2|2")
        #expect(try server.sqlite3("SELECT given, redeemed FROM campaign_total WHERE campaign = 'save'") == "2|0")
        let text = try metrics()
        #expect(text.contains("holdfast_campaign_decisions_total{campaign=\"save\",result=\"offered\"} 2\n"))
        #expect(text.contains("holdfast_campaign_decisions_total{result=\"refused\"} 1\n"), "\(text)")
        #expect(text.contains("holdfast_refusals_total{reason=\"frequencyCapReached\"} 1\n"))
        #expect(text.contains("holdfast_campaigns_loaded 1\n"))
    }

    @Test func `everything that the decision used is kept with the grant`() throws {
        let token = UUID()
        try server.subscribe("100", token: token) { $0.storefront = "DEU" }
        let answer = try server.campaignOffer(
            key: client, ["appAccountToken": token.uuidString, "timeZone": "Asia/Tokyo"])
        let columns = """
            SELECT lower(hex(g.grant_id)) AS grant_id, g.campaign, g.rule, g.via, g.offer_type, g.offer_identifier,
            g.product_id, g.facts, g.refusals, lower(hex(g.app_account_token)) AS token, g.given_date,
            f.content, cast(o.answer AS TEXT) AS answer, s.time_zone
            FROM campaign_grant g JOIN campaign_file f ON f.digest = g.file_digest
            JOIN offer_grant o ON o.id = g.offer_grant_id JOIN subscription s ON s.id = g.subscription_id
            """
        let output = try run("sqlite3", ["-json", server.database, columns]).output
        let rows = try #require(JSONSerialization.jsonObject(with: output) as? [[String: Any]])
        let row = try #require(rows.first)
        #expect(rows.count == 1 && row["answer"] as? String == answer.text)
        #expect(row["grant_id"] as? String == answer.text("grantId")?.replacingOccurrences(of: "-", with: ""))
        #expect(
            row["campaign"] as? String == "save" && row["rule"] as? String == "half" && row["via"] as? String == "app")
        #expect(row["offer_type"] as? Int == 2 && row["offer_identifier"] as? String == "save50")
        #expect(row["product_id"] as? String == "tide.monthly" && row["content"] as? String == TestServer.save)
        #expect(row["token"] as? String == token.uuidString.lowercased().replacingOccurrences(of: "-", with: ""))
        #expect(row["time_zone"] as? String == "Asia/Tokyo")
        let text = try #require(row["facts"] as? String)
        let facts = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(facts["status"] as? String == "active" && facts["storefront"] as? String == "DEU")
        #expect(facts["timeZone"] as? String == "Asia/Tokyo" && facts["given"] as? Int == 0)
    }

    @Test func `a customer never seen is refused, and what cannot be is told by its field`() throws {
        #expect(try server.campaignOffer(key: client).reasons == ["neverSubscribed"])
        try server.subscribe("100")
        for (fields, status, code, field) in [
            (["campaign": "sav"], 422, "unknownCampaign", "campaign"),
            (["timeZone": "+02:00"], 422, "invalidValue", "timeZone"),
            (["timeZone": "Europe/Berlim"], 422, "invalidValue", "timeZone"),
            (["via": "webhook"], 422, "invalidValue", "via"), (["via": nil], 400, "wrongShape", "via"),
            (["environment": "Xcode"], 422, "unknownEnvironment", "environment"),
            (["productId": "tide.monthly"], 400, "wrongShape", "productId"),
            (["originalTransactionId": nil], 400, "wrongShape", "originalTransactionId"),
        ] as [([String: Any?], Int, String, String)] {
            let answer = try server.campaignOffer(key: client, fields)
            #expect(answer.status == status && answer.problem == code && answer.fields == [field], "\(answer.text)")
        }
        let near = try server.campaignOffer(key: client, ["campaign": "sav"])
        #expect(near.text.contains("did you mean 'save'?"), "\(near.text)")
        #expect(try server.campaignOffer(key: server.makeKey(.marketer)).status == 403)
        let only = try server.campaignOffer(key: client, ["campaign": "thanks"])
        #expect(only.text("campaign") == "thanks" && only.text("offerIdentifier") == "gift_month", "\(only.text)")
    }

    @Test func `a customer keeps one code, and an empty pool leads to the next best`() throws {
        let marketer = try server.makeKey(.marketer)
        for id in ["200", "300"] { try server.subscribe(id) }
        try #require(server.loadCodes("TIDE1\n", key: marketer).decision == "loaded")
        func ask(_ id: String, _ requestId: String = UUID().uuidString) throws -> CurlAnswer {
            try server.campaignOffer(
                key: client, ["originalTransactionId": id, "campaign": "thanks", "requestId": requestId])
        }
        let id = UUID().uuidString
        let first = try ask("200", id)
        #expect(first.text("offerType") == "offerCode" && first.code == "TIDE1", "\(first.text)")
        #expect(first.text("redemptionURL")?.hasSuffix("&code=TIDE1") == true && first.json["v1"] is NSNull)
        #expect(try ask("200").code == "TIDE1")
        let empty = try ask("300")
        #expect(empty.text("offerIdentifier") == "gift_month" && empty.v1 != nil, "\(empty.text)")
        #expect(try server.sqlite3("SELECT count(*) FROM code_claim") == "1")

        // What was taken back is decided anew, and counts for nothing.
        server.clock.advance(milliseconds: 1_000)
        let code = try #require(OfferCode(rawValue: "TIDE1"))
        let moved = try Store(server.database, now: server.clock.now).releaseCode(
            code, bundleId: TestServer.bundleId, environment: .production, reason: "never sent", now: server.clock.now)
        #expect(moved == .moved(1))
        #expect(try ask("300").code == "TIDE1")
        let anew = try ask("200", id)
        #expect(anew.text("offerIdentifier") == "gift_month" && anew.code == nil, "\(anew.text)")
        #expect(try ask("200", id).text == anew.text)
        #expect(
            try server.sqlite3("SELECT outcome, outcome_error FROM campaign_grant ORDER BY id LIMIT 1")
                == "failed|codeTakenBack")
        #expect(try Store(reading: server.database).codeFaults() == [])
    }

    @Test func `the last outcome holds, a purchase is final, and each grant is redeemed once`() throws {
        try server.subscribe("100")
        let grant = try #require(try server.campaignOffer(key: client).text("grantId"))
        let id = UUID().uuidString
        let cancelled = try server.outcome("cancelled", of: grant, key: client, ["requestId": id])
        #expect(cancelled.text == "{\"grantId\":\"\(grant)\",\"outcome\":\"cancelled\"}")
        let device = try server.makeKey(.device, app: TestServer.bundleId)
        #expect(try server.outcome("purchased", of: grant.uppercased(), key: device).text("outcome") == "purchased")
        #expect(try server.outcome("failed", of: grant, key: client, ["error": "late"]).text("outcome") == "purchased")
        #expect(try server.outcome("cancelled", of: grant, key: client, ["requestId": id]).text == cancelled.text)
        #expect(try server.outcome("failed", of: grant, key: client, ["requestId": id]).status == 409)
        #expect(try server.sqlite3("SELECT given, redeemed FROM campaign_total") == "1|1")
        let unknown = try server.outcome("purchased", of: UUID().uuidString, key: client)
        #expect(unknown.status == 404 && unknown.fields == ["grantId"])
        let other = try server.makeKey(.client, app: TestServer.otherBundleId)
        #expect(try server.outcome("failed", of: grant, key: other).status == 404)
        #expect(try server.outcome("bought", of: grant, key: client).fields == ["outcome"])
        #expect(try server.outcome("failed", of: "4711", key: client).fields == ["grantId"])

        // The transaction of that purchase is the same redemption.
        server.clock.advance(milliseconds: 60_000)
        try server.subscribe("100") {
            $0.transactionId = TransactionID("101")
            $0.purchaseDate = server.clock.now
            $0.expiresDate = server.clock.now.adding(milliseconds: 30 * 86_400_000)
            $0.signedDate = server.clock.now
            $0.offerType = .promotionalOffer
            $0.offerIdentifier = OfferIdentifier("save50")
        }
        #expect(
            try server.sqlite3("SELECT redeemed_transaction_id, redeemed_date IS NOT NULL FROM campaign_grant")
                == "101|1")
        #expect(try server.sqlite3("SELECT given, redeemed FROM campaign_total") == "1|1")
    }

    @Test func `a device is named by its proof, of several subscriptions the campaign asked first gives`() throws {
        let token = UUID()
        try server.subscribe("100", token: token) { $0.productId = ProductID("tide.yearly") }
        try server.subscribe("150", token: token) {
            $0.purchaseDate = TestServer.start.adding(milliseconds: -20 * 86_400_000)
        }
        let device = try server.makeKey(.device)
        let jws = try server.appStore.signedTransaction(server.transaction("150", token: token))
        let proven = try server.campaignOffer(
            key: device, ["originalTransactionId": nil, "signedTransactionInfo": jws])
        #expect(proven.decision == "offered" && proven.text("campaign") == "save", "\(proven.text)")
        #expect(try server.campaignOffer(key: device).problem == "proofMissing")
        #expect(try server.outcome("failed", of: #require(proven.text("grantId")), key: device).status == 200)
        // The yearly subscription is the foremost and would have something of 'thanks'; the monthly one has it of 'save'.
        let yearly = try server.campaignOffer(key: client, ["originalTransactionId": "100"])
        #expect(yearly.text("campaign") == "thanks", "\(yearly.text)")
        let named = try server.campaignOffer(
            key: client, ["originalTransactionId": nil, "appAccountToken": token.uuidString])
        #expect(named.text("campaign") == "save" && named.text("productId") == "tide.monthly", "\(named.text)")
    }

    @Test func `campaigns are listed with what they gave, for the apps of the key alone`() throws {
        try server.subscribe("100")
        _ = try server.campaignOffer(key: client)
        let marketer = try server.makeKey(.marketer)
        let listed = try curl("GET", port: server.port, path: "/v1/campaigns", key: marketer)
        let rows = listed.objects("campaigns")
        #expect(rows.compactMap { $0["campaign"] as? String } == ["save", "thanks"], "\(listed.text)")
        #expect(rows[0]["given"] as? Int == 1 && rows[0]["redeemed"] as? Int == 0 && rows[0]["heldOut"] as? Int == 0)
        #expect(rows[1]["rules"] as? [String] == ["code", "words"] && rows[1]["given"] as? Int == 0)
        let digest = try run("sha256sum", [server.folder.path("Campaigns/0.yaml")]).text.prefix(64)
        #expect(rows[0]["digest"] as? String == String(digest))
        let other = try server.makeKey(.marketer, app: TestServer.otherBundleId)
        #expect(
            try curl("GET", port: server.port, path: "/v1/campaigns", key: other).objects("campaigns").isEmpty)
        #expect(try curl("GET", port: server.port, path: "/v1/campaigns", key: client).status == 403)
    }

    @Test func `arms are given once, and who is held out is counted`() throws {
        let server = try TestServer(
            catalogText: TestServer.codeCatalog(),
            campaigns: [
                TestServer.campaign(
                    "half",
                    more: "holdout: { percent: 50 }\nvariants: [{ name: a, weight: 1 }, { name: b, weight: 1 }]",
                    rules: "  - { rule: r, offers: [{ promotionalOffer: save50 }] }")
            ])
        let client = try server.makeKey(.client)
        var heldOut = 0
        for number in 0..<24 {
            try server.subscribe("7\(number)")
            for _ in 0..<2 {
                let answer = try server.campaignOffer(key: client, ["originalTransactionId": "7\(number)"])
                #expect((answer.decision == "refused") == (answer.reasons == ["heldOut"]), "\(answer.text)")
                heldOut += answer.decision == "refused" ? 1 : 0
                if answer.decision == "offered" { #expect(["a", "b"].contains(answer.text("variant"))) }
            }
        }
        #expect(heldOut % 2 == 0 && (4..<44).contains(heldOut))
        let arms = try server.sqlite3(
            """
            SELECT count(*), sum(arm = 'heldOut'), (SELECT assigned FROM campaign_arm_total WHERE arm = 'heldOut')
            FROM campaign_arm WHERE key = 'holdout/half'
            """)
        #expect(arms == "24|\(heldOut / 2)|\(heldOut / 2)")
        let row = try curl("GET", port: server.port, path: "/v1/campaigns", key: server.makeKey(.marketer))
        #expect(row.objects("campaigns").first?["heldOut"] as? Int == heldOut / 2)
    }
}
