public import FoundationEssentials

/// Whom a code was given to: the caller's own id for a person, or Apple's id of someone whom a device proved.
public enum CodeCustomer {
    /// The id that a caller's text names: without the blanks around it, so that one person does not become two.
    ///
    /// Nil for a text that is none: an id has 1 to 255 bytes without control characters.
    public static func id(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return nil }
        let id = text[first...last]
        guard id.utf8.count <= Limits.codeCustomerBytes else { return nil }
        // Nearly every id is plain ASCII, which needs no look into the tables of Unicode.
        if !id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        {
            return nil
        }
        return String(id)
    }

    /// Whether a text has nothing but blanks.
    public static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isBlank) }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == " " || scalar == "\t" }
        return scalar.properties.generalCategory == .spaceSeparator
    }

    /// Whether an id is what mailings call their first column.
    public static func isColumnName(_ id: String) -> Bool { columnNames.contains(id.lowercased()) }

    private static let columnNames: Set<String> = [
        "customer", "customer_id", "customerid", "id", "email", "user", "user_id", "userid",
    ]

    /// The ids of a customer whom a device proved, the one that new codes are given to first.
    ///
    /// A download is one Apple Account's, so it comes before its subscriptions. Each begins with Apple's word for what
    /// it is, so that no caller's own numbers are taken for it.
    public static func proven(
        downloads: [AppTransactionID], subscriptions: [OriginalTransactionID]
    ) -> [String] {
        downloads.map { "appTransactionId:\($0)" } + subscriptions.map { "originalTransactionId:\($0)" }
    }

    /// Every id under which the owner of these may have a code: a caller may use Apple's ids and the account token as
    /// its own.
    public static func possibleIds(
        tokens: [UUID], downloads: [AppTransactionID], subscriptions: [OriginalTransactionID]
    ) -> [String] {
        tokens.flatMap { [$0.lowercaseString, $0.uuidString] }
            + proven(downloads: downloads, subscriptions: subscriptions)
            + downloads.map(\.rawValue) + subscriptions.map(\.rawValue)
    }
}
