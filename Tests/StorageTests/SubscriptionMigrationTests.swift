import CampaignCore
import Foundation
import Testing

@testable import Storage

/// A database of the first schema keeps what it knows when it is upgraded.
struct SubscriptionMigrationTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
        let connection = try Connection(fixture.path, mode: .readWriteCreate)
        try Migrations(known: [Schema.migrations.known[0]]).apply(to: connection, now: Fixture.now)
    }

    @Test func `transactions, tokens and downloads move to the new tables`() throws {
        try fixture.sqlite3(
            """
            INSERT INTO transaction_fact (
                bundle_id, environment, transaction_id, original_transaction_id, product_id, type, purchase_date,
                signed_date, subscription_group_identifier, expires_date, is_upgraded, offer_type, app_transaction_id,
                app_account_token, app_account_token_signed_date, price, currency)
            VALUES
                ('com.example.tide', 'Production', '1', '1', 'tide.monthly', 'Auto-Renewable Subscription', 10, 11,
                    '21500001', 40, NULL, 1, '7040', x'00112233445566778899aabbccddeeff', 11, 990, 'EUR'),
                ('com.example.tide', 'Production', '2', '1', 'tide.monthly', 'Auto-Renewable Subscription', 40, 41,
                    '21500001', 70, 1, NULL, NULL, NULL, NULL, NULL, NULL),
                ('com.example.tide', 'Sandbox', '1', '1', 'tide.monthly', 'Auto-Renewable Subscription', 10, 11,
                    '21500001', 40, 0, NULL, NULL, NULL, NULL, NULL, NULL)
            """)
        let store = try fixture.open()
        let app = BundleID("com.example.tide")
        let token = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let facts = try store.transactions(originalTransactionId: .init("1"), bundleId: app, environment: .production)
        #expect(facts.map(\.transactionId.rawValue) == ["2", "1"])
        #expect(facts.map(\.isUpgraded) == [true, false])
        #expect(facts.last?.price == 990 && facts.last?.offerType == .introductoryOffer)
        #expect(try store.transactions(appAccountToken: token, bundleId: app, environment: .production) == facts)
        #expect(
            try store.transactions(appTransactionId: .init("7040"), bundleId: app, environment: .production) == facts)
        #expect(try store.transactions(transactionId: .init("2"), bundleId: app, environment: .production) == facts)
        #expect(try store.transactions(transactionId: .init("1"), bundleId: app, environment: .sandbox).count == 1)
        let found = try store.subscriptions(originalTransactionId: .init("1"))
        #expect(found.map(\.environment) == [.production, .sandbox])
        #expect(try store.quickCheck() == [])
        #expect(try fixture.sqlite3("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%old%'") == "0")
    }

    @Test func `an empty database of the first schema is upgraded too`() throws {
        let store = try fixture.open()
        #expect(try store.subscriptions(originalTransactionId: .init("1")) == [])
        #expect(try fixture.sqlite3("SELECT count(*) FROM subscription") == "0")
    }
}
