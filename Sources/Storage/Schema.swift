/// What the tables of a Holdfast database are.
///
/// Names avoid PostgreSQL's reserved words. Apple's names are kept, written with underscores. Instants are milliseconds
/// since 1970, UUIDs and digests are blobs, and every table checks its types (`STRICT`).
enum Schema {
    /// `HOLD`, in the header of the file: tells our databases from those of other programs.
    static let applicationId: Int64 = 0x484f_4c44

    static let migrations = Migrations(known: [
        Migration(number: 1, name: "keys, grants and transaction facts", script: keysGrantsAndTransactionFacts),
        Migration(number: 2, name: "signed payloads and subscriptions", script: signedPayloadsAndSubscriptions),
        Migration(number: 3, name: "first signing of a period", script: firstSigningOfPeriod),
        Migration(number: 4, name: "offer codes", script: offerCodes),
        Migration(number: 5, name: "campaigns", script: campaigns),
    ])

    /// - `api_key`: names are never used again, so a grant's `key_name` always means one key.
    /// - `offer_grant` is only ever appended to: its rows, about a kilobyte with the answer, go to the end of the table in
    ///   the order of their ids, and one small index finds them again. Keyed by the random `request_id` itself, every
    ///   insert would split and rewrite a page of such rows. A customer's grants get their index when they are read.
    /// - `transaction_fact`: one row a transaction. The first index gives a subscription's transactions newest first; the
    ///   other two hold all it takes to name a customer's subscriptions without reading the table.
    private static let keysGrantsAndTransactionFacts = """
        PRAGMA application_id = \(applicationId);

        CREATE TABLE schema_migration (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            applied_date INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE api_key (
            name TEXT NOT NULL PRIMARY KEY,
            key_digest BLOB NOT NULL UNIQUE CHECK (length(key_digest) = 32),
            role TEXT NOT NULL,
            bundle_id TEXT,
            created_date INTEGER NOT NULL,
            revoked_date INTEGER
        ) STRICT;

        CREATE TABLE offer_grant (
            id INTEGER PRIMARY KEY,
            request_id BLOB NOT NULL CHECK (length(request_id) = 16),
            kind TEXT NOT NULL,
            body_digest BLOB NOT NULL CHECK (length(body_digest) = 32),
            key_name TEXT,
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            product_id TEXT,
            offer_identifier TEXT,
            original_transaction_id TEXT,
            app_account_token BLOB CHECK (length(app_account_token) = 16),
            decision TEXT NOT NULL,
            nonce BLOB CHECK (length(nonce) = 16),
            timestamp INTEGER,
            key_id TEXT,
            issued_date INTEGER NOT NULL,
            expires_date INTEGER NOT NULL,
            answer BLOB NOT NULL
        ) STRICT;
        CREATE INDEX offer_grant_by_request ON offer_grant (request_id);

        CREATE TABLE transaction_fact (
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            transaction_id TEXT NOT NULL,
            original_transaction_id TEXT NOT NULL,
            product_id TEXT NOT NULL,
            type TEXT NOT NULL,
            purchase_date INTEGER NOT NULL,
            signed_date INTEGER NOT NULL,
            web_order_line_item_id TEXT,
            subscription_group_identifier TEXT,
            original_purchase_date INTEGER,
            expires_date INTEGER,
            quantity INTEGER,
            in_app_ownership_type TEXT,
            revocation_date INTEGER,
            revocation_reason INTEGER,
            revocation_type TEXT,
            revocation_percentage INTEGER,
            is_upgraded INTEGER,
            offer_type INTEGER,
            offer_identifier TEXT,
            offer_discount_type TEXT,
            offer_period TEXT,
            storefront TEXT,
            storefront_id TEXT,
            transaction_reason TEXT,
            currency TEXT,
            price INTEGER,
            app_transaction_id TEXT,
            app_account_token BLOB CHECK (length(app_account_token) = 16),
            app_account_token_signed_date INTEGER,
            PRIMARY KEY (transaction_id, bundle_id, environment)
        ) STRICT;
        CREATE INDEX transaction_fact_by_subscription
            ON transaction_fact (original_transaction_id, bundle_id, environment, purchase_date);
        CREATE INDEX transaction_fact_by_token
            ON transaction_fact (app_account_token, bundle_id, environment, original_transaction_id)
            WHERE app_account_token IS NOT NULL;
        CREATE INDEX transaction_fact_by_download
            ON transaction_fact (app_transaction_id, bundle_id, environment, original_transaction_id)
            WHERE app_transaction_id IS NOT NULL;

        CREATE TABLE health_check (
            id INTEGER PRIMARY KEY,
            checked_date INTEGER NOT NULL
        ) STRICT;
        """
}
