import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// Redemptions as the App Store's notifications tell of them, posted with curl and seen in the list of batches.
@Suite(.serialized) struct `Redemptions of offer codes` {
    private let server: TestServer
    private let client: String
    private let marketer: String
    private static let day: Int64 = 86_400_000

    init() throws {
        server = try TestServer(catalogText: TestServer.codeCatalog())
        client = try server.makeKey(.client)
        marketer = try server.makeKey(.marketer)
        let codes = (1...9).map { "TIDE\($0)\n" }.joined()
        try #require(server.loadCodes(codes, key: marketer).decision == "loaded")
    }

    /// A period of subscription `id` that begins `days` after the start, under an offer.
    private func notice(
        _ id: String, type: String = "SUBSCRIBED", days: Int64 = 1, offerType: OfferType? = .offerCode,
        token: UUID? = nil, change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) -> TestServer.Notice {
        let begins = TestServer.start.adding(milliseconds: days * Self.day)
        return TestServer.Notice(
            type: type, subtype: type == "SUBSCRIBED" ? "INITIAL_BUY" : nil,
            signedDate: begins.adding(milliseconds: 1000),
            transaction: server.transaction(id, token: token) {
                $0.transactionId = TransactionID("\(id)-\(days)")
                $0.purchaseDate = begins
                $0.expiresDate = begins.adding(milliseconds: 30 * Self.day)
                $0.signedDate = begins.adding(milliseconds: 1000)
                $0.offerType = offerType
                $0.offerIdentifier = offerType.map { _ in OfferIdentifier("THANKS") }
                change(&$0)
            })
    }

    private func post(_ notice: TestServer.Notice) throws {
        let answer = try server.post(notice)
        try #require(answer.status == 200 && answer.json["outcome"] as? String != "failed", "\(answer.text)")
    }

    /// All redemptions of `THANKS`, and the probable ones.
    private func redemptions() throws -> [Int?] {
        let offers = try server.codeBatches(key: marketer).objects("offers")
        let offer = try #require(offers.first { $0["offer"] as? String == "THANKS" })
        return [offer["redemptions"] as? Int, offer["probableRedemptions"] as? Int]
    }

    @Test func `are counted once for a subscription and offer, however many renewals repeat the fields`() throws {
        try post(notice("100"))
        for month in 1...3 as ClosedRange<Int64> { try post(notice("100", type: "DID_RENEW", days: 1 + month * 30)) }
        try post(notice("100"))
        #expect(try redemptions() == [1, 0])
        try post(notice("200"))
        #expect(try redemptions() == [2, 0])
        #expect(try server.sqlite3("SELECT count(*), min(purchase_date) FROM code_redemption") == "2|1789128000000")
    }

    @Test func `of other kinds of offers, and of families, are none`() throws {
        for (index, offerType) in [nil, OfferType.introductoryOffer, .promotionalOffer, .winBackOffer].enumerated() {
            try post(notice("\(300 + index)", offerType: offerType))
        }
        try post(notice("400") { $0.inAppOwnershipType = .familyShared })
        #expect(try redemptions() == [0, 0])
        #expect(try server.sqlite3("SELECT count(*) FROM code_redemption") == "0")
    }

    @Test func `are probable when token or customer agree with an earlier claim`() throws {
        let token = UUID()
        _ = try server.claim(token.uuidString.lowercased(), key: client)
        _ = try server.claim("500", key: client)
        let device = try server.makeKey(.device)
        let proof = try server.appStore.signedTransaction(
            server.transaction("600") { $0.appTransactionId = AppTransactionID("900") })
        #expect(try server.claim(nil, key: device, ["signedTransactionInfo": proof]).decision == "granted")

        try post(notice("700", token: token))
        #expect(try redemptions() == [1, 1])
        try post(notice("500"))
        #expect(try redemptions() == [2, 2])
        try post(notice("601") { $0.appTransactionId = AppTransactionID("900") })
        #expect(try redemptions() == [3, 3])
        let held = try Store(reading: server.database).claimedCodes(
            by: [token.uuidString.lowercased(), "500", "nobody"], bundleId: TestServer.bundleId,
            environment: .production)
        #expect(held.map(\.code.rawValue) == ["TIDE1", "TIDE2"] && held.allSatisfy(\.isProbablyRedeemed))
        // The same token again, from another Apple Account: a claim is linked once.
        try post(notice("701", token: token))
        #expect(try redemptions() == [4, 3])
        try post(notice("800"))
        #expect(try redemptions() == [5, 3])
    }

