public import CampaignCore

/// How the simulated App Store delivers: at once and in order unless something is asked for.
public struct DeliveryOptions: Hashable, Sendable {
    /// Whether some attempts fail, so that the App Store tries again after 1, 12, 24, 48 and 72 hours, each counted
    /// from the attempt before. The sandbox tries once, so there nothing is delayed.
    public var delays: Bool
    /// The share of notifications that arrive more than once, with the same `notificationUUID` and payload.
    public var repeats: Double
    /// Whether some notifications of a subscriber arrive right after the one that follows them.
    public var reorders: Bool

    public init(delays: Bool = false, repeats: Double = 0, reorders: Bool = false) {
        self.delays = delays
        self.repeats = repeats
        self.reorders = reorders
    }
}

/// One arrival of a notification.
public struct Delivery: Hashable, Sendable {
    public let event: SimulatedEvent
    public let deliveredDate: Instant
    /// Not the first arrival of the notification.
    public let isRepeat: Bool
}

extension Simulation {
    /// What arrives of one life, in order of arrival.
    public func deliveries(of life: SimulatedLife, _ options: DeliveryOptions = DeliveryOptions()) -> [Delivery] {
        var chance = Chance(seed: seed, index: life.index, purpose: 3)
        var deliveries: [Delivery] = []
        var dates: [Instant] = []
        var last = starts
        for event in life.events {
            // What is sent at once arrives in order.
            last = max(event.signedDate.adding(milliseconds: chance.number(in: 150...2500)), last)
            dates.append(arrival(sent: last, options, &chance))
        }
        if options.reorders {
            for index in dates.indices.dropLast() where chance.happens(Self.reorderedShare) {
                dates[index] = max(dates[index], dates[index + 1].adding(milliseconds: chance.seconds(1...30)))
            }
        }
        for (event, date) in zip(life.events, dates) {
            deliveries.append(Delivery(event: event, deliveredDate: date, isRepeat: false))
            guard options.repeats > 0, chance.happens(options.repeats) else { continue }
            // What the App Store did not hear the answer to is sent again at the next attempt.
            let again = date.adding(milliseconds: Self.retryHours[0] * Instant.hour + chance.seconds(1...30))
            deliveries.append(Delivery(event: event, deliveredDate: again, isRepeat: true))
        }
        return deliveries.sorted(by: Self.arrivesBefore)
    }

    /// Everything that arrives from subscribers number `indices`, in order of arrival; all of it is in memory at once.
    public func deliveriesInOrder(
        _ indices: Range<Int>, _ options: DeliveryOptions = DeliveryOptions()
    ) -> [Delivery] {
        indices.flatMap { deliveries(of: life($0), options) }.sorted(by: Self.arrivesBefore)
    }

    /// When the first attempt that succeeds is made, for a notification whose first attempt is made at `date`.
    private func arrival(sent date: Instant, _ options: DeliveryOptions, _ chance: inout Chance) -> Instant {
        var date = date
        guard options.delays, environment != .sandbox, chance.happens(Self.delayedShare) else { return date }
        for hours in Self.retryHours {
            date = date.adding(milliseconds: hours * Instant.hour + chance.seconds(0...60))
            guard chance.happens(Self.failsAgainShare) else { break }
        }
        return date
    }

    private static func arrivesBefore(_ one: Delivery, _ other: Delivery) -> Bool {
        guard one.deliveredDate == other.deliveredDate else { return one.deliveredDate < other.deliveredDate }
        return one.event.signedDate < other.event.signedDate
    }

    /// Source: App Store Server Notifications, the retry policy of version 2.
    private static let retryHours: [Int64] = [1, 12, 24, 48, 72]
    /// Attempts that meet a server that is down or slow.
    private static let delayedShare = 0.08
    /// Of those, attempts that meet it again: an outage of hours is rarer than one of minutes.
    private static let failsAgainShare = 0.3
    private static let reorderedShare = 0.15
}
