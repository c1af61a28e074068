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
public enum CampaignTag {}
public enum RuleTag {}
public enum VariantTag {}
public enum MessageTag {}

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

/// A campaign's name, never used again: caps, holdouts and results are counted under it.
public typealias CampaignName = Tagged<CampaignTag>

/// A rule's name, unique in its campaign.
public typealias RuleName = Tagged<RuleTag>

/// One of the arms that a campaign compares.
public typealias VariantName = Tagged<VariantTag>

/// A message's name: one of `messages.yaml` for a retention message, or the app's own word.
public typealias MessageName = Tagged<MessageTag>

/// The App Store's number for the app.
public typealias AppAppleID = Int64
