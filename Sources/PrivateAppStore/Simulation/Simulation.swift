public import CampaignCore

/// Believable histories of many subscribers: what the App Store would have signed for them.
///
/// All of it follows from the values below: the same ones give the same histories, and subscriber number `index` is
/// the same whoever came before, so that millions can be made one at a time.
public struct Simulation: Sendable {
    public let bundleId: BundleID
    public let appAppleId: AppAppleID
    /// Time passes as in Production in either environment.
    public let environment: AppStoreEnvironment
    /// At least one.
    public let products: [SimulatedProduct]
    public let subscriberCount: Int
    public let seed: UInt64
    /// No notification is signed before `starts`, and none at `ends` or later.
    public let starts: Instant
    public let ends: Instant
    public let behaviour: SimulatedBehaviour

    /// - Precondition: there is a product, and an hour or more between `starts` and `ends`.
    public init(
        bundleId: BundleID, appAppleId: AppAppleID, environment: AppStoreEnvironment, products: [SimulatedProduct],
        subscriberCount: Int, seed: UInt64, starts: Instant, ends: Instant,
        behaviour: SimulatedBehaviour = .believable
    ) {
        precondition(!products.isEmpty, "subscribers need a product to buy")
        precondition(starts.milliseconds(until: ends) >= Instant.hour, "a simulation takes at least an hour")
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
        self.products = products
        self.subscriberCount = subscriberCount
        self.seed = seed
        self.starts = starts
        self.ends = ends
        self.behaviour = behaviour
    }

    /// The life of subscriber number `index`, from 0.
    public func life(_ index: Int) -> SimulatedLife {
        var story = LifeStory(of: self, index: index)
        story.live()
        return story.life
    }

    /// Every life in turn; each is made when it is asked for and kept by nobody.
    public var lives: some Sequence<SimulatedLife> { (0..<subscriberCount).lazy.map(life) }
}
