public import CampaignCore

/// What the codes of one load are for.
public struct CodeBatchTerms: Hashable, Sendable {
    public var bundleId: BundleID
    public var environment: AppStoreEnvironment
    public var productId: ProductID
    /// The reference name of a code offer.
    public var offer: OfferIdentifier
    /// Nil for a name made of the offer, the day and the content.
    public var name: String?
    /// When App Store Connect made them; it decides whose quarter's quota they use.
    public var createdDate: Instant
    /// The first instant at which they are expired.
    public var expiresDate: Instant
    /// The IANA zone in which dates were read.
    public var timeZone: String

    public init(
        bundleId: BundleID, environment: AppStoreEnvironment, productId: ProductID, offer: OfferIdentifier,
        name: String?, createdDate: Instant, expiresDate: Instant, timeZone: String
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.productId = productId
        self.offer = offer
        self.name = name
        self.createdDate = createdDate
        self.expiresDate = expiresDate
        self.timeZone = timeZone
    }

    /// Whether a batch may be called so.
    public static func isName(_ name: String) -> Bool {
        (1...CodeLimits.batchNameBytes).contains(name.utf8.count)
            && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

/// The bytes that were imported, so that the same ones are known again without reading their codes.
public struct CodeSource: Hashable, Sendable {
    /// SHA-256, 32 bytes.
    public var digest: [UInt8]
    public var bytes: Int64

    public init(digest: [UInt8], bytes: Int64) {
        self.digest = digest
        self.bytes = bytes
    }
}

/// What an import came to.
public enum CodeImportResult: Hashable, Sendable {
    case loaded(LoadedCodes)
    /// The same codes are there already, in the batch named.
    case unchanged(LoadedCodes)
    /// Of a dry run: what would have been loaded.
    case wouldLoad(LoadedCodes)
    case refused(CodeImportRefusal)
}

/// The figures of an import.
public struct LoadedCodes: Hashable, Sendable {
    public var batch: String
    public var new: Int64
    /// Dropped because they were there more than once, or already.
    public var duplicates: Int64
    public var expiresDate: Instant
    /// Of the quarter that the codes were made in, after the import; nil for Sandbox, which has no quota.
    public var quota: CodeQuotaUse?
}

/// Why nothing of an import was loaded.
public enum CodeImportRefusal: Error, Hashable, Sendable {
    case noCodes
    /// So many codes are somewhere else in the app already; each was told.
    case knownCodes(Int64)
    /// A batch of that name has other codes.
    case nameTaken(String)
    /// A batch has these very codes on other terms; `difference` says which.
    case otherTerms(batch: String, difference: String)
    case quotaPassed(CodeQuotaUse, asked: Int64, timeZone: String)

    /// A word that programs may rely on; it never changes.
    public var code: String {
        switch self {
        case .noCodes: "noCodes"
        case .knownCodes: "knownCodes"
        case .nameTaken: "nameTaken"
        case .otherTerms: "otherTerms"
        case .quotaPassed: "quotaPassed"
        }
    }

    /// Every `code`, in the order of the cases.
    public static let allCodes = ["noCodes", "knownCodes", "nameTaken", "otherTerms", "quotaPassed"]

    /// For a person, with the next step.
    public var description: String {
        switch self {
        case .noCodes: "there is no code in what was given; give a file with one code a line"
        case .knownCodes(let count):
            "\(count) \(count == 1 ? "code is" : "codes are") in the app's inventory already, so nothing was loaded; "
                + "remove \(count == 1 ? "its line" : "their lines") and import again"
        case .nameTaken(let name):
            "the batch '\(name)' has other codes; choose another name ('batch'), or leave it out"
        case .otherTerms(let batch, let difference):
            "these codes are in the batch '\(batch)' already with \(difference); import them as that batch has them"
        case .quotaPassed(let use, let asked, let timeZone):
            "\(asked) codes would pass the limit of \(use.limit) in \(use.quarter): \(use.used) are used, \(use.left) "
                + "are left until \(use.resetsDate) (quarters of '\(timeZone)'); load fewer, or tell when they were made "
                + "('created')"
        }
    }
}
