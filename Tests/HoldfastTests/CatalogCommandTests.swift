import Foundation
import TestSupport
import Testing

@Suite struct CatalogCommandTests {
    /// One group with two levels; written by hand in the shape that Xcode 15 saves.
    static let reader = """
        {
          "identifier" : "0A1B2C3D",
          "nonRenewingSubscriptions" : [],
          "products" : [ { "productID" : "coins.100", "type" : "Consumable", "displayPrice" : "0.99" } ],
          "settings" : {},
          "subscriptionGroups" : [ {
            "id" : "21400001", "name" : "Reader", "subscriptions" : [
              {
                "adHocOffers" : [],
                "codeOffers" : [ {
                  "displayPrice" : "0", "eligibility" : [ "existing", "new" ], "isStackable" : true,
                  "internalID" : "C0DE", "numberOfPeriods" : 1, "paymentMode" : "free",
                  "referenceName" : "SPRING", "subscriptionPeriod" : "P1M"
                } ],
                "displayPrice" : "39.99", "groupNumber" : 2, "introductoryOffer" : null,
                "productID" : "reader.annual", "recurringSubscriptionPeriod" : "P1Y",
                "referenceName" : "Annual", "subscriptionGroupID" : "21400001", "type" : "RecurringSubscription"
              },
              {
                "adHocOffers" : [ {
                  "displayPrice" : "1.99", "internalID" : "AD0C", "numberOfPeriods" : 3, "offerID" : "save50",
                  "paymentMode" : "payAsYouGo", "referenceName" : "Save, half", "subscriptionPeriod" : "P1M"
                } ],
                "codeOffers" : [], "displayPrice" : "4.99", "familyShareable" : true, "groupNumber" : 1,
                "introductoryOffer" : {
                  "internalID" : "1D", "numberOfPeriods" : 1, "paymentMode" : "free", "subscriptionPeriod" : "P1W"
                },
                "productID" : "reader.monthly", "recurringSubscriptionPeriod" : "P1M",
                "referenceName" : "Monthly", "subscriptionGroupID" : "21400001", "type" : "RecurringSubscription"
              }
            ]
          } ],
          "version" : { "major" : 3, "minor" : 0 }
        }
        """

    /// The same with its first product's identifier given to the second one too.
    static let broken = reader.replacingOccurrences(of: "reader.annual", with: "reader.monthly")

