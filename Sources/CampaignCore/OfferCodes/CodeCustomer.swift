public import FoundationEssentials

/// Whom a code was given to: the caller's own id for a person, or Apple's id of someone whom a device proved.
public enum CodeCustomer {
    /// Whether an id has 1 to 255 bytes without control characters.
    public static func isId(_ id: String) -> Bool {
        (1...Limits.codeCustomerBytes).contains(id.utf8.count)
            && !id.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

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
