import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// `POST /v1/codes/claims`, asked with curl; the sqlite3 program counts what was written.
@Suite(.serialized) struct `The route that gives codes` {
    private let server: TestServer
    private let client: String
    private let marketer: String

    init() throws {
        server = try TestServer(catalogText: TestServer.codeCatalog())
        client = try server.makeKey(.client)
        marketer = try server.makeKey(.marketer)
    }

    private func load(_ codes: [String], _ parameters: [String: String?] = [:]) throws {
        let answer = try server.loadCodes(codes.map { $0 + "\n" }.joined(), key: marketer, parameters)
        try #require(answer.decision == "loaded", "\(answer.text)")
    }

    private func books() throws -> [String] { try Store(reading: server.database).codeFaults() }

    @Test func `a customer gets a code with its link and expiry, and the same one whenever they ask`() throws {
        try load(["TIDE2", "TIDE1"])
        let first = try server.claim("4711", key: client)
        #expect(first.status == 200 && first.contentType == "application/json")
        let url = "https://apps.apple.com/redeem?ctx=offercodes&id=6400000001&code=TIDE1"
        let expected = """
            {"decision":"granted","offer":"THANKS","productId":"tide.monthly","code":"TIDE1","redemptionURL":"\(url)",\
            "expiresDate":1798761600000,"reasons":[]}
            """
        #expect(first.text == expected)
        #expect(try server.claim("4711", key: client).text == expected)
        #expect(try server.claim("4712", key: client).code == "TIDE2")
        #expect(try server.sqlite3("SELECT count(*), count(DISTINCT position) FROM code_claim") == "2|2")
        #expect(try books() == [])
    }

    @Test func `the same request gets the same bytes, and its id with another body is a conflict`() throws {
        try load(["TIDE1", "TIDE2"])
        let id = UUID().uuidString
        let first = try server.claim("a", key: client, ["requestId": id])
        let again = try server.claim("a", key: client, ["requestId": id.lowercased()])
        #expect(first.text == again.text && again.status == 200)
        let other = try server.claim("b", key: client, ["requestId": id])
        #expect(other.status == 409 && other.problem == "requestIdReused" && other.fields == ["requestId"])
        // A signature's id is another request's, too.
        let offer = try server.offer(key: client, ["requestId": id])
        #expect(offer.status == 409)
        #expect(try server.sqlite3("SELECT count(*) FROM code_claim") == "1")

        // What was refused stays refused for the same id, and is decided anew for another.
        _ = try server.claim("b", key: client)
        let refusedId = UUID().uuidString
        let refused = try server.claim("c", key: client, ["requestId": refusedId])
        #expect(refused.status == 200 && refused.decision == "refused" && refused.reasons == ["codePoolExhausted"])
        #expect(refused.json["code"] is NSNull && refused.json["redemptionURL"] is NSNull)
        try load(["TIDE3"])
        #expect(try server.claim("c", key: client, ["requestId": refusedId]).text == refused.text)
        #expect(try server.claim("c", key: client).code == "TIDE3")
        server.clock.advance(milliseconds: 24 * 3_600_000)
        #expect(try server.claim("c", key: client, ["requestId": refusedId]).code == "TIDE3")
        #expect(try books() == [])
    }

    @Test func `a code that was taken back is not given to the old request again`() throws {
        try load(["TIDE1", "TIDE2", "TIDE3"])
        let id = UUID().uuidString
        #expect(try server.claim("a", key: client, ["requestId": id]).code == "TIDE1")
        server.clock.advance(milliseconds: 1000)
        let store = try Store(server.database, now: server.clock.now)
        func move(_ code: String, isVoid: Bool) throws {
            let code = try #require(OfferCode(rawValue: code))
            let moved =
                isVoid
                ? try store.voidCode(
                    code, bundleId: TestServer.bundleId, environment: .production, reason: "leaked",
                    now: server.clock.now)
                : try store.releaseCode(
                    code, bundleId: TestServer.bundleId, environment: .production, reason: "never sent",
                    now: server.clock.now)
            #expect(moved == .moved(1))
        }
        try move("TIDE1", isVoid: false)
        #expect(try server.claim("b", key: client).code == "TIDE1")
        let next = try server.claim("a", key: client, ["requestId": id])
        #expect(next.code == "TIDE2", "\(next.text)")
        #expect(try server.claim("a", key: client, ["requestId": id]).text == next.text)
        server.clock.advance(milliseconds: 1000)
        try move("TIDE2", isVoid: true)
        #expect(try server.claim("a", key: client, ["requestId": id]).code == "TIDE3")
        #expect(try server.sqlite3("SELECT count(*), count(DISTINCT position) FROM code_claim") == "2|2")
        #expect(try books() == [])
    }