    @Test func `a sound file is counted in one line`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.reader, to: "Reader.storekit")
        let result = try run(Surroundings.holdfast, ["catalog", "check", "Reader.storekit"], in: folder.url)
        #expect(result.exitCode == 0)
        #expect(result.errorText == "")
        #expect(
            result.text == """
                Reader.storekit: 1 group, 3 products, 3 offers \
                (1 introductory, 1 promotional, 1 code, 0 win-back)

                """)
    }

    @Test func `every finding of every file is a line and an error makes it exit 2`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.broken, to: "broken.storekit")
        try folder.write("[]", to: "list.storekit")
        try folder.write(Self.reader, to: "sound.storekit")
        let files = ["broken.storekit", "list.storekit", "sound.storekit"]
        let result = try run(Surroundings.holdfast, ["catalog", "check"] + files, in: folder.url)
        #expect(result.exitCode == 2)
        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("broken.storekit: error: ") && $0.contains("reader.monthly") })
        #expect(lines.contains { $0.hasPrefix("list.storekit: error: ") })
        for file in files { #expect(lines.count { $0.hasPrefix("\(file): ") && !$0.contains(": error: ") } == 1) }

        let json = try run(
            Surroundings.holdfast, ["catalog", "check", "--format", "json"] + files, in: folder.url)
        #expect(json.exitCode == 2)
        let object = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: [[String: Any]]])
        #expect(object["files"]?.map { $0["usable"] as? Bool } == [false, false, true])
        let findings = try #require(object["files"]?.flatMap { $0["findings"] as? [[String: String]] ?? [] })
        #expect(findings.count == lines.count - 3)
    }

    @Test func `a file that is not there is a failure and the others are still checked`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.reader, to: "sound.storekit")
        let result = try run(
            Surroundings.holdfast, ["catalog", "check", "absent.storekit", "sound.storekit"], in: folder.url)
        #expect(result.exitCode == 1)
        #expect(result.text.hasPrefix("sound.storekit: 1 group"))
        #expect(
            result.errorText == """
                error: cannot read 'absent.storekit': No such file or directory; check the path and its mode

                """)
    }

    @Test func `show is a tree with the top level first`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.reader, to: "Reader.storekit")
        let result = try run(Surroundings.holdfast, ["catalog", "show", "Reader.storekit"], in: folder.url)
        #expect(result.exitCode == 0)
        #expect(
            result.text == """
                Reader (21400001)
                  level 1  reader.monthly  'Monthly'  P1M  4.99  family shareable
                    introductory  -       free             P1W
                    promotional   save50  payAsYouGo 1.99  P1M × 3
                  level 2  reader.annual  'Annual'  P1Y  39.99
                    code  SPRING  free  P1M  for existing, new
                other products
                  coins.100  Consumable

                """)
    }

    @Test func `show and check escape what a terminal would not show`() throws {
        let installation = try Installation()
        let spoiled = Self.reader.replacing("\"name\" : \"Reader\"", with: "\"name\" : \"Rea\u{202E}der\"")
            .replacing("\"Monthly\"", with: "\"Mon\u{200B}thly\"")
        try installation.folder.write(spoiled, to: "Reader.storekit")
        let shown = try installation.holdfast("catalog", "show").text
        #expect(shown.contains(#"Rea\u{202e}der (21400001)"#) && shown.contains(#"'Mon\u{200b}thly'"#), "\(shown)")
        try installation.folder.write(spoiled, to: "Rea\u{202E}der.storekit")
        let checked = try installation.holdfast("catalog", "check", "Rea\u{202E}der.storekit").text
        #expect(checked.hasPrefix(#"Rea\u{202e}der.storekit: 1 group"#), "\(checked)")
    }

    @Test func `show as CSV has one row an offer`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.reader, to: "Reader.storekit")
        let result = try run(
            Surroundings.holdfast, ["catalog", "show", "--format", "csv", "Reader.storekit"], in: folder.url)
        // Python's reader says what the cells are.
        let script = "import csv, json, sys; print(json.dumps(list(csv.DictReader(sys.stdin))))"
        let parsed = try run("/usr/bin/python3", ["-c", script], input: result.output)
        let rows = try #require(try JSONSerialization.jsonObject(with: parsed.output) as? [[String: String]])
        #expect(rows.map { $0["offerIdentifier"] } == ["", "save50", "SPRING"])
        #expect(rows.map { $0["kind"] } == ["introductory", "promotional", "code"])
        #expect(rows.map { $0["offerPriceMilliunits"] } == ["0", "1990", "0"])
        #expect(rows.map { $0["eligibility"] } == ["", "", "existing new"])
    }

    @Test func `a broken file is not shown`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.broken, to: "broken.storekit")
        let result = try run(Surroundings.holdfast, ["catalog", "show", "broken.storekit"], in: folder.url)
        #expect(result.exitCode == 2)
        #expect(result.text == "")
        #expect(result.errorText.hasPrefix("error: broken.storekit: "))
    }

    @Test(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
    func `real files have the products and offers that Python counts in them`() throws {
        let script = """
            import json, sys
            for path in sys.argv[1:]:
                file = json.load(open(path))
                subs = [s for g in file.get("subscriptionGroups", []) for s in g["subscriptions"]]
                others = (file.get("products") or []) + (file.get("nonRenewingSubscriptions") or [])
                lists = lambda key: sum(len(s.get(key) or []) for s in subs)
                intros = sum(len(s.get("introductoryOffers") or []) or bool(s.get("introductoryOffer")) for s in subs)
                print(len(file.get("subscriptionGroups", [])), len(subs) + len(others), intros,
                      lists("adHocOffers"), lists("codeOffers"), lists("winbackOffers"))
            """
        let files = try Surroundings.storeKitFiles().map(\.path)
        let counted = try run("/usr/bin/python3", ["-c", script] + files)
        #expect(counted.errorText == "")
        let result = try run(Surroundings.holdfast, ["catalog", "check", "--format", "json"] + files)
        #expect(result.exitCode == 0)
        let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: [[String: Any]]])
        let ours = try #require(object["files"]).map { file in
            let offers = file["offers"] as? [String: Int] ?? [:]
            let kinds = ["introductory", "promotional", "code", "win-back"].map { offers[$0] ?? -1 }
            return ([file["groups"] as? Int ?? -1, file["products"] as? Int ?? -1] + kinds).map(String.init)
                .joined(separator: " ")
        }
        #expect(ours == counted.text.split(separator: "\n").map(String.init))
    }
}
