import Foundation
import TestSupport
import Testing

/// `codes claim`, `release`, `void`, `status`, `add-custom` and `export`.
@Suite struct CodesCommandTests {
    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.folder.write("AAAA\nBBBB\nCCCC\n", to: "codes.csv")
        let loaded = try codes(
            "import", "codes.csv", "--offer", "SPRING", "--product", "reader.annual", "--expires", "2027-03-05",
            "--batch", "spring")
        try #require(loaded.exitCode == 0, "\(loaded.errorText)")
    }

    private func codes(_ words: String...) throws -> ChildResult {
        try run(
            Surroundings.holdfast, ["codes"] + words + ["--at", "2026-11-30T12:00:00Z"],
            environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
    }

    private func batch() throws -> [String: Any] {
        let status = try object(try codes("status", "--check", "--format", "json"))
        return try #require((status["batches"] as? [[String: Any]])?.first)
    }

    @Test func `a customer has one code, and the counts add up`() throws {
        let first = try codes("claim", "--offer", "SPRING", "--customer", "4711")
        let url = "https://apps.apple.com/redeem?ctx=offercodes&id=6400000001&code=AAAA"
        #expect(first.text == "AAAA\n\(url)\nexpires 2027-03-06T00:00:00Z\n", "\(first.errorText)")
        #expect(try codes("claim", "--offer", "SPRING", "--customer", "4711").text == first.text)
        let json = try object(try codes("claim", "--offer", "SPRING", "--customer", "4712", "--format", "json"))
        #expect(json["decision"] as? String == "granted" && json["code"] as? String == "BBBB")
        #expect(json["redemptionURL"] as? String == url.replacingOccurrences(of: "AAAA", with: "BBBB"))
        #expect(json["expiresDate"] as? Int == 1_804_291_200_000)
        let batch = try batch()
        #expect(
            Set(batch.keys) == [
                "batch", "bundleId", "environment", "productId", "offer", "total", "free", "claimed", "void", "expired",
                "expiresDate", "state",
            ])
        #expect(["total", "free", "claimed", "void", "expired"].map { batch[$0] as? Int } == [3, 1, 2, 0, 0])
        let status = try codes("status", "--check")
        #expect(status.exitCode == 0 && status.text.hasSuffix("the books of 1 batch are right\n"), "\(status.text)")
        #expect(!status.text.contains("AAAA"))
    }

    @Test func `a mailing can be run again, and who comes late gets no code`() throws {
        try installation.folder.write("customer,name\nc1,Ann\n\"c,2\",Bo\n\nc3\nc4\nc1\n", to: "mailing.csv")
        let first = try codes("claim", "--offer", "SPRING", "--customers", "mailing.csv")
        #expect(first.exitCode == 2)
        #expect(first.errorText.hasPrefix("error: no codes left for 1 of 5 customers"), "\(first.errorText)")
        let lines = first.text.split(separator: "\n")
        #expect(lines.first == "customer,code,redemptionURL,expiresDate")
        #expect(lines.map { $0.hasPrefix("c1,AAAA,") } == [false, true, false, false, false, true])
        #expect(lines[2].hasPrefix("\"c,2\",BBBB,") && lines[4] == "c4,,,")
        #expect(try codes("claim", "--offer", "SPRING", "--customers", "mailing.csv").text == first.text)
        try installation.folder.write("a\n\u{1}\n", to: "bad.csv")
        let bad = try codes("claim", "--offer", "SPRING", "--customers", "bad.csv")
        #expect(bad.exitCode == 2 && bad.errorText.hasPrefix("error: bad.csv:2: a customer's id"))
    }

    @Test(arguments: [
        ("\"open", "a quote is not closed on the line"), ("c1,\"open", "a quote is not closed on the line"),
        ("\"c1\"x,Ann", "text stands behind a closing quote"),
    ])
    func `a line of a mailing with a stray quote is refused before anybody has a code`(
        line: String, reason: String
    ) throws {
        try installation.folder.write("c0\n\(line)\n", to: "mailing.csv")
        let result = try codes("claim", "--offer", "SPRING", "--customers", "mailing.csv")
        #expect(result.exitCode == 2 && result.text == "")
        #expect(result.errorText.hasPrefix("error: mailing.csv:2: \(reason)"), "\(result.errorText)")
        #expect(try batch()["claimed"] as? Int == 0)
    }

    @Test(
        arguments: [
            "customer", "Customer_ID,Name", "\"customerId\";x", "ID", "eMail", "user", " USER_ID ,a", "userid",
        ])
    func `the name of the first column is no customer, unless it comes later`(header: String) throws {
        try installation.folder.write("\(header)\nc1\n\(header)\n", to: "mailing.csv")
        let result = try codes("claim", "--offer", "SPRING", "--customers", "mailing.csv")
        let lines = result.text.split(separator: "\n")
        #expect(result.exitCode == 0 && lines.count == 3, "\(result.errorText)")
        #expect(lines[1].hasPrefix("c1,AAAA,") && lines[2].contains(",BBBB,"), "\(result.text)")
    }

    @Test func `blanks around an id make no other customer, and nothing but blanks names nobody`() throws {
        #expect(try codes("claim", "--offer", "SPRING", "--customer", " 4711 ").text.hasPrefix("AAAA\n"))
        #expect(try codes("claim", "--offer", "SPRING", "--customer", "4711").text.hasPrefix("AAAA\n"))
        let csv = try codes("claim", "--offer", "SPRING", "--customer", "\t4711", "--format", "csv")
        #expect(csv.text.hasPrefix("4711,AAAA,"), "\(csv.text)\(csv.errorText)")
        try installation.folder.write("\" 4711 \"\n  \n\u{A0}4711\n", to: "mailing.csv")
        let mailing = try codes("claim", "--offer", "SPRING", "--customers", "mailing.csv").text
        let lines = mailing.split(separator: "\n").dropFirst()
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("4711,AAAA,") }, "\(mailing)")
        for blank in [" ", "\u{A0}\t"] {
            let result = try codes("claim", "--offer", "SPRING", "--customer", blank)
            #expect(result.exitCode == 64 && result.errorText.contains("'--customer' is blank"), "\(result.errorText)")
        }
        #expect(try batch()["claimed"] as? Int == 1)
    }

    @Test func `a mailing is CSV, and JSON of one is wrong usage`() throws {
        try installation.folder.write("c1\n", to: "mailing.csv")
        let result = try codes("claim", "--offer", "SPRING", "--customers", "mailing.csv", "--format", "json")
        #expect(result.exitCode == 64 && result.text == "")
        #expect(result.errorText.hasPrefix("error: a mailing is CSV"), "\(result.errorText)")
        #expect(try batch()["claimed"] as? Int == 0)
        let csv = try codes("claim", "--offer", "SPRING", "--customers", "mailing.csv", "--format", "csv")
        #expect(csv.exitCode == 0 && csv.text.contains("\nc1,AAAA,"), "\(csv.errorText)")
    }

    @Test func `codes are released and voided with a reason`() throws {
        _ = try codes("claim", "--offer", "SPRING", "--customer", "a")
        #expect(try codes("release", "aaaa", "--reason", "mail bounced").text == "1 code released\n")
        let again = try codes("release", "AAAA", "--reason", "x")
        #expect(again.exitCode == 2 && again.errorText.hasPrefix("error: the code AA•• was not claimed"))
        #expect(try codes("claim", "--offer", "SPRING", "--customer", "b").text.hasPrefix("AAAA\n"))
        #expect(try codes("void", "BBBB", "--reason", "leaked").text == "1 code voided\n")
        #expect(try codes("void", "--batch", "spring", "--reason", "deactivated").text == "1 code voided\n")
        #expect(try codes("void", "--batch", "sprung", "--reason", "x").exitCode == 2)
        #expect(try codes("void", "AAAA", "--batch", "spring", "--reason", "x").exitCode == 64)
        #expect(try codes("release", "ZZZZ", "--reason", "x").exitCode == 2)
        let slip = try codes("release", "SECRETCODE12345670X!", "--reason", "x")
        #expect(slip.errorText.hasPrefix("error: 'SECR••••••••••••••••' is no code"), "\(slip.errorText)")
        let none = try codes("claim", "--offer", "SPRING", "--customer", "c")
        #expect(none.exitCode == 2 && none.errorText.hasPrefix("error: no codes left for offer 'SPRING' in Production"))
        let batch = try batch()
        #expect(["total", "free", "claimed", "void"].map { batch[$0] as? Int } == [3, 0, 1, 2])
        let export = try codes("export", "--batch", "spring")
        #expect(
            export.text == """
                code,batch,productId,offer,state,customer,claimedDate,expiresDate
                AAAA,spring,reader.annual,SPRING,claimed,b,2026-11-30T12:00:00Z,2027-03-06T00:00:00Z
                BBBB,spring,reader.annual,SPRING,void,,,2027-03-06T00:00:00Z
                CCCC,spring,reader.annual,SPRING,void,,,2027-03-06T00:00:00Z

                """, "\(export.errorText)")
    }

    @Test func `a custom code counts with its limit and is unique in the app`() throws {
        let words = ["--offer", "SPRING", "--product", "reader.annual", "--limit", "25000"]
        func add(_ code: String) throws -> ChildResult {
            try run(
                Surroundings.holdfast, ["codes", "add-custom", code] + words + ["--at", "2026-11-30T12:00:00Z"],
                environment: ["HOLDFAST_CONFIG": ""], in: installation.folder.url)
        }
        #expect(try add("spring27").text == "custom code SP•••••• added with 25000 redemptions\n")
        let custom = "\nSPRING27,,reader.annual,SPRING,custom,,,\n"
        let all = try codes("export")
        #expect(all.text.hasSuffix(custom), "\(all.text)\(all.errorText)")
        #expect(try !codes("export", "--batch", "spring").text.contains(",custom,"))
        #expect(try add("SPRING27").errorText == "error: the code is a custom code already; choose another one\n")
        #expect(try add("aaaa").errorText == "error: the code is in the batch 'spring' already; choose another one\n")
        let quota = try codes("quota").text
        #expect(quota.contains("2026-Q4  25003 used  9974997 left   resets 2027-01-01T00:00:00Z"), "\(quota)")
        #expect(quota.contains("Apple's help pages state 1000000 codes"))
    }

    @Test func `a changed book is found`() throws {
        _ = try run("sqlite3", [installation.folder.path("holdfast.sqlite"), "UPDATE code_batch SET claimed = 1"])
        let result = try codes("status", "--check")
        #expect(result.exitCode == 2)
        #expect(result.errorText.contains("batch 'spring': the ledger says claimed 0, and its own count is 1"))
    }

    @Test func `status tells what was redeemed, what is low, and what a subscriber has`() throws {
        let status = try codes("status")
        #expect(status.text.contains("warning: offer 'SPRING' in Production: 3 codes can be given, fewer than 500"))
        _ = try codes("claim", "--offer", "SPRING", "--customer", "2000000000000001")
        // As a notification with 'offerType' 3 leaves it.
        _ = try run(
            "sqlite3",
            [
                installation.folder.path("holdfast.sqlite"),
                "INSERT INTO code_redemption (app_id, offer, purchase_date, batch_id, position) "
                    + "VALUES (1, 'SPRING', 0, 1, 0), (1, 'SPRING', 0, NULL, NULL)",
            ])
        let offer = try #require((object(codes("status", "--format", "json"))["offers"] as? [[String: Any]])?.first)
        #expect(offer["redemptions"] as? Int == 2 && offer["probableRedemptions"] as? Int == 1)
        #expect(offer["free"] as? Int == 2 && offer["claimed"] as? Int == 1 && offer["isLow"] as? Bool == true)
        #expect(offer["lowStockThreshold"] as? Int == 500 && offer["isDrainingFast"] as? Bool == false)
        #expect(offer["daysLeft"] as? Int == 14)
    }
}
