/// Bounds of campaign files; each is far above what people write, and a number beyond it is a slip of the keyboard.
enum CampaignLimits {
    /// The format that this program reads.
    static let schema: Int64 = 1

    /// Bytes of a name: it stands in lists, addresses and file names.
    static let nameBytes = 64

    static let priorities: ClosedRange<Int64> = -1_000_000...1_000_000

    /// Of a variant; shares are parts of the sum of all weights.
    static let weights: ClosedRange<Int64> = 1...1_000_000

    static let variants = 26

    static let rules = 200

    static let offersOfRule = 100

    /// Entries of one list of values, such as products.
    static let listValues = 1000

    static let frequencyCaps = 16

    static let frequencyCapAtMost: ClosedRange<Int64> = 1...10_000

    /// A minute is the smallest unit of a span; no cap at all is written by leaving it out.
    static let everyMinimumMilliseconds: Int64 = 60_000

    static let redemptionsAtMost: ClosedRange<Int64> = 1...1_000_000_000

    static let sendsOfRule = 20

    /// Apple takes 2,000 messages an app, each of them in one locale.
    static let messages = 2000
}
