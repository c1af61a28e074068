import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Transaction facts` {
    private static let json = """
        {"transactionId":"2000000000000002","originalTransactionId":"2000000000000001","bundleId":"com.example.tide",
        "productId":"tide.monthly","subscriptionGroupIdentifier":"21500001","purchaseDate":1785931200000,
        "originalPurchaseDate":1785931200000,"expiresDate":1788609600000,"quantity":1,
        "type":"Auto-Renewable Subscription",
        "appAccountToken":"0F1E2D3C-4B5A-4968-8778-695A4B3C2D1E","inAppOwnershipType":"PURCHASED",
        "signedDate":1785931201000,"revocationDate":1785931300000,"isUpgraded":true,"offerType":2,
        "offerIdentifier":"save50","environment":"Production","appTransactionId":"704000000000000001","newKey":[1]}
        """

    private static func payload(without key: String? = nil, with values: [String: Any] = [:]) throws
        -> JWSTransactionDecodedPayload
    {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        if let key { object[key] = nil }
        object.merge(values) { $1 }
        return try JWSTransactionDecodedPayload(json: Array(JSONSerialization.data(withJSONObject: object)))
    }

    @Test func `every field comes from the payload`() throws {
        let fact = try TransactionFact(try Self.payload())
        #expect(
            fact
                == TransactionFact(
                    originalTransactionId: "2000000000000001", transactionId: "2000000000000002",
                    productId: "tide.monthly",
                    subscriptionGroupIdentifier: "21500001", type: .autoRenewableSubscription,
                    purchaseDate: Instant(millisecondsSince1970: 1_785_931_200_000),
                    expiresDate: Instant(millisecondsSince1970: 1_788_609_600_000),
                    revocationDate: Instant(millisecondsSince1970: 1_785_931_300_000), isUpgraded: true,
                    offerType: .promotionalOffer, offerIdentifier: "save50",
                    appAccountToken: UUID(uuidString: "0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"),
                    inAppOwnershipType: .purchased, appTransactionId: "704000000000000001",
                    signedDate: Instant(millisecondsSince1970: 1_785_931_201_000)))
    }

    @Test(arguments: [
        "originalTransactionId", "transactionId", "productId", "subscriptionGroupIdentifier", "type", "purchaseDate",
        "expiresDate", "signedDate",
    ])
    func `a payload without a needed field is refused by the field's name`(key: String) throws {
        #expect(throws: CampaignCoreError.transactionLacks(fields: [key])) {
            try TransactionFact(try Self.payload(without: key))
        }
    }

    @Test func `all missing fields are named at once, an empty identifier among them`() throws {
        let payload = try Self.payload(without: "signedDate", with: ["transactionId": "", "productId": NSNull()])
        let error = try #require(throws: CampaignCoreError.self) { try TransactionFact(payload) }
        #expect(
            error.description
                == "the signed transaction lacks 'transactionId', 'productId', 'signedDate'; "
                + "send one that StoreKit gave the app"
        )
    }

    @Test func `a one-time purchase needs no group and no end`() throws {
        var payload = try Self.payload(without: "expiresDate")
        payload.subscriptionGroupIdentifier = nil
        payload.type = .nonConsumable
        #expect(try TransactionFact(payload).expiresDate == nil)
    }

    @Test(arguments: [
        "isUpgraded", "offerType", "offerIdentifier", "appAccountToken", "revocationDate", "appTransactionId",
    ])
    func `a payload without any other field is a fact`(key: String) throws {
        #expect(throws: Never.self) { try TransactionFact(try Self.payload(without: key)) }
    }
}
