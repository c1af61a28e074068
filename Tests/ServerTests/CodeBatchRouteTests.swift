import CampaignCore
import Foundation
import Storage
import TestSupport
import Testing

@testable import Server

/// `POST` and `GET /v1/code-batches`, asked with curl.
@Suite(.serialized) struct `The route of code batches` {
    private let server: TestServer
    private let marketer: String

    init() throws {
        server = try TestServer(catalogText: TestServer.codeCatalog())
        marketer = try server.makeKey(.marketer)
    }

    private func loaded(_ file: String, _ parameters: [String: String?] = [:]) throws -> [Int?] {
        let answer = try server.loadCodes(file, key: marketer, parameters)
        try #require(answer.status == 200, "\(answer.text)")
        return [answer.json["new"] as? Int, answer.json["duplicates"] as? Int]
    }

    private func codes() throws -> [String] {
        try server.sqlite3("SELECT codes FROM code_block ORDER BY id").split(separator: "\n").map(String.init)
    }

    private func lines(_ answer: CurlAnswer) -> [Int] {
        answer.objects("lines").compactMap { $0["line"] as? Int }
    }

    @Test func `C01 files with a header, without one, and with nothing else`() throws {
        #expect(try loaded("TIDE7Q2M\nTIDE8W5N\n") == [2, 0])
        #expect(try loaded("Code\nTIDE9A\nTIDE9B\n") == [2, 0])
        let empty = try server.loadCodes("code\n", key: marketer)
        #expect(empty.decision == "refused" && empty.reasons == ["linesRefused"] && lines(empty) == [1])
        #expect(try codes() == ["TIDE7Q2M", "TIDE8W5N", "TIDE9A", "TIDE9B"])
    }

    @Test func `C02 a byte-order mark is no part of the first code or header`() throws {
        #expect(try loaded("\u{FEFF}TIDE7Q2M\r\nTIDE8W5N\r\n") == [2, 0])
        #expect(try loaded("\u{FEFF}code\r\nTIDE9A\r\n") == [1, 0])
        #expect(try codes() == ["TIDE7Q2M", "TIDE8W5N", "TIDE9A"])
    }

    @Test func `C03 quotes, blanks, line ends and links are read, and a link that disagrees is told by its line`()
        throws
    {
        let link = "https://apps.apple.com/redeem?ctx=offercodes&id=6400000001&code=TIDE7Q2M"
        #expect(try loaded("code,url\r\n\" TIDE7Q2M \",\(link)\r\n\r\nTIDE8W5N,\r\n") == [2, 0])
        #expect(try codes() == ["TIDE7Q2M", "TIDE8W5N"])
        let other = link.replacingOccurrences(of: "6400000001", with: "6400000002")
        let refused = try server.loadCodes("A1\nTIDE7Q2X,\(link)\nTIDE7Q2M,\(other)\n", key: marketer)
        #expect(refused.status == 200 && refused.decision == "refused" && refused.reasons == ["linesRefused"])
        #expect(lines(refused) == [2, 3] && refused.json["linesRefused"] as? Int == 2)
        #expect(refused.text.contains("the link is for the app '6400000002'"))
        #expect(try codes().count == 2)
    }

