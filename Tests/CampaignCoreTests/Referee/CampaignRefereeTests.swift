import CampaignCore
import Foundation
import TestSupport
import Testing

/// What one part of a run found.
private struct RefereeRun {
    var tally = RefereeTally()
    /// The first case on which the two differ, and how many there are.
    var disagreement: RefereeCase?
    var disagreements = 0

    /// - Parameter decisions: how many to compare.
    init(seed: UInt64, decisions: Int, zones: [TimeZoneRules]) {
        var campaigns = RefereeCampaigns(draws: RefereeDraws(seed: seed), zones: zones)
        var facts = RefereeFacts(draws: RefereeDraws(seed: ~seed), zones: zones)
        for _ in 0..<decisions / 4 {
            let environment: AppStoreEnvironment = facts.draws.chance(25) ? .sandbox : .production
            let asked = campaigns.campaigns(environment: environment)
            for _ in 0..<4 {
                let question = facts.question(asked, environment: environment)
                let expected = NaiveJudge.verdict(on: question, catalog: RefereeCatalog.catalog)
                tally.add(expected)
                guard question.decided != expected else { continue }
                disagreements += 1
                if disagreement == nil { disagreement = question }
            }
        }
    }
}

extension RefereeCase {
    /// What the product decides.
    fileprivate var decided: Verdict {
        let context = CampaignContext(
            catalog: RefereeCatalog.catalog, winBackRules: winBackRules, isWinBackListKnown: isWinBackListKnown,
            offerGuard: offerGuard)
        let decision = CampaignSet(campaigns: campaigns).decide(
            facts, via: via, only: only, bundleId: bundleId, in: context, now: now)
        return Verdict(
            chosen: decision.chosen, codes: decision.refusals.map(\.code), newArms: decision.newArms)
    }
}

@Suite struct `The referee of campaign decisions` {
    private static let decisions = 100_000
    private static let parts = 8

    private func zones() throws -> [TimeZoneRules] {
        try ["Europe/Berlin", "Asia/Tokyo", "America/New_York"].map { name in
            let file = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
            return try #require(TimeZoneRules(name: name, file: Array(file)))
        }
    }

    @Test func `who reads the rules from top to bottom agrees on 100,000 decisions`() async throws {
        let seed = propertySeed()
        print("decisions against the referee: HOLDFAST_SEED=\(seed)")
        let zones = try zones()
        let runs = await withTaskGroup(of: RefereeRun.self) { group in
            for part in 0..<Self.parts {
                group.addTask {
                    RefereeRun(seed: seed &+ UInt64(part), decisions: Self.decisions / Self.parts, zones: zones)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var tally = RefereeTally()
        for run in runs { tally.add(run.tally) }
        print(tally.description)
        if let question = runs.lazy.compactMap(\.disagreement).first {
            let smallest = question.shrunk { $0.decided != $0.judged }
            Issue.record(
                """
                seed \(seed): \(runs.reduce(0) { $0 + $1.disagreements }) decisions differ; the smallest such case
                decides \(smallest.decided)
                referee \(smallest.judged)
                \(smallest.listing)
                """)
        }
        #expect(RefereeTally.expected.filter { tally.counts[$0] == nil } == [])
    }
}

extension RefereeCase {
    fileprivate var judged: Verdict { NaiveJudge.verdict(on: self, catalog: RefereeCatalog.catalog) }
}
