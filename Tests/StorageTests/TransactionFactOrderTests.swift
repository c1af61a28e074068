import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// The same facts in any order, each any number of times, leave the same rows, and those that a naive referee expects.
struct TransactionFactOrderTests {
    private static let app = BundleID("com.example.tide")

    @Test(arguments: 0..<6)
    func `order and repetition of facts do not matter`(round: UInt64) throws {
        let given = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64.max) &+ round
        print("HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let facts = try (0..<40).map { _ in try Self.fact(using: &generator) }
        var dumps: Set<String> = []
        for _ in 0..<4 {
            let fixture = try Fixture()
            let store = try fixture.open()
            let repeated = (facts + facts.filter { _ in Bool.random(using: &generator) }).shuffled(using: &generator)
            try store.connection.transaction { () throws(StorageError) in
                for fact in repeated {
                    try store.recordTransaction(fact, bundleId: Self.app, environment: .production, payload: nil)
                }
            }
            // Numbers of subscriptions come from the order of arrival, so their names are compared.
            dumps.insert(
                try fixture.sqlite3(
                    """
                    SELECT s.original_transaction_id, f.purchase_date, f.transaction_id, f.signed_date, f.content_hash,
                        f.reported_status, f.product_id, f.revocation_date, f.is_upgraded, hex(f.app_account_token)
                    FROM transaction_fact AS f JOIN subscription AS s ON s.id = f.subscription_id ORDER BY 1,2,3,4,5,6;
                    SELECT hex(subscription_token.app_account_token), s.original_transaction_id
                    FROM subscription_token JOIN subscription AS s ON s.id = subscription_id ORDER BY 1, 2
                    """))
            for subscription in ["1", "2"] {
                let name = OriginalTransactionID(subscription)
                let found = try store.transactions(
                    originalTransactionId: name, bundleId: Self.app, environment: .production)
                let expected = Self.referee(facts.filter { $0.originalTransactionId == name })
                #expect(found.map(Held.init) == expected, "HOLDFAST_SEED=\(seed)")
            }
            let versions = Set(facts)
            let kept = try ["1", "2"].flatMap { name in
                try store.subscriptions(originalTransactionId: .init(name)).flatMap {
                    try store.facts(of: $0.id).transactions
                }
            }
            #expect(Set(kept) == versions && kept.count == versions.count, "HOLDFAST_SEED=\(seed)")
        }
        #expect(dumps.count == 1, "HOLDFAST_SEED=\(seed)")
    }

    /// What is compared with the referee: everything that the rule decides.
    private struct Held: Equatable {
        var transactionId: TransactionID
        var signedDate: Instant
        var revocationDate: Instant?
        var isUpgraded: Bool
        var token: UUID?

        init(_ fact: TransactionFact) {
            transactionId = fact.transactionId
            signedDate = fact.signedDate
            revocationDate = fact.revocationDate
            isUpgraded = fact.isUpgraded
            token = fact.appAccountToken
        }
    }

    /// The rule once more: the latest signed version of each transaction, the revoked and then the upgraded one of one
    /// millisecond, with the latest signed token of any.
    private static func referee(_ facts: [TransactionFact]) -> [Held] {
        Dictionary(grouping: facts, by: \.transactionId).values.map { versions in
            let newest = versions.max {
                ($0.signedDate, $0.revocationDate?.millisecondsSince1970 ?? .min, $0.isUpgraded ? 1 : 0)
                    < ($1.signedDate, $1.revocationDate?.millisecondsSince1970 ?? .min, $1.isUpgraded ? 1 : 0)
            }
            let told = versions.filter { $0.appAccountToken != nil }.max { $0.signedDate < $1.signedDate }
            return (versions[0].purchaseDate, Held(newest ?? versions[0]), told?.appAccountToken)
        }
        .sorted { ($0.0, $0.1.transactionId) > ($1.0, $1.1.transactionId) }
        .map { _, held, token in
            var held = held
            held.token = token
            return held
        }
    }

    /// Few values for each field, so that ties are common; a token belongs to its instant, for which the rule says
    /// nothing about two.
    private static func fact(using generator: inout SeededGenerator) throws -> TransactionFact {
        func oneOf(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
        let transaction = oneOf(1...4)
        let signed = oneOf(1...6)
        var payload = JWSTransactionDecodedPayload.sample(
            "\(transaction)", of: "\(1 + transaction % 2)", signed: signed,
            token: signed % 2 == 0 ? nil : UUID(uuid: (UInt8(signed), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        payload.purchaseDate = Instant(millisecondsSince1970: transaction < 3 ? 10 : 11)
        payload.revocationDate = oneOf(0...2) == 0 ? Instant(millisecondsSince1970: 1) : nil
        payload.isUpgraded = oneOf(0...2) == 0
        payload.productId = .init(oneOf(0...1) == 0 ? "tide.monthly" : "tide.yearly")
        var fact = try TransactionFact(payload)
        fact.reportedStatus = oneOf(0...2) == 0 ? Int(oneOf(1...5)) : nil
        return fact
    }
}
