import Foundation
import Testing

@testable import CampaignCore

/// When a pool of codes drains unusually fast, and what a redemption tells.
struct CodeDrainTests {
    private static let hour: Int64 = 500_000

    /// Half past the hour.
    private func drain(free: Int64, _ claims: [Int64: Int64]) -> CodeDrain {
        let byHour = Dictionary(uniqueKeysWithValues: claims.map { (Self.hour - $0.key, $0.value) })
        let now = Instant(millisecondsSince1970: Self.hour * 3_600_000 + 1_800_000)
        return CodeDrain(free: free, claimedByHour: byHour, now: now)
    }

    @Test(
        arguments: [
            // (free, claims by hours ago, unusual)
            (1000, [0: 100], true), (1000, [0: 99], false), (1000, [1: 100], true), (1000, [2: 100], false),
            // 100 in an hour and a half are 1,600 in a day.
            (1599, [0: 60, 1: 40], true), (1600, [0: 60, 1: 40], false),
            // 66.7 an hour, and a week of 168 hours: 1,120 before are a tenth of that.
            (1000, [0: 100, 2: 1119], true), (1000, [0: 100, 2: 1120], false),
            (1000, [0: 100, 169: 1120], false), (1000, [0: 100, 170: 1120], true), (0, [0: 100], true),
            (1000, [:], false),
        ] as [(Int64, [Int64: Int64], Bool)])
    func `many claims at ten times the pace that would empty it within a day are unusual`(
        free: Int64, claims: [Int64: Int64], isUnusual: Bool
    ) {
        #expect(drain(free: free, claims).isUnusual == isUnusual)
    }

    @Test func `the figures are those of two hours and of the week before`() {
        let drain = drain(free: 7, [0: 1, 1: 2, 2: 4, 169: 8, 170: 16])
        #expect(drain.claimedLately == 3 && drain.claimedBefore == 12 && drain.latelyMilliseconds == 5_400_000)
    }

    private func fact(_ change: (inout JWSTransactionDecodedPayload) -> Void) throws -> TransactionFact {
        var payload = JWSTransactionDecodedPayload()
        payload.originalTransactionId = "100"
        payload.transactionId = "101"
        payload.productId = "tide.monthly"
        payload.subscriptionGroupIdentifier = "21500001"
        payload.type = .autoRenewableSubscription
        payload.purchaseDate = Instant(millisecondsSince1970: 1_000_000)
        payload.expiresDate = Instant(millisecondsSince1970: 2_000_000)
        payload.signedDate = Instant(millisecondsSince1970: 1_000_000)
        payload.offerType = .offerCode
        payload.offerIdentifier = "THANKS"
        change(&payload)
        return try TransactionFact(payload)
    }

    @Test func `a redemption names everyone who may have claimed the code`() throws {
        let token = try #require(UUID(uuidString: "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E"))
        let redemption = try #require(
            try CodeRedemption(
                fact {
                    $0.appAccountToken = token
                    $0.appTransactionId = "900"
                }))
        #expect(redemption.offer == "THANKS" && redemption.purchaseDate.millisecondsSince1970 == 1_000_000)
        #expect(
            redemption.possibleCustomers == [
                "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e", "0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E", "appTransactionId:900",
                "originalTransactionId:100", "900", "100",
            ])
        #expect(try CodeRedemption(fact { $0.offerType = .promotionalOffer }) == nil)
        #expect(try CodeRedemption(fact { $0.offerIdentifier = nil }) == nil)
        #expect(try CodeRedemption(fact { $0.offerIdentifier = "" }) == nil)
        #expect(try CodeRedemption(fact { $0.inAppOwnershipType = .familyShared }) == nil)
    }

    @Test(arguments: [(0, true), (60_000, true), (60_001, false), (-86_400_000, true)] as [(Int64, Bool)])
    func `a claim comes before its redemption, but for clocks that differ by a minute`(late: Int64, canBe: Bool) {
        let purchase = Instant(millisecondsSince1970: 1_789_041_600_000)
        let claimed = purchase.adding(milliseconds: late)
        #expect(CodeRedemption.canBe(claimedDate: claimed, redeemedBy: purchase) == canBe)
    }

    @Test(
        arguments: [
            ("", false), ("4711", true), ("a b@example.com", true), ("Jos\u{e9}", true), ("a\n", false),
            (String(repeating: "x", count: 255), true), (String(repeating: "x", count: 256), false),
            (String(repeating: "\u{e9}", count: 128), false),
        ])
    func `a customer's id has 1 to 255 bytes without control characters`(id: String, isId: Bool) {
        #expect((CodeCustomer.id(id) != nil) == isId)
    }

    @Test(
        arguments: [
            (" 4711 ", "4711"), ("\t4711", "4711"), ("\u{A0}4711\u{3000}", "4711"), ("a  b", "a  b"), (" ", nil),
            ("\u{A0}", nil), (" \u{7}", nil),
            (" \(String(repeating: "x", count: 255)) ", String(repeating: "x", count: 255)),
            ("Jose\u{301} ", "Jose\u{301}"),
        ] as [(String, String?)])
    func `the blanks around a customer's id are not of it`(text: String, id: String?) {
        #expect(CodeCustomer.id(text) == id)
    }
}
