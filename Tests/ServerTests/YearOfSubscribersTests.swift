import CampaignCore
import Foundation
import PrivateAppStore
import Storage
import TestSupport
import Testing

@testable import Server

/// A year on a virtual clock, with notifications that come late, twice and in disorder.
///
/// Of the thousand, one life in twenty is signed and verified before it is taken in, the others enter the intake behind
/// the verifier; those over HTTP are all signed.
@Suite struct `A simulated year against a naive referee` {
    private static let seed =
        ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...999_999)

    /// Differences between the three who say what a subscriber is.
    private struct Differences {
        private(set) var compared = 0
        private(set) var all: [String] = []
        var count: Int { all.count }
        var first: String { all.prefix(3).joined(separator: "\n") }

        mutating func compare(
            _ ours: NaiveSubscriber.Answer?, _ others: NaiveSubscriber.Answer?, _ index: Int, at now: Instant
        ) {
            compared += 1
            guard ours != others else { return }
            let told = [ours, others].map { $0?.description ?? "nobody" }
            all.append("subscriber \(index) at \(now): ours \(told[0]); the referee's \(told[1])")
        }

        mutating func compare(
            _ ours: NaiveSubscriber.Answer?, _ truth: SimulatedTruth?, _ index: Int, at now: Instant
        ) {
            compared += 1
            let agrees = truth.map { truth in ours.map { truth.agrees(with: $0) } ?? false } ?? (ours == nil)
            guard !agrees else { return }
            let told = ours?.description ?? "nobody"
            all.append("subscriber \(index) at \(now): ours \(told); the truth \(String(describing: truth))")
        }
    }

    @Test func `a thousand are at every arrival what the facts that arrived make them, and really were at the end`()
        throws
    {
        print("a year of a thousand subscribers: HOLDFAST_SEED=\(Self.seed)")
        let year = try SimulatedYear(1000, seed: Self.seed)
        let intake = try YearlyIntake(year)
        var arrived: [Int: [SimulatedEvent]] = [:]
        var differences = Differences()
        try intake.takeAll { delivery, index, present in
            arrived[index, default: []].append(delivery.event)
            let referee = NaiveSubscriber(arrived[index] ?? [])
            // When it arrives, and as time alone changes it.
            for days in [0, 25] as [Int64] {
                let now = delivery.deliveredDate.adding(milliseconds: days * 86_400_000)
                differences.compare(intake.answer(present, at: now), referee.answer(at: now), index, at: now)
            }
        }
        #expect(differences.count == 0, "seed \(Self.seed), on arrival: \(differences.first)")

        var generator = SeededGenerator(seed: Self.seed)
        for life in year.simulation.lives {
            let known = try #require(try intake.known(life))
            let end = intake.answer(known.subscription, at: SimulatedYear.ends)
            let referee = NaiveSubscriber(life.events)
            differences.compare(end, referee.answer(at: SimulatedYear.ends), life.index, at: SimulatedYear.ends)
            differences.compare(end, life.truth(at: SimulatedYear.ends), life.index, at: SimulatedYear.ends)
            // Once all is known, what was at any instant is told as it was.
            for _ in 0..<2 {
                let now = SimulatedYear.starts.adding(
                    milliseconds: Int64.random(in: 0..<365 * 86_400_000, using: &generator))
                let then = intake.answer(try intake.subscription(of: known.id, signedBy: now), at: now)
                differences.compare(then, life.truth(at: now), life.index, at: now)
            }
        }
        print("\(year.deliveries.count) deliveries, \(intake.signed) signed, \(differences.compared) comparisons")
        print(intake.outcomes.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", "))
        #expect(differences.count == 0, "seed \(Self.seed): \(differences.first)")
        #expect((intake.outcomes[.folded] ?? 0) > 5000 && (intake.outcomes[.duplicate] ?? 0) > 300)
        #expect(intake.outcomes[.failed] == nil && intake.outcomes[.conflicting] == nil)
    }

    @Test func `a few are followed over HTTP, signed and posted as the App Store does`() throws {
        print("a year over HTTP: HOLDFAST_SEED=\(Self.seed)")
        let year = try SimulatedYear(12, seed: Self.seed)
        let server = try TestServer()
        let key = try server.makeKey(.client)
        let signer = NotificationSigner(server.appStore)
        var signed: [UUID: String] = [:]
        var arrived: [OriginalTransactionID: [SimulatedEvent]] = [:]
        for delivery in year.deliveries {
            let uuid = try #require(delivery.event.notification.notificationUUID)
            let payload = try signed[uuid] ?? signer.signedPayload(delivery.event)
            signed[uuid] = payload
            server.clock.advance(
                milliseconds: delivery.deliveredDate.millisecondsSince1970 - server.clock.now.millisecondsSince1970)
            #expect(try server.post(payload).status == 200)
            guard let name = delivery.event.transaction?.originalTransactionId else { continue }
            arrived[name, default: []].append(delivery.event)
            let referee = NaiveSubscriber(arrived[name] ?? [])
            let answer = try server.subscriber(name.rawValue, key: key)
            try #require(
                NaiveSubscriber.Answer(answer.json) == referee.answer(at: server.clock.now),
                "seed \(Self.seed), \(name) at \(server.clock.now): \(answer.text)")
        }
        #expect(signed.count > 40)
    }
}
