import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Storage

/// The migration that brings offer codes to a database with subscribers in it.
struct CodeMigrationTests {
    @Test func `redemptions that were told before are counted, once for a subscription and offer`() throws {
        let fixture = try Fixture()
        do {
            let connection = try Connection(fixture.path, mode: .readWriteCreate)
            try Migrations(known: Array(Schema.migrations.known.prefix(2))).apply(to: connection, now: Fixture.now)
        }
        try fixture.sqlite3("INSERT INTO app VALUES (1, 'com.example.tide', 'Production')")
        // Subscription, purchase, signed, offerType, offerIdentifier, ownership.
        for (subscription, purchase, offerType, offer, ownership) in [
            (1, 20, "3", "'THANKS'", "'PURCHASED'"), (1, 10, "3", "'THANKS'", "NULL"), (1, 30, "3", "'BACK30'", "NULL"),
            (2, 10, "2", "'save50'", "NULL"), (3, 10, "3", "'THANKS'", "'FAMILY_SHARED'"), (4, 10, "3", "NULL", "NULL"),
            (5, 10, "3", "'THANKS'", "NULL"), (6, 10, "NULL", "NULL", "NULL"),
        ] {
            try fixture.sqlite3(
                """
                INSERT INTO subscription (id, app_id, original_transaction_id) VALUES (\(subscription), 1, '\(subscription)')
                    ON CONFLICT DO NOTHING;
                INSERT INTO transaction_fact (subscription_id, purchase_date, transaction_id, signed_date, content_hash,
                    reported_status, product_id, type, is_upgraded, offer_type, offer_identifier, in_app_ownership_type)
                VALUES (\(subscription), \(purchase), '\(subscription)-\(purchase)', \(purchase), 0, 1, 'tide.monthly',
                    'Auto-Renewable Subscription', 0, \(offerType), \(offer), \(ownership))
                """)
        }
        let store = try fixture.open()
        let query = "SELECT subscription_id, offer, purchase_date, batch_id FROM code_redemption ORDER BY 1, 2"
        #expect(try fixture.sqlite3(query) == "1|BACK30|30|\n1|THANKS|10|\n5|THANKS|10|")
        let pool = CodePool(bundleId: .init("com.example.tide"), environment: .production, offer: .init("THANKS"))
        #expect(try store.codeRedemptions()[pool] == CodeRedemptionCount(all: 2, probable: 0))
    }
}
