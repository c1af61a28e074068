import CampaignCore
import Foundation
import PrivateAppStore
import Testing

@Suite struct DeliveryTests {
    private static let options: [DeliveryOptions] = [
        DeliveryOptions(), DeliveryOptions(delays: true), DeliveryOptions(reorders: true),
        DeliveryOptions(repeats: 0.3), DeliveryOptions(delays: true, repeats: 1, reorders: true),
    ]

    @Test(arguments: options)
    func `every notification arrives, and again only by a repeat`(options: DeliveryOptions) throws {
        let simulation = try Population.simulation(200)
        let sent = simulation.lives.flatMap { $0.events }
        let arrived = simulation.deliveriesInOrder(0..<200, options)
        #expect(arrived == simulation.deliveriesInOrder(0..<200, options))
        #expect(zip(arrived, arrived.dropFirst()).allSatisfy { $0.deliveredDate <= $1.deliveredDate })
        let uuids = { (events: [SimulatedEvent]) in
            events.compactMap { $0.notification.notificationUUID?.uuidString }.sorted()
        }
        #expect(uuids(arrived.filter { !$0.isRepeat }.map(\.event)) == uuids(sent))
        let repeats = arrived.filter(\.isRepeat)
        let share = Double(repeats.count) / Double(sent.count)
        #expect(abs(share - options.repeats) < 0.05)
        #expect(Set(repeats.map(\.event)).isSubset(of: Set(sent)))
        // Nothing arrives before it is signed, nor long after the last of Apple's attempts.
        let latest: Int64 = (options.reorders ? 10_000 : 158 + 2) * 60 * 60 * 1000
        for delivery in arrived {
            let wait = delivery.deliveredDate.millisecondsSince1970 - delivery.event.signedDate.millisecondsSince1970
            #expect(wait > 0 && wait < latest)
        }
    }

    @Test func `delays and reordering change the order within a subscription, in the sandbox only reordering does`()
        throws
    {
        func disorder(_ environment: AppStoreEnvironment, _ options: DeliveryOptions) throws -> Int {
            let simulation = try Population.simulation(200, environment: environment)
            return simulation.lives.reduce(0) { sum, life in
                let dates = simulation.deliveries(of: life, options).map(\.event.signedDate)
                return sum + zip(dates, dates.dropFirst()).count { $0 > $1 }
            }
        }
        #expect(try disorder(.production, DeliveryOptions()) == 0)
        #expect(try disorder(.production, DeliveryOptions(delays: true)) > 0)
        #expect(try disorder(.sandbox, DeliveryOptions(delays: true)) == 0)
        #expect(try disorder(.sandbox, DeliveryOptions(reorders: true)) > 50)
    }
}