    @Test func `are counted too when a customer's own proof is the first to tell`() throws {
        let begins = TestServer.start.adding(milliseconds: Self.day)
        server.clock.advance(milliseconds: 2 * Self.day)
        let transaction = try #require(notice("100").transaction)
        let proof = try server.appStore.signedTransaction(transaction)
        let device = try server.makeKey(.device)
        for _ in 1...2 { _ = try server.claim(nil, key: device, ["signedTransactionInfo": proof]) }
        #expect(try redemptions() == [1, 0])
        try post(notice("100"))
        #expect(try redemptions() == [1, 0])
        #expect(
            try server.sqlite3("SELECT purchase_date FROM code_redemption") == "\(begins.millisecondsSince1970)")
    }

    @Test func `are not of a code that was claimed afterwards, in whatever order the notifications come`() throws {
        server.clock.advance(milliseconds: 40 * Self.day)
        _ = try server.claim("100", key: client)
        try post(notice("100", type: "DID_RENEW", days: 61))
        #expect(try redemptions() == [1, 1])
        // The first period began before the claim, so its code was another one.
        try post(notice("100", days: 1))
        #expect(try redemptions() == [1, 0])
        try post(notice("100", type: "DID_RENEW", days: 91))
        #expect(try redemptions() == [1, 0])
    }

    @Test func `a token that comes later makes the link`() throws {
        let token = UUID()
        _ = try server.claim(token.uuidString, key: client)
        try post(notice("100"))
        #expect(try redemptions() == [1, 0])
        try post(notice("100", type: "DID_RENEW", days: 31, token: token))
        #expect(try redemptions() == [1, 1])
    }

    @Test func `are shown beside offers of which we have no codes`() throws {
        try post(notice("100") { $0.offerIdentifier = OfferIdentifier("ELSEWHERE") })
        let offers = try server.codeBatches(key: marketer).objects("offers")
        let other = try #require(offers.first { $0["offer"] as? String == "ELSEWHERE" })
        #expect(other["redemptions"] as? Int == 1 && other["free"] as? Int == 0 && other["isLow"] as? Bool == false)
    }

    @Test func `stay counted when their customer is erased, and nothing of that leads to the customer`() throws {
        let token = UUID()
        let text = token.uuidString.lowercased()
        let claimed = try server.claim(text, key: client)
        _ = try server.claim("4711", key: client)
        try post(notice("100", token: token))
        #expect(try redemptions() == [1, 1])
        let store = try Store(server.database, now: server.clock.now)
        let later = server.clock.now.adding(milliseconds: 2 * Self.day)
        let erasure = try #require(
            try store.eraseSubscriber(
                originalTransactionId: OriginalTransactionID("100"), bundleId: TestServer.bundleId,
                environment: .production, now: later))
        #expect(erasure.codes == 1 && erasure.grants == 1)
        #expect(try redemptions() == [1, 1])
        #expect(try store.codeFaults() == [])
        let dump = try run("sqlite3", [server.database, ".dump"]).text.lowercased()
        #expect(!dump.contains(text) && dump.contains("4711"))
        #expect(
            try server.sqlite3("SELECT movement, sum(count) FROM code_ledger GROUP BY movement")
                == "claimed|2\nloaded|9")
        // An own id that says nothing of the subscription is named by who erases.
        let own = try server.claim("4712", key: client)
        try post(notice("200"))
        let second = try #require(
            try store.eraseSubscriber(
                originalTransactionId: OriginalTransactionID("200"), bundleId: TestServer.bundleId,
                environment: .production, codeCustomer: "4712", now: later))
        #expect(second.codes == 1 && own.decision == "granted")
        #expect(
            try !run("sqlite3", [server.database, ".dump code_claim offer_code code_ledger"]).text.contains("4712"))
        #expect(try redemptions() == [2, 1])
        // Nobody else gets the code, and a late delivery is not counted again.
        #expect(try server.claim("b", key: client).code != claimed.code)
        // Who claims anew under the same id can be erased again.
        #expect(try server.claim("4712", key: client).code != own.code)
        try post(notice("300"))
        let third = try #require(
            try store.eraseSubscriber(
                originalTransactionId: OriginalTransactionID("300"), bundleId: TestServer.bundleId,
                environment: .production, codeCustomer: "4712", now: later))
        #expect(third.codes == 1)
        #expect(try store.codeFaults() == [])
        try post(notice("100", token: token))
        #expect(try redemptions() == [3, 1])
    }
}
