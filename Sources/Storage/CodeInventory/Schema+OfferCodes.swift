extension Schema {
    /// - `code_batch`: one load of one-time codes. A batch in state `loading` is invisible to everything but its own
    ///   import. `next` is the position of the first code that was never handed out, `claimed`, `voided` and `released`
    ///   count rows of `offer_code`, and `is_open` is 1 as long as a code can be claimed, which keeps exhausted batches
    ///   out of the index that claims look into.
    /// - `code_block` holds the codes of a batch in order, 200 a row, one a line, and is never updated: ten million
    ///   codes are fifty thousand rows of a page each, so that loading them costs a tenth of what rows of their own
    ///   cost. The code at position p is line p % 200 of the row with `id` = batch * 2^32 + p / 200.
    /// - `offer_code` has a row for each code that was handed out, released or voided.
    /// - `code_claim` leads from a customer to the code of an offer; there is one at most.
    /// - `code_ledger` is only ever appended to: every movement, with how many codes moved.
    /// - `code_claim_hour` counts claims by the hour since 1970, so that nobody reads a ledger of millions for the pace.
    /// - `code_redemption` counts a code once for each subscription and offer, with the claim that it is probably of; an
    ///   erased customer's row stays without its subscription. What notifications told before is counted from the facts.
    static let offerCodes = """
        CREATE TABLE code_batch (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            product_id TEXT NOT NULL,
            offer TEXT NOT NULL,
            name TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('loading', 'ready', 'void')),
            created_date INTEGER NOT NULL,
            expires_date INTEGER NOT NULL,
            time_zone TEXT NOT NULL,
            loaded_date INTEGER NOT NULL,
            content_digest BLOB NOT NULL CHECK (length(content_digest) = 32),
            file_digest BLOB NOT NULL CHECK (length(file_digest) = 32),
            file_bytes INTEGER NOT NULL,
            lines_with_codes INTEGER NOT NULL,
            total INTEGER NOT NULL CHECK (total > 0),
            next INTEGER NOT NULL DEFAULT 0 CHECK (next BETWEEN 0 AND total),
            claimed INTEGER NOT NULL DEFAULT 0 CHECK (claimed BETWEEN 0 AND total),
            voided INTEGER NOT NULL DEFAULT 0 CHECK (voided BETWEEN 0 AND total - claimed),
            released INTEGER NOT NULL DEFAULT 0 CHECK (released BETWEEN 0 AND total),
            is_open INTEGER NOT NULL DEFAULT 0 CHECK (is_open IN (0, 1))
        ) STRICT;
        CREATE UNIQUE INDEX code_batch_by_name ON code_batch (app_id, name) WHERE state <> 'loading';
        CREATE INDEX code_batch_open ON code_batch (app_id, offer, expires_date) WHERE is_open = 1;

        CREATE TABLE code_block (
            id INTEGER PRIMARY KEY,
            codes TEXT NOT NULL
        ) STRICT;

        CREATE TABLE offer_code (
            batch_id INTEGER NOT NULL,
            position INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('claimed', 'released', 'void')),
            customer TEXT,
            claimed_date INTEGER,
            PRIMARY KEY (batch_id, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX offer_code_released ON offer_code (batch_id, position) WHERE state = 'released';

        CREATE TABLE code_claim (
            customer TEXT NOT NULL,
            app_id INTEGER NOT NULL,
            offer TEXT NOT NULL,
            batch_id INTEGER NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (customer, app_id, offer)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE code_ledger (
            id INTEGER PRIMARY KEY,
            batch_id INTEGER NOT NULL,
            position INTEGER,
            movement TEXT NOT NULL CHECK (movement IN ('loaded', 'claimed', 'released', 'voided', 'voidedClaimed')),
            count INTEGER NOT NULL CHECK (count > 0),
            customer TEXT,
            reason TEXT,
            moved_date INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX code_ledger_by_date ON code_ledger (moved_date);

        CREATE TABLE code_claim_hour (
            batch_id INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            claimed INTEGER NOT NULL CHECK (claimed > 0),
            PRIMARY KEY (batch_id, hour)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE code_redemption (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            offer TEXT NOT NULL,
            subscription_id INTEGER,
            purchase_date INTEGER NOT NULL,
            batch_id INTEGER,
            position INTEGER,
            CHECK ((batch_id IS NULL) = (position IS NULL))
        ) STRICT;
        CREATE UNIQUE INDEX code_redemption_by_subscription ON code_redemption (subscription_id, offer)
            WHERE subscription_id IS NOT NULL;
        CREATE UNIQUE INDEX code_redemption_by_claim ON code_redemption (batch_id, position)
            WHERE batch_id IS NOT NULL;
        CREATE INDEX code_redemption_by_offer ON code_redemption (app_id, offer, batch_id);

        CREATE TABLE custom_code (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            product_id TEXT NOT NULL,
            offer TEXT NOT NULL,
            code TEXT NOT NULL,
            redemption_limit INTEGER NOT NULL CHECK (redemption_limit > 0),
            created_date INTEGER NOT NULL,
            expires_date INTEGER,
            time_zone TEXT NOT NULL,
            UNIQUE (code, app_id)
        ) STRICT;

        INSERT INTO code_redemption (app_id, offer, subscription_id, purchase_date)
            SELECT s.app_id, f.offer_identifier, s.id, min(f.purchase_date) FROM transaction_fact AS f
            JOIN subscription AS s ON s.id = f.subscription_id
            WHERE f.offer_type = 3 AND f.offer_identifier <> ''
            AND coalesce(f.in_app_ownership_type, '') <> 'FAMILY_SHARED'
            GROUP BY s.id, f.offer_identifier;
        """
}
