/// The control group of a campaign: it is given nothing, so that the others can be compared with it.
public struct Holdout: Hashable, Sendable {
    /// 0 to 100.
    public let percent: Int
    /// Another salt draws another group.
    public let salt: String
    /// Whether all campaigns with the same salt hold out the same customers.
    public let isGlobal: Bool

    public init(percent: Int, salt: String, isGlobal: Bool = false) {
        self.percent = percent
        self.salt = salt
        self.isGlobal = isGlobal
    }

    /// Under which the arms of `campaign` are stored.
    public func key(of campaign: CampaignName) -> String {
        isGlobal ? "holdout/global/\(salt)" : "holdout/\(campaign.rawValue)"
    }

    /// Whether the subscription falls into the group, as long as no arm is stored for it.
    public func contains(_ subscription: OriginalTransactionID) -> Bool {
        Draw.percentile(salt: salt, subscription) < percent
    }
}

/// One of the arms that a campaign compares.
public struct Variant: Hashable, Sendable {
    public let name: VariantName
    /// At least 1; its share is its part of the sum of all weights.
    public let weight: Int

    public init(name: VariantName, weight: Int) {
        self.name = name
        self.weight = weight
    }
}

extension [Variant] {
    /// The arm that a subscription draws, as long as none is stored for it; nil when there are no arms.
    func drawn(by subscription: OriginalTransactionID, campaign: CampaignName) -> VariantName? {
        let sum = reduce(0) { $0 + UInt64($1.weight) }
        guard sum > 0 else { return nil }
        var left = Draw.number(salt: "variant/\(campaign.rawValue)", subscription) % sum
        for variant in self {
            if left < UInt64(variant.weight) { return variant.name }
            left -= UInt64(variant.weight)
        }
        return nil
    }
}

/// Draws that give a customer the same number for ever, whichever process asks.
enum Draw {
    /// FNV-1a and a finishing mix: `Hasher` is seeded a process, and consecutive ids must not be neighbours.
    static func number(salt: String, _ subscription: OriginalTransactionID) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        for byte in salt.utf8 { mix(byte) }
        mix(UInt8(ascii: "/"))
        for byte in subscription.rawValue.utf8 { mix(byte) }
        hash = (hash ^ (hash >> 32)) &* 0xd6e8_feb8_6659_fd93
        return hash ^ (hash >> 32)
    }

    /// 0 to 99.
    static func percentile(salt: String, _ subscription: OriginalTransactionID) -> Int {
        Int(number(salt: salt, subscription) % 100)
    }
}
