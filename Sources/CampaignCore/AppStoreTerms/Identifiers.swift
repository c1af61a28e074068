// Each tag is an empty type that only tells one kind of identifier from another.
public enum BundleTag {}
public enum ProductTag {}
public enum OfferTag {}
public enum SubscriptionGroupTag {}
public enum OriginalTransactionTag {}
public enum TransactionTag {}
public enum AppTransactionTag {}
public enum KeyTag {}
public enum IssuerTag {}

/// The app, spelled exactly as in App Store Connect: `com.example.reader`.
public typealias BundleID = Tagged<BundleTag>

/// An auto-renewable subscription product, such as `reader.monthly`.
public typealias ProductID = Tagged<ProductTag>

/// A promotional or win-back offer's identifier, or the reference name of the offer that offer codes belong to.
public typealias OfferIdentifier = Tagged<OfferTag>

/// The group a subscription product is in; a customer holds one product of a group at a time.
public typealias SubscriptionGroupIdentifier = Tagged<SubscriptionGroupTag>

/// Names one subscription for life: Apple's `originalTransactionId`.
public typealias OriginalTransactionID = Tagged<OriginalTransactionTag>

/// One period's purchase: Apple's `transactionId`.
public typealias TransactionID = Tagged<TransactionTag>

/// One download of the app by one Apple Account: Apple's `appTransactionId`.
public typealias AppTransactionID = Tagged<AppTransactionTag>

/// The identifier of an In-App Purchase key: Apple's `keyId`, ten characters.
public typealias KeyID = Tagged<KeyTag>

/// The issuer of an App Store Connect account, a UUID: Apple's `issuerId`.
public typealias IssuerID = Tagged<IssuerTag>

/// The App Store's number for the app.
public typealias AppAppleID = Int64