    @Test func `C04 duplicates are dropped, the same file again changes nothing, and a known code names its batch`()
        throws
    {
        let file = "TIDE7Q2M\ntide7q2m\nTIDE7Q2M\n"
        let first = try server.loadCodes(file, key: marketer, ["batch": "spring"])
        #expect(first.json["new"] as? Int == 1 && first.json["duplicates"] as? Int == 2)
        let again = try server.loadCodes(file, key: marketer, ["batch": "spring"])
        #expect(again.decision == "unchanged" && again.json["new"] as? Int == 0)
        #expect(again.json["duplicates"] as? Int == 3 && again.json["batch"] as? String == "spring")
        let mixed = try server.loadCodes("TIDE8W5N\nTIDE7Q2M\n", key: marketer)
        #expect(mixed.decision == "refused" && mixed.reasons == ["knownCodes"] && lines(mixed) == [2])
        #expect(
            mixed.text.contains("the code TI•••••• is in the batch 'spring' already") && !mixed.text.contains("7Q2M"))
        #expect(try codes() == ["TIDE7Q2M"])
        let taken = try server.loadCodes("TIDE9\n", key: marketer, ["batch": "spring"])
        #expect(taken.reasons == ["nameTaken"])
    }

    @Test func `C07 one-time codes expire at most six months after they were made`() throws {
        let made = "2026-09-05T00:00:00Z"
        let late = try server.loadCodes("A1\n", key: marketer, ["expires": "2027-03-06", "created": made])
        #expect(late.status == 422 && late.problem == "invalidValue" && late.fields == ["expires"])
        #expect(late.text.contains("more than six months after the codes were made"))
        #expect(try loaded("A1\n", ["expires": "2027-03-05", "created": made]) == [1, 0])
    }

    @Test func `the answer tells batch, expiry and quota, and the limit refuses a whole file`() throws {
        let server = try TestServer(
            catalogText: TestServer.codeCatalog(),
            offerCodes: .init(quarterlyLimit: 3, quarterTimeZone: "Europe/Berlin", expiryMarginMilliseconds: 0))
        let marketer = try server.makeKey(.marketer)
        let first = try server.loadCodes("A1\nA2\n", key: marketer, ["batch": "one"])
        let expected = """
            {"decision":"loaded","batch":"one","new":2,"duplicates":0,"expiresDate":1798758000000,"quota":\
            {"quarter":"2026-Q3","used":2,"limit":3,"left":1,"resetsDate":1790805600000,"timeZone":"Europe/Berlin"},\
            "reasons":[],"linesRefused":0,"lines":[]}
            """
        #expect(first.text == expected)
        let second = try server.loadCodes("B1\nB2\n", key: marketer)
        #expect(second.reasons == ["quotaPassed"] && second.text.contains("2 codes would pass the limit of 3"))
        #expect(try server.sqlite3("SELECT count(*) FROM code_batch") == "1")
        #expect(try server.loadCodes("B1\nB2\n", key: marketer, ["environment": "Sandbox"]).decision == "loaded")
    }

    @Test func `the same request gets the same bytes, and its id with another file or parameter is a conflict`() throws
    {
        let id = UUID().uuidString
        let first = try server.loadCodes("A1\nA2\n", key: marketer, ["requestId": id])
        #expect(first.decision == "loaded")
        let again = try server.loadCodes("A1\nA2\n", key: marketer, ["requestId": id.lowercased()])
        #expect(again.text == first.text)
        let otherFile = try server.loadCodes("A1\nA3\n", key: marketer, ["requestId": id])
        #expect(otherFile.status == 409 && otherFile.problem == "requestIdReused")
        let other = try server.loadCodes("A1\nA2\n", key: marketer, ["requestId": id, "expires": "2026-12-30"])
        #expect(other.status == 409)
        #expect(try server.sqlite3("SELECT count(*) FROM code_batch") == "1")
        let grants = "SELECT count(*) FROM offer_grant WHERE kind = 'codeLoad'"
        #expect(try server.sqlite3(grants) == "1")
    }

    @Test(
        arguments: [
            (400, "wrongShape", "expires", nil), (400, "wrongShape", "colour", "red"),
            (422, "invalidValue", "requestId", "1"), (422, "invalidValue", "expires", "soon"),
            (422, "invalidValue", "expires", "2026-09-01"), (422, "invalidValue", "created", "2030-01-01T00:00:00Z"),
            (422, "invalidValue", "timeZone", "+02:00"), (422, "invalidValue", "batch", "a\nb"),
            (422, "unknownApp", "bundleId", "com.example.nobody"), (422, "unknownEnvironment", "environment", "Xcode"),
            (422, "unknownProduct", "productId", "tide.nothing"),
        ] as [(Int, String, String, String?)])
    func `a parameter that cannot be is refused by its name`(
        status: Int, code: String, name: String, value: String?
    ) throws {
        let answer = try server.loadCodes("A1\n", key: marketer, [name: value])
        #expect(answer.status == status && answer.problem == code && answer.fields == [name], "\(answer.text)")
        #expect(try server.sqlite3("SELECT count(*) FROM code_batch") == "0")
    }

    @Test(
        arguments: [
            ("", "the file has no code"), ("\u{0}\u{1}\u{2}\u{3}\u{4}", "0x00"),
            ("A1;https://apps.apple.com/redeem?ctx=offercodes&id=6400000001&code=A2\n", "another code"),
            (String(repeating: "A", count: 1_000_000) + "\n", "more than 4096 bytes"), ("A-1\n", "'A-1' is no code"),
            ("SECRETCODE12345670X!\n", "'SECR••••••••••••••••' is no code"),
        ])
    func `a file that is none is refused with its line, and nothing changes`(file: String, words: String) throws {
        let answer = try server.loadCodes(file, key: marketer)
        #expect(answer.status == 200 && answer.decision == "refused", "\(answer.text)")
        #expect(answer.text.contains(words) && lines(answer) == [1], "\(answer.text.prefix(500))")
        #expect(try server.sqlite3("SELECT count(*) FROM code_batch") == "0")
    }

    @Test func `UTF-16 and an offer of no product are refused, and gzip is read`() throws {
        let wide = try server.loadCodes(Data([0xFF, 0xFE, 0x41, 0, 0x0A, 0]), key: marketer)
        #expect(wide.decision == "refused" && wide.text.contains("UTF-16"))
        let offer = try server.loadCodes("A1\n", key: marketer, ["offer": "THANK"])
        #expect(
            offer.status == 200 && offer.reasons == ["noCodeOffer"] && offer.text.contains("did you mean 'THANKS'?"))
        let elsewhere = try server.loadCodes("A1\n", key: marketer, ["productId": "tide.yearly"])
        #expect(elsewhere.reasons == ["noCodeOffer"] && elsewhere.text.contains("'tide.yearly' has no code offer"))
        let packed = try run("gzip", ["-c"], input: Data("A1\nA2\n".utf8)).output
        #expect(try server.loadCodes(packed, key: marketer).json["new"] as? Int == 2)
        #expect(try server.loadCodes(packed.dropLast(4), key: marketer).text.contains("the gzip is damaged"))
    }

    @Test func `keys of other roles and apps are refused, before a large file is sent`() throws {
        let client = try server.makeKey(.client)
        #expect(try server.loadCodes("A1\n", key: nil).status == 401)
        #expect(try server.loadCodes("A1\n", key: client).problem == "roleNotAllowed")
        let bound = try server.makeKey(.marketer, app: TestServer.otherBundleId)
        #expect(try server.loadCodes("A1\n", key: bound).problem == "appNotAllowed")
        #expect(try server.codeBatches(key: bound, "?bundleId=com.example.tide").problem == "appNotAllowed")
        let large = Data(repeating: 0x41, count: 8 * 1024 * 1024)
        let early = try server.loadCodes(large, key: client, [:], headers: ["Expect: 100-continue"])
        #expect(early.status == 403)
    }

    @Test func `a body may have 512 MiB, and one that says more is refused before it is sent`() throws {
        let answer = try curl(
            "POST", port: server.port, path: "/v1/code-batches", key: marketer,
            headers: ["Content-Length: 536870913", "Expect: 100-continue"])
        #expect(answer.status == 413 && answer.text.contains("at most 536870912 are read"), "\(answer.text)")
        // Other routes keep their limit.
        let other = try server.claim(String(repeating: "x", count: 300_000), key: server.makeKey(.client))
        #expect(other.status == 413)
    }

    @Test func `a file of many pieces is loaded while signed offers are given`() throws {
        try server.subscribe("100")
        let client = try server.makeKey(.client)
        let file = (0..<300_000).map { "CODE\(1_000_000 + ($0 * 7_919) % 300_000)\n" }.joined()
        let (server, marketer) = (server, marketer)
        let group = DispatchGroup()
        let result = LoadedAnswer()
        DispatchQueue.global().async(group: group) {
            result.set(try? server.loadCodes(file, key: marketer, headers: ["Transfer-Encoding: chunked"]))
        }
        var offers = 0
        while group.wait(timeout: .now()) == .timedOut {
            #expect(try server.offer(key: client).decision == "offered")
            offers += 1
        }
        #expect(offers > 0)
        let answer = try #require(result.answer)
        #expect(answer.json["new"] as? Int == 300_000 && answer.json["duplicates"] as? Int == 0, "\(answer.text)")
        #expect(try Store(reading: server.database).codeFaults() == [])
        #expect(try server.claim("a", key: client).code == "CODE1000000")
    }

    @Test func `a service that ends gives up what it loads, and nothing is left of it`() throws {
        let file = (0..<400_000).map { "CODE\(1_000_000 + $0)\n" }.joined()
        let (server, marketer) = (server, marketer)
        let group = DispatchGroup()
        let result = LoadedAnswer()
        DispatchQueue.global().async(group: group) { result.set(try? server.loadCodes(file, key: marketer)) }
        let loading = "SELECT count(*) FROM code_batch WHERE state = 'loading'"
        for _ in 0..<3000 where try server.sqlite3(loading) == "0" { Thread.sleep(forTimeInterval: 0.02) }
        server.stop()
        group.wait()
        // Either it was given up or it was done; there is nothing between.
        let batches = try server.sqlite3("SELECT state, total FROM code_batch")
        switch result.answer?.status {
        case 200: #expect(batches == "ready|400000")
        default:
            #expect(result.answer?.problem == "storageUnavailable", "\(String(describing: result.answer))")
            #expect(batches == "")
            #expect(try server.sqlite3("SELECT count(*) FROM code_block") == "0")
        }
    }

    @Test func `lists batches, offers, custom codes and quotas, and no code`() throws {
        _ = try loaded("TIDE1\nTIDE2\nTIDE3\n", ["batch": "spring"])
        _ = try server.claim("a", key: server.makeKey(.client))
        let answer = try server.codeBatches(key: marketer)
        #expect(answer.status == 200 && !answer.text.contains("TIDE1"))
        let batch = try #require(answer.objects("batches").first)
        #expect(
            Set(batch.keys) == [
                "batch", "bundleId", "environment", "productId", "offer", "total", "free", "claimed", "void", "expired",
                "expiresDate", "state",
            ])
        #expect(["total", "free", "claimed", "void", "expired"].map { batch[$0] as? Int } == [3, 2, 1, 0, 0])
        #expect(batch["state"] as? String == "ready" && batch["batch"] as? String == "spring")
        let offer = try #require(answer.objects("offers").first)
        #expect(offer["offer"] as? String == "THANKS" && offer["claimedIn7Days"] as? Int == 1)
        #expect(offer["daysLeft"] as? Int == 14 && offer["isLow"] as? Bool == true)
        #expect(offer["lowStockThreshold"] as? Int == 500 && offer["redemptions"] as? Int == 0)
        let quotas = answer.objects("quotas")
        #expect(quotas.map { $0["bundleId"] as? String } == ["com.example.other", "com.example.tide"])
        let quarters = quotas[1]["quarters"] as? [[String: Any]]
        #expect(quarters?.map { $0["quarter"] as? String } == ["2026-Q3", "2026-Q4"])
        #expect(quarters?[0]["used"] as? Int == 3 && quarters?[0]["left"] as? Int == 9_999_997)
        let other = try server.codeBatches(key: marketer, "?bundleId=com.example.other")
        #expect(other.objects("batches").isEmpty && other.objects("quotas").count == 1)
        #expect(try server.codeBatches(key: server.makeKey(.client)).problem == "roleNotAllowed")
        #expect(try server.codeBatches(key: marketer, "?bundleId=com.example.nobody").problem == "unknownApp")
        let wrong = try curl("DELETE", port: server.port, path: "/v1/code-batches", key: marketer)
        #expect(wrong.status == 405)
    }
}

/// What another thread was answered.
private final class LoadedAnswer: @unchecked Sendable {
    // Sendable because the lock is held whenever the answer is touched.
    private let lock = NSLock()
    private var found: CurlAnswer?

    func set(_ answer: CurlAnswer?) { lock.withLock { found = answer } }
    var answer: CurlAnswer? { lock.withLock { found } }
}
