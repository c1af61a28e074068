extension Schema {
    /// - `campaign_file`: every campaign file that was ever in force, by the SHA-256 of its bytes, so that a grant can be
    ///   explained after its file has changed.
    /// - `campaign_arm`: the arm of a subscription, given once. `key` is `holdout/<campaign>`, `holdout/global/<salt>` or
    ///   `variant/<campaign>`.
    /// - `campaign_arm_total` and `campaign_total` count arms, grants and redemptions, so that a decision reads one row, and
    ///   stay when a customer's rows are erased.
    /// - `campaign_grant`: what a campaign gave, with all that the decision used: `facts` and `refusals` are JSON.
    ///   `offer_type` is Apple's number and null for what is no offer. `offer_grant_id` leads to the answer. `outcome` is
    ///   what the app said became of it, `redeemed_date` when the redemption was counted, and
    ///   `redeemed_transaction_id` the transaction that proved it.
    static let campaigns = """
        CREATE TABLE campaign_file (
            digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
            campaign TEXT NOT NULL,
            content TEXT NOT NULL,
            loaded_date INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE campaign_arm (
            subscription_id INTEGER NOT NULL,
            key TEXT NOT NULL,
            arm TEXT NOT NULL,
            assigned_date INTEGER NOT NULL,
            PRIMARY KEY (subscription_id, key)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE campaign_arm_total (
            key TEXT NOT NULL,
            arm TEXT NOT NULL,
            assigned INTEGER NOT NULL CHECK (assigned > 0),
            PRIMARY KEY (key, arm)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE campaign_total (
            campaign TEXT NOT NULL PRIMARY KEY,
            given INTEGER NOT NULL DEFAULT 0 CHECK (given >= 0),
            redeemed INTEGER NOT NULL DEFAULT 0 CHECK (redeemed BETWEEN 0 AND given)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE campaign_grant (
            id INTEGER PRIMARY KEY,
            grant_id BLOB NOT NULL CHECK (length(grant_id) = 16),
            app_id INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            campaign TEXT NOT NULL,
            rule TEXT NOT NULL,
            variant TEXT,
            via TEXT NOT NULL,
            offer_type INTEGER,
            offer_identifier TEXT,
            product_id TEXT,
            message TEXT,
            file_digest BLOB NOT NULL CHECK (length(file_digest) = 32),
            facts TEXT NOT NULL,
            refusals TEXT NOT NULL,
            app_account_token BLOB CHECK (length(app_account_token) = 16),
            given_date INTEGER NOT NULL,
            offer_grant_id INTEGER,
            outcome TEXT CHECK (outcome IN ('purchased', 'cancelled', 'failed')),
            outcome_error TEXT,
            outcome_date INTEGER,
            redeemed_date INTEGER,
            redeemed_transaction_id TEXT
        ) STRICT;
        CREATE UNIQUE INDEX campaign_grant_by_grant_id ON campaign_grant (grant_id);
        CREATE INDEX campaign_grant_by_subscription ON campaign_grant (subscription_id, given_date);
        """
}