    @Test func `an answer outlives the process that gave it`() throws {
        try load(["TIDE1"])
        let id = UUID().uuidString
        let first = try server.claim("a", key: client, ["requestId": id])
        let grant = try server.sqlite3(
            "SELECT cast(answer AS text) FROM offer_grant WHERE kind = 'codeClaim' AND decision = 'granted'")
        #expect(grant == first.text)
    }

    @Test func `C05 of 400 who claim at once, 100 get the 100 codes and 300 are told that there are none`() throws {
        try load((0..<100).map { "TIDE\($0)" })
        var config = ""
        for number in 0..<400 {
            if number > 0 { config += "next\n" }
            let body = try JSONSerialization.data(withJSONObject: TestServer.claimRequest("customer \(number)"))
            let file = try server.folder.write(body, to: "claim-\(number)")
            config += """
                url = "http://127.0.0.1:\(server.port)/v1/codes/claims"
                header = "Authorization: Bearer \(client)"
                data-binary = "@\(file.path)"
                output = "\(server.folder.path("answer-\(number)"))"

                """
        }
        let result = try run(
            "curl", ["--silent", "--show-error", "--parallel", "--parallel-max", "64", "-K", "-"],
            input: Data(config.utf8))
        try #require(result.exitCode == 0, "\(result.errorText)")
        let answers = try (0..<400).map { number in
            CurlAnswer(
                status: 200, contentType: "",
                text: try String(contentsOfFile: server.folder.path("answer-\(number)"), encoding: .utf8))
        }
        let codes = answers.compactMap(\.code)
        #expect(codes.count == 100 && Set(codes).count == 100)
        #expect(answers.count { $0.reasons == ["codePoolExhausted"] } == 300)
        #expect(try books() == [])
        // And everyone is told the same again.
        for number in stride(from: 0, to: 400, by: 40) {
            let again = try curl(
                "POST", port: server.port, path: "/v1/codes/claims", key: client,
                body: Data(contentsOf: server.folder.url.appendingPathComponent("claim-\(number)")))
            #expect(again.text == answers[number].text)
        }
    }

    @Test func `C06 a date is the last day of the codes in their zone, and nobody gets a dying code`() throws {
        let server = try TestServer(
            catalogText: TestServer.codeCatalog(),
            offerCodes: .init(quarterlyLimit: 100, quarterTimeZone: "UTC", expiryMarginMilliseconds: 0))
        let (client, marketer) = (try server.makeKey(.client), try server.makeKey(.marketer))
        let load = try server.loadCodes("A1\nA2\nA3\n", key: marketer, ["expires": "2026-10-05"])
        #expect(load.json["expiresDate"] as? Int == 1_791_244_800_000)
        func claim(_ customer: String, at seconds: Int64) throws -> CurlAnswer {
            server.clock.advance(milliseconds: seconds * 1000 - server.clock.now.millisecondsSince1970)
            return try server.claim(customer, key: client)
        }
        #expect(try claim("a", at: 1_791_158_401).decision == "granted")
        #expect(try claim("b", at: 1_791_244_799).decision == "granted")
        #expect(try claim("c", at: 1_791_244_800).reasons == ["codePoolExhausted"])
        // With the margin that holds when none is configured, claims stop a day before.
        try self.load(["B1", "B2"], ["expires": "2026-10-05"])
        self.server.clock.advance(milliseconds: 1_791_158_399_000 - self.server.clock.now.millisecondsSince1970)
        #expect(try self.server.claim("a", key: self.client).decision == "granted")
        self.server.clock.advance(milliseconds: 1000)
        #expect(try self.server.claim("b", key: self.client).reasons == ["codePoolExhausted"])
    }

    @Test func `blanks around an id make no other customer`() throws {
        try load(["TIDE1", "TIDE2"])
        #expect(try server.claim(" 4711 ", key: client).code == "TIDE1")
        #expect(try server.claim("4711", key: client).code == "TIDE1")
        #expect(try server.claim("\u{A0}4711\t", key: client).code == "TIDE1")
        #expect(try server.claim("47 11", key: client).code == "TIDE2")
        #expect(try server.sqlite3("SELECT customer FROM code_claim ORDER BY position") == "4711\n47 11")
    }

    @Test func `codes of the other environment and of other offers are not given`() throws {
        try load(["SAND1"], ["environment": "Sandbox"])
        #expect(try server.claim("a", key: client).reasons == ["codePoolExhausted"])
        #expect(try server.claim("a", key: client, ["environment": "Sandbox"]).code == "SAND1")
        let unknown = try server.claim("a", key: client, ["offer": "THANK"])
        #expect(unknown.status == 200 && unknown.reasons == ["noCodeOffer"])
        #expect(unknown.text.contains("did you mean 'THANKS'?"))
    }

