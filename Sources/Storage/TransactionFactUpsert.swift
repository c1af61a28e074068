/// The text of the one statement that keeps a transaction's row, composed once from its column names.
///
/// Facts come in any order and any number of times. What the row says in the end must not depend on that, so two facts
/// are compared by what they say, never by when they came (design section 1, field cases N02 and N09):
/// - The fact that Apple signed last holds. Of two signed in the same millisecond the one that takes more away does:
///   first the revoked one, then the upgraded one, then whichever has the greater value in the first column that differs.
/// - The token that Apple signed last holds; a fact without one does not count, so null never erases a known token.
enum TransactionFactUpsert {
    static let key = ["transaction_id", "bundle_id", "environment"]

    /// Whole numbers beside the token and its date; those that decide a tie come first.
    static let integers = [
        "signed_date", "revocation_date", "is_upgraded", "purchase_date", "original_purchase_date", "expires_date",
        "quantity", "revocation_reason", "revocation_percentage", "offer_type", "price",
    ]

    static let texts = [
        "original_transaction_id", "product_id", "type", "web_order_line_item_id", "subscription_group_identifier",
        "in_app_ownership_type", "revocation_type", "offer_identifier", "offer_discount_type", "offer_period",
        "storefront", "storefront_id", "transaction_reason", "currency", "app_transaction_id",
    ]

    static let token = "app_account_token"
    static let tokenDate = "app_account_token_signed_date"

    /// Every column, in the order in which values are bound.
    static let columns = SQL.Fragment((key + integers + texts + [token, tokenDate]).joined(separator: ", "))

    /// What follows the values.
    static let onConflict: SQL.Fragment = {
        let fact = rowValue("excluded"), row = rowValue("transaction_fact")
        let isNewer = "(\(fact)) > (\(row))"
        let hasNewerToken = """
            (excluded.\(token) IS NOT NULL AND (transaction_fact.\(token) IS NULL
            OR (excluded.\(tokenDate), excluded.\(token)) > (transaction_fact.\(tokenDate), transaction_fact.\(token))))
            """
        let assignments =
            (integers + texts).map { assignment(of: $0, when: isNewer) }
            + [token, tokenDate].map { assignment(of: $0, when: hasNewerToken) }
        return SQL.Fragment(
            """
            ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(assignments.joined(separator: ", "))
            WHERE \(isNewer) OR \(hasNewerToken)
            """)
    }()

    /// All that a fact says beside its token, in the order of precedence; a comparison with null would be neither true
    /// nor false.
    private static func rowValue(_ table: String) -> String {
        (integers.map { "coalesce(\(table).\($0), -9223372036854775808)" }
            + texts.map { "coalesce(\(table).\($0), '')" })
            .joined(separator: ", ")
    }

    private static func assignment(of column: String, when condition: String) -> String {
        "\(column) = CASE WHEN \(condition) THEN excluded.\(column) ELSE transaction_fact.\(column) END"
    }
}
