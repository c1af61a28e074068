import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// The same facts in any order, each any number of times, leave the same rows, and those that a naive referee expects.
struct TransactionFactOrderTests {
    private typealias Payload = JWSTransactionDecodedPayload

    @Test(arguments: 0..<6)
    func `order and repetition of facts do not matter`(round: UInt64) throws {
        let given = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64.max) &+ round
        print("HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let facts = (0..<40).map { _ in Self.payload(using: &generator) }
        let expected = try Self.referee(facts)
        for _ in 0..<4 {
            let fixture = try Fixture()
            let store = try fixture.open()
            let repeated = (facts + facts.filter { _ in Bool.random(using: &generator) }).shuffled(using: &generator)
            try store.connection.transaction { () throws(StorageError) in
                for fact in repeated { try store.recordTransaction(fact) }
            }
            #expect(try Self.rows(of: fixture) == expected, "HOLDFAST_SEED=\(seed)")
        }
    }

    @Test func `the statement names every column of the table once`() throws {
        let fixture = try Fixture()
        _ = try fixture.open()
        let columns = try fixture.sqlite3("SELECT name FROM pragma_table_info('transaction_fact')").split(
            separator: "\n")
        let named = Self.columns + ["app_account_token"]
        #expect(Set(columns.map(String.init)) == Set(named))
        #expect(columns.count == named.count)
    }

    private static let columns =
        TransactionFactUpsert.key + TransactionFactUpsert.integers + TransactionFactUpsert.texts
        + [TransactionFactUpsert.tokenDate]

    /// Few values for each field, so that ties are common.
    private static func payload(using generator: inout SeededGenerator) -> Payload {
        func maybe<Value>(_ first: Value, _ second: Value) -> Value? {
            [nil, first, second].randomElement(using: &generator) ?? nil
        }
        func oneOf(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
        var payload = Payload.sample(
            "\(oneOf(1...3))", of: "\(oneOf(1...2))", signed: oneOf(1...5),
            token: maybe(
                UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
                UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))))
        payload.environment = oneOf(0...1) == 0 ? .production : .sandbox
        payload.purchaseDate = Instant(millisecondsSince1970: oneOf(10...11))
        payload.productId = .init(oneOf(0...1) == 0 ? "tide.monthly" : "tide.yearly")
        payload.webOrderLineItemId = maybe("5", "6")
        payload.subscriptionGroupIdentifier = maybe(.init("21500001"), .init("21500002"))
        payload.originalPurchaseDate = maybe(Instant(millisecondsSince1970: 1), Instant(millisecondsSince1970: 2))
        payload.expiresDate = maybe(Instant(millisecondsSince1970: 20), Instant(millisecondsSince1970: 21))
        payload.quantity = maybe(1, 2)
        payload.inAppOwnershipType = maybe(.purchased, .familyShared)
        payload.revocationDate = maybe(Instant(millisecondsSince1970: 0), Instant(millisecondsSince1970: 15))
        payload.revocationReason = maybe(0, 1)
        payload.revocationType = maybe("REFUND_FULL", "FAMILY_REVOKE")
        payload.revocationPercentage = maybe(50_000, 100_000)
        payload.isUpgraded = maybe(true, false)
        payload.offerType = maybe(.promotionalOffer, .retentionOffer)
        payload.offerIdentifier = maybe(.init("save50"), .init("back30"))
        payload.offerDiscountType = maybe("FREE_TRIAL", "PAY_AS_YOU_GO")
        payload.offerPeriod = maybe("P1M", "P3M")
        payload.storefront = maybe("USA", "DEU")
        payload.storefrontId = maybe("143441", "143443")
        payload.transactionReason = maybe("PURCHASE", "RENEWAL")
        payload.currency = maybe("USD", "EUR")
        payload.price = maybe(0, 4990)
        payload.appTransactionId = maybe(.init("704"), .init("705"))
        return payload
    }

    /// The rule once more, one fact at a time: the greatest by what the design names, then by each column in turn.
    private static func referee(_ facts: [Payload]) throws -> [[String: String]] {
        let groups = Dictionary(grouping: facts) { fact in
            [fact.transactionId?.rawValue, fact.bundleId?.rawValue, fact.environment?.rawValue].map { $0 ?? "" }
        }
        return try groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, group in
            var winner = try row(group[0])
            for fact in try group.map(row) where isGreater(fact, than: winner) { winner = fact }
            let tokens = group.compactMap { fact in
                fact.appAccountToken.map { (fact.signedDate?.millisecondsSince1970 ?? 0, $0.uuidString) }
            }
            let token = tokens.max { $0 < $1 }
            winner["app_account_token"] = token?.1.replacingOccurrences(of: "-", with: "") ?? ""
            winner["app_account_token_signed_date"] = token.map { "\($0.0)" } ?? ""
            return winner
        }
    }

    /// Compares column by column; an absent value is less than any other.
    private static func isGreater(_ one: [String: String], than other: [String: String]) -> Bool {
        for column in TransactionFactUpsert.integers {
            let (a, b) = (one[column].flatMap(Int64.init), other[column].flatMap(Int64.init))
            if a != b { return (a ?? .min) > (b ?? .min) }
        }
        for column in TransactionFactUpsert.texts where one[column] != other[column] {
            return (one[column] ?? "") > (other[column] ?? "")
        }
        return false
    }

    /// A payload as `sqlite3` prints its row, made from the payload's JSON and not from our column code.
    private static func row(_ payload: Payload) throws -> [String: String] {
        let encoder = JSONEncoder()
        let object = try JSONSerialization.jsonObject(with: encoder.encode(payload)) as? [String: Any] ?? [:]
        var row: [String: String] = [:]
        for column in columns {
            let words = column.split(separator: "_")
            let name = words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
            row[column] =
                switch object[name] {
                case let text as String: text
                case let number as NSNumber: "\(number.int64Value)"
                default: ""
                }
        }
        return row
    }

    private static func rows(of fixture: Fixture) throws -> [[String: String]] {
        let names = columns + ["app_account_token"]
        let list = (columns + ["hex(app_account_token)"]).joined(separator: ", ")
        let text = try fixture.sqlite3(
            "SELECT \(list) FROM transaction_fact ORDER BY transaction_id, bundle_id, environment")
        return text.split(separator: "\n").map { line in
            let values = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            return Dictionary(uniqueKeysWithValues: zip(names, values))
        }
    }
}