    @Test(
        arguments: [
            ("wrongShape", 400, ["customer": nil]), ("wrongShape", 400, ["offer": nil]),
            ("wrongShape", 400, ["customer": 4711]), ("wrongShape", 400, ["productId": "tide.monthly"]),
            ("wrongShape", 400, ["originalTransactionId": "100"]),
            ("invalidValue", 422, ["customer": ""]), ("invalidValue", 422, ["customer": " \t\u{A0}"]),
            ("invalidValue", 422, ["customer": "a\u{7}"]),
            ("invalidValue", 422, ["customer": String(repeating: "x", count: 256)]),
            ("invalidValue", 422, ["requestId": "1"]), ("unknownApp", 422, ["bundleId": "com.example.nobody"]),
            ("unknownEnvironment", 422, ["environment": "Xcode"]),
            ("unverifiableProof", 422, ["customer": nil, "signedTransactionInfo": "a.b.c"]),
        ] as [(String, Int, [String: (any Sendable)?])])
    func `a request that cannot be is refused by its field`(
        code: String, status: Int, fields: [String: (any Sendable)?]
    ) throws {
        let answer = try server.claim("a", key: client, fields.mapValues { $0 as Any? })
        #expect(answer.status == status && answer.problem == code, "\(answer.text)")
        #expect(answer.fields.allSatisfy { fields.keys.contains($0) } && !answer.fields.isEmpty, "\(answer.text)")
        #expect(try server.sqlite3("SELECT count(*) FROM offer_grant") == "0")
    }

    @Test func `keys of other roles and apps get nothing`() throws {
        try load(["TIDE1"])
        #expect(try server.claim("a", key: nil).status == 401)
        #expect(try server.claim("a", key: marketer).problem == "roleNotAllowed")
        let bound = try server.makeKey(.client, app: TestServer.otherBundleId)
        #expect(try server.claim("a", key: bound).problem == "appNotAllowed")
        #expect(try server.sqlite3("SELECT count(*) FROM code_claim") == "0")
    }

    @Test func `a device is named by what Apple signed, and is one customer by all its names`() throws {
        try load(["TIDE1", "TIDE2", "TIDE3"])
        let device = try server.makeKey(.device)
        #expect(try server.claim("a", key: device).problem == "proofMissing")
        // It is told what it may send, whatever it sent as 'customer'.
        for customer in [nil, "a", ""] {
            let answer = try server.claim(customer, key: device)
            #expect(answer.status == 403 && answer.problem == "proofMissing", "\(answer.text)")
            #expect(answer.fields == ["signedTransactionInfo"])
            #expect(answer.text.contains("'signedAppTransactionInfo'") && !answer.text.contains("'customer'"))
        }
        let transaction = try server.appStore.signedTransaction(
            server.transaction("200") { $0.appTransactionId = AppTransactionID("900") })
        #expect(try server.claim("a", key: device, ["signedTransactionInfo": transaction]).problem == "proofMissing")
        let first = try server.claim(nil, key: device, ["signedTransactionInfo": transaction])
        #expect(first.code == "TIDE1", "\(first.text)")
        var download = AppTransaction()
        download.bundleId = TestServer.bundleId
        download.appAppleId = 6_400_000_001
        download.receiptType = .production
        download.receiptCreationDate = server.clock.now
        download.appTransactionId = AppTransactionID("900")
        let signed = try server.appStore.signedAppTransaction(download)
        let byDownload = try server.claim(nil, key: device, ["signedAppTransactionInfo": signed])
        #expect(byDownload.code == "TIDE1", "\(byDownload.text)")
        // The transaction without the download's id, as Apple signed it earlier, is of the same customer.
        let older = try server.appStore.signedTransaction(server.transaction("200"))
        #expect(try server.claim(nil, key: device, ["signedTransactionInfo": older]).code == "TIDE1")
        let stranger = try server.appStore.signedTransaction(server.transaction("300"))
        #expect(try server.claim(nil, key: device, ["signedTransactionInfo": stranger]).code == "TIDE2")
        // A back end's own number is never taken for Apple's.
        #expect(try server.claim("300", key: client).code == "TIDE3")
        let customers = try server.sqlite3("SELECT customer FROM code_claim ORDER BY position")
        #expect(customers == "appTransactionId:900\noriginalTransactionId:300\n300")
        #expect(try books() == [])
    }

    @Test func `what a claim wrote is undone with it`() throws {
        try load(["TIDE1"])
        // A grant that cannot be written takes the code back with it.
        _ = try server.sqlite3(
            "CREATE TRIGGER no_grant BEFORE INSERT ON offer_grant BEGIN SELECT raise(ABORT, 'no'); END")
        #expect(try server.claim("a", key: client).status == 500)
        _ = try server.sqlite3("DROP TRIGGER no_grant")
        #expect(try server.sqlite3("SELECT count(*) FROM code_claim") == "0")
        #expect(try books() == [])
        #expect(try server.claim("b", key: client).code == "TIDE1")
    }
}
