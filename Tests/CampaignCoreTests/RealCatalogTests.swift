import CampaignCore
import Foundation
import TestSupport
import Testing

/// What was counted by eye in one file that Xcode wrote.
struct CountedFile: Sendable, CustomTestStringConvertible {
    let name: String
    let groups: Int
    let subscriptions: Int
    let others: Int
    let introductory: Int
    let promotional: Int
    let code: Int
    let winBack: Int
    let warnings: Int

    var testDescription: String { name }
}

@Suite(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
struct `Files that Xcode wrote` {
    @Test(arguments: [
        CountedFile(
            name: "flutter-iap-v1.0", groups: 1, subscriptions: 2, others: 2, introductory: 0, promotional: 0, code: 0,
            winBack: 0, warnings: 0),
        CountedFile(
            name: "flutter-storekit2-v4-winback", groups: 3, subscriptions: 3, others: 3, introductory: 1,
            promotional: 1, code: 0, winBack: 1, warnings: 0),
        CountedFile(
            name: "mercato-v4-intro-multigroup", groups: 4, subscriptions: 10, others: 9, introductory: 7,
            promotional: 0, code: 0, winBack: 0, warnings: 0),
        CountedFile(
            name: "rc-ios-v3-codes-promo", groups: 6, subscriptions: 13, others: 3, introductory: 4, promotional: 5,
            code: 8, winBack: 0, warnings: 0),
        CountedFile(
            name: "rc-ios-v5-billingplans", groups: 2, subscriptions: 4, others: 3, introductory: 2, promotional: 2,
            code: 0, winBack: 0, warnings: 0),
        CountedFile(
            name: "rc-rn-v4-winback", groups: 2, subscriptions: 6, others: 3, introductory: 0, promotional: 0, code: 0,
            winBack: 2, warnings: 4),
        CountedFile(
            name: "revenuecat-flutter-v1.1", groups: 2, subscriptions: 5, others: 3, introductory: 0, promotional: 0,
            code: 0, winBack: 0, warnings: 5),
        CountedFile(
            name: "storehelper-v2-intro-promo-code", groups: 2, subscriptions: 6, others: 5, introductory: 1,
            promotional: 2, code: 1, winBack: 0, warnings: 1),
    ])
    func `F02 every schema loads with everything that is in the file`(file: CountedFile) throws {
        let url = Surroundings.shared.appendingPathComponent("data/storekit/\(file.name).storekit")
        let reading = Catalog.read(storeKitFile: [UInt8](try Data(contentsOf: url)))
        let catalog = try #require(reading.catalog)
        #expect(catalog.groups.count == file.groups)
        #expect(catalog.subscriptions.count == file.subscriptions)
        #expect(catalog.otherProducts.count == file.others)
        #expect(catalog.subscriptions.flatMap(\.introductoryOffers).count == file.introductory)
        #expect(catalog.subscriptions.flatMap(\.promotionalOffers).count == file.promotional)
        #expect(catalog.subscriptions.flatMap(\.codeOffers).count == file.code)
        #expect(catalog.subscriptions.flatMap(\.winBackOffers).count == file.winBack)
        #expect(reading.findings.count == file.warnings)
    }

    @Test func `each of the files is counted above`() throws {
        #expect(try Surroundings.storeKitFiles().count == 8)
    }

    @Test func `Python reads the same products, prices and offers`() throws {
        for url in try Surroundings.storeKitFiles() {
            let catalog = try #require(Catalog.read(storeKitFile: [UInt8](try Data(contentsOf: url))).catalog)
            let python = try run("python3", ["-c", Self.listing, url.path])
            #expect(python.exitCode == 0, "\(python.errorText)")
            #expect(Self.lines(catalog).joined(separator: "\n") + "\n" == python.text, "\(url.lastPathComponent)")
        }
    }

    /// One line for everything the catalogue knows; the script below writes the same from the file itself.
    private static func lines(_ catalog: Catalog) -> [String] {
        func price(_ milliunits: Int64?) -> String { milliunits.map(String.init) ?? "-" }
        func line(_ kind: String, _ offer: SubscriptionOffer) -> String {
            var fields = [
                kind, offer.offerIdentifier?.rawValue ?? "-", offer.referenceName ?? "-", offer.paymentMode.rawValue,
                "\(offer.period)", "\(offer.numberOfPeriods)", price(offer.priceMilliunits),
                offer.billingPlanType?.rawValue ?? "-",
            ]
            if let terms = offer.codeTerms {
                fields.append(terms.eligibility.map(\.rawValue).sorted().joined(separator: "+"))
                fields.append("\(terms.isStackable)")
            }
            return fields.joined(separator: " | ")
        }
        var lines: [String] = []
        for group in catalog.groups {
            lines.append("group | \(group.identifier) | \(group.name ?? "-")")
            for product in group.subscriptions {
                lines.append(
                    "subscription | \(product.productId) | \(product.referenceName ?? "-") | \(product.level) | "
                        + "\(product.period) | \(price(product.priceMilliunits)) | \(product.isFamilyShareable)")
                for plan in product.billingPlans {
                    lines.append(
                        "plan | \(plan.billingPlanType.rawValue) | \(price(plan.priceMilliunits)) | "
                            + "\(price(plan.commitmentPriceMilliunits)) | \(plan.isEnabled)")
                }
                lines += product.introductoryOffers.map { line("introductory", $0) }
                lines += product.promotionalOffers.map { line("promotional", $0) }
                lines += product.codeOffers.map { line("code", $0) }
                lines += product.winBackOffers.map { line("winBack", $0) }
            }
        }
        return lines + catalog.otherProducts.map { "other | \($0.productId)" }
    }

    private static let listing = """
        import json, sys
        from decimal import Decimal
        file = json.load(open(sys.argv[1], encoding="utf-8"))
        truth = {True: "true", False: "false"}
        def price(text):
            return str(int(Decimal(text) * 1000)) if text else "-"
        def line(kind, offer, key):
            free = offer["paymentMode"] == "free"
            fields = [kind, offer.get(key, "-"), offer.get("referenceName", "-"), offer["paymentMode"],
                offer["subscriptionPeriod"], str(offer.get("numberOfPeriods", 1)),
                "0" if free else price(offer.get("displayPrice")), offer.get("billingPlanType", "-")]
            if kind == "code":
                fields += ["+".join(sorted(offer["eligibility"])), truth[offer["isStackable"]]]
            print(" | ".join(fields))
        for group in file["subscriptionGroups"]:
            print("group |", group["id"], "|", group["name"])
            for p in group["subscriptions"]:
                print("subscription |", p["productID"], "|", p["referenceName"], "|", p["groupNumber"], "|",
                    p["recurringSubscriptionPeriod"], "|", price(p["displayPrice"]), "|", truth[p["familyShareable"]])
                for plan in p.get("billingPlans") or []:
                    print("plan |", plan["billingPlanType"], "|", price(plan["displayPrice"]), "|",
                        price(plan["commitmentDisplayPrice"]), "|", truth[plan["isEnabled"]])
                old = p.get("introductoryOffer")
                for offer in p.get("introductoryOffers") or ([old] if old else []):
                    line("introductory", offer, "-")
                for offer in p.get("adHocOffers") or []: line("promotional", offer, "offerID")
                for offer in p.get("codeOffers") or []: line("code", offer, "referenceName")
                for offer in p.get("winbackOffers") or []: line("winBack", offer, "offerID")
        for product in file["products"] + (file.get("nonRenewingSubscriptions") or []):
            print("other |", product["productID"])
        """
}
