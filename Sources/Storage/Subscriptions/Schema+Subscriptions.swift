extension Schema {
    /// - `signed_payload` is the log: whatever Apple signed that told anything, appended in the order of arrival. Its
    ///   first index lets a notification in once; the second holds only what told no fact, so an ordinary notification
    ///   writes nothing into it, and its history is found through the facts.
    /// - `jws_header`: a header with its certificate chain is kept once for all payloads that were signed by it.
    /// - `subscription` names one for life by a small number and holds what its facts make it, null until folded.
    /// - The facts are keyed so that a subscription's rows lie together, in the order of their purchases. `content_hash`
    ///   and `reported_status` tell apart two versions that were signed in one millisecond.
    /// - The `subscription_…` tables lead from what a customer may be named by to subscriptions; a link is written once.
    /// - `erased_subscription` keeps a digest alone, so that what was signed before an erasure stays away.
    static let signedPayloadsAndSubscriptions = """
        CREATE TABLE app (
            id INTEGER PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            UNIQUE (bundle_id, environment)
        ) STRICT;

        CREATE TABLE jws_header (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
            header TEXT NOT NULL
        ) STRICT;

        CREATE TABLE signed_payload (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            subscription_id INTEGER,
            source TEXT NOT NULL,
            outcome TEXT NOT NULL,
            notification_uuid BLOB CHECK (length(notification_uuid) = 16),
            notification_type TEXT,
            subtype TEXT,
            signed_date INTEGER NOT NULL,
            received_date INTEGER NOT NULL,
            detail TEXT,
            body BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX signed_payload_by_notification ON signed_payload (notification_uuid)
            WHERE notification_uuid IS NOT NULL AND outcome <> 'conflicting';
        CREATE INDEX signed_payload_without_facts ON signed_payload (subscription_id) WHERE outcome <> 'folded';

        CREATE TABLE subscription (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            original_transaction_id TEXT NOT NULL,
            erased_date INTEGER,
            time_zone TEXT,
            transaction_id TEXT,
            product_id TEXT,
            subscription_group_identifier TEXT,
            in_app_ownership_type TEXT,
            purchase_date INTEGER,
            expires_date INTEGER,
            revocation_date INTEGER,
            offer_type INTEGER,
            offer_identifier TEXT,
            storefront TEXT,
            auto_renew_status INTEGER,
            auto_renew_product_id TEXT,
            plan_change TEXT,
            expiration_intent INTEGER,
            is_in_billing_retry_period INTEGER,
            grace_period_expires_date INTEGER,
            price_increase_status INTEGER,
            eligible_win_back_offer_ids TEXT,
            renewal_offer_type INTEGER,
            renewal_offer_identifier TEXT,
            renewal_price INTEGER,
            currency TEXT,
            save_window_opens_date INTEGER,
            app_account_token BLOB CHECK (length(app_account_token) = 16),
            app_transaction_id TEXT,
            newest_signed_date INTEGER,
            UNIQUE (original_transaction_id, app_id)
        ) STRICT;

        ALTER TABLE transaction_fact RENAME TO old_transaction_fact;
        DROP INDEX transaction_fact_by_subscription;
        DROP INDEX transaction_fact_by_token;
        DROP INDEX transaction_fact_by_download;
        \(factTables(suffix: ""))
        CREATE TABLE subscription_transaction (
            transaction_id TEXT NOT NULL,
            app_id INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            PRIMARY KEY (transaction_id, app_id, subscription_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE subscription_token (
            app_account_token BLOB NOT NULL CHECK (length(app_account_token) = 16),
            app_id INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            PRIMARY KEY (app_account_token, app_id, subscription_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE subscription_download (
            app_transaction_id TEXT NOT NULL,
            app_id INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            PRIMARY KEY (app_transaction_id, app_id, subscription_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE erased_subscription (
            digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
            erased_date INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        INSERT INTO app (bundle_id, environment)
            SELECT DISTINCT bundle_id, environment FROM old_transaction_fact;
        INSERT INTO subscription (app_id, original_transaction_id)
            SELECT DISTINCT app.id, f.original_transaction_id FROM old_transaction_fact AS f
            JOIN app ON app.bundle_id = f.bundle_id AND app.environment = f.environment;
        CREATE TEMP TABLE moved AS
            SELECT f.rowid AS fact, app.id AS app_id, s.id AS subscription_id FROM old_transaction_fact AS f
            JOIN app ON app.bundle_id = f.bundle_id AND app.environment = f.environment
            JOIN subscription AS s ON s.original_transaction_id = f.original_transaction_id AND s.app_id = app.id;
        INSERT INTO transaction_fact (
                subscription_id, purchase_date, transaction_id, signed_date, content_hash, reported_status,
                product_id, subscription_group_identifier, type, expires_date, revocation_date, is_upgraded,
                offer_type, offer_identifier, app_account_token, in_app_ownership_type, app_transaction_id,
                revocation_type, offer_discount_type, offer_period, storefront, transaction_reason, price, currency)
            SELECT m.subscription_id, f.purchase_date, f.transaction_id, f.signed_date, 0, 0,
                f.product_id, f.subscription_group_identifier, f.type, f.expires_date, f.revocation_date,
                coalesce(f.is_upgraded, 0),
                f.offer_type, f.offer_identifier, f.app_account_token, f.in_app_ownership_type, f.app_transaction_id,
                f.revocation_type, f.offer_discount_type, f.offer_period, f.storefront, f.transaction_reason, f.price,
                f.currency
            FROM moved AS m JOIN old_transaction_fact AS f ON f.rowid = m.fact;
        INSERT INTO subscription_transaction
            SELECT DISTINCT f.transaction_id, m.app_id, m.subscription_id
            FROM moved AS m JOIN old_transaction_fact AS f ON f.rowid = m.fact;
        INSERT INTO subscription_token
            SELECT DISTINCT f.app_account_token, m.app_id, m.subscription_id
            FROM moved AS m JOIN old_transaction_fact AS f ON f.rowid = m.fact
            WHERE f.app_account_token IS NOT NULL;
        INSERT INTO subscription_download
            SELECT DISTINCT f.app_transaction_id, m.app_id, m.subscription_id
            FROM moved AS m JOIN old_transaction_fact AS f ON f.rowid = m.fact
            WHERE f.app_transaction_id IS NOT NULL;
        DROP TABLE moved;
        DROP TABLE old_transaction_fact;

        CREATE INDEX offer_grant_by_subscription ON offer_grant (original_transaction_id)
            WHERE original_transaction_id IS NOT NULL;
        """

    /// `subscription` knows when Apple first signed its current transaction, so that a fact which comes in order is folded
    /// without reading those before it.
    static let firstSigningOfPeriod = """
        ALTER TABLE subscription ADD COLUMN first_signed_date INTEGER;
        UPDATE subscription SET first_signed_date = (
            SELECT min(f.signed_date) FROM transaction_fact AS f
            WHERE f.subscription_id = subscription.id AND f.transaction_id = subscription.transaction_id
            AND f.type = 'Auto-Renewable Subscription' AND f.expires_date IS NOT NULL)
            WHERE transaction_id IS NOT NULL;
        """

    /// The two tables of facts; a replay fills a second pair, which then takes the place of the first.
    static func factTables(suffix: String) -> String {
        """
        CREATE TABLE transaction_fact\(suffix) (
            subscription_id INTEGER NOT NULL,
            purchase_date INTEGER NOT NULL,
            transaction_id TEXT NOT NULL,
            signed_date INTEGER NOT NULL,
            content_hash INTEGER NOT NULL,
            reported_status INTEGER NOT NULL,
            payload_id INTEGER,
            confirmed_date INTEGER,
            product_id TEXT NOT NULL,
            subscription_group_identifier TEXT,
            type TEXT NOT NULL,
            expires_date INTEGER,
            revocation_date INTEGER,
            is_upgraded INTEGER NOT NULL,
            offer_type INTEGER,
            offer_identifier TEXT,
            app_account_token BLOB CHECK (length(app_account_token) = 16),
            in_app_ownership_type TEXT,
            app_transaction_id TEXT,
            revocation_type TEXT,
            offer_discount_type TEXT,
            offer_period TEXT,
            storefront TEXT,
            transaction_reason TEXT,
            price INTEGER,
            currency TEXT,
            PRIMARY KEY (
                subscription_id, purchase_date, transaction_id, signed_date, content_hash, reported_status)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE renewal_fact\(suffix) (
            subscription_id INTEGER NOT NULL,
            signed_date INTEGER NOT NULL,
            content_hash INTEGER NOT NULL,
            payload_id INTEGER,
            product_id TEXT,
            auto_renew_product_id TEXT,
            auto_renew_status INTEGER,
            expiration_intent INTEGER,
            is_in_billing_retry_period INTEGER,
            grace_period_expires_date INTEGER,
            price_increase_status INTEGER,
            offer_type INTEGER,
            offer_identifier TEXT,
            eligible_win_back_offer_ids TEXT,
            renewal_date INTEGER,
            renewal_price INTEGER,
            currency TEXT,
            recent_subscription_start_date INTEGER,
            plan_change TEXT,
            PRIMARY KEY (subscription_id, signed_date, content_hash)
        ) STRICT, WITHOUT ROWID;
        """
    }
}
