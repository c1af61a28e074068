import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite struct `The months of win-back offers in the configuration` {
    private func read(_ winBackOffers: String) throws -> Configuration {
        let folder = try configurationFolder()
        let file = Surroundings.project.appendingPathComponent("Fixtures/Configuration/smallest.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        // The app's keys are the most indented ones of the smallest file.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("catalog:") })
        let changed = lines[...place] + ["    winBackOffers: \(winBackOffers)"] + lines[(place + 1)...]
        try folder.write(changed.joined(separator: "\n"), to: "holdfast.yaml")
        return try Configuration.read(path: folder.path("holdfast.yaml"))
    }

    @Test func `are read by the offer's identifier`() throws {
        let rules = try read(
            """
            { back_30: { paidSubscriptionDurationInMonths: 3, timeSinceLastSubscribedInMonths: { minimum: 2, maximum: 24 },
                  waitBetweenOffersInMonths: 6 },
                  "back 60": { paidSubscriptionDurationInMonths: 0, timeSinceLastSubscribedInMonths: { minimum: 0 } } }
            """
        ).apps[0].winBackOffers
        #expect(
            rules == [
                OfferIdentifier("back_30"): WinBackRule(
                    paidSubscriptionDurationInMonths: 3, timeSinceLastSubscribedInMonthsMinimum: 2,
                    timeSinceLastSubscribedInMonthsMaximum: 24, waitBetweenOffersInMonths: 6),
                OfferIdentifier("back 60"): WinBackRule(
                    paidSubscriptionDurationInMonths: 0, timeSinceLastSubscribedInMonthsMinimum: 0),
            ])
        #expect(try read("{}").apps[0].winBackOffers.isEmpty)
    }

    @Test(
        arguments: [
            ("3", "winBackOffers"), ("{ a: 3 }", "a"),
            ("{ a: { timeSinceLastSubscribedInMonths: { minimum: 1 } } }", "paidSubscriptionDurationInMonths"),
            ("{ a: { paidSubscriptionDurationInMonths: 1 } }", "timeSinceLastSubscribedInMonths"),
            (
                "{ a: { paidSubscriptionDurationInMonths: 1, timeSinceLastSubscribedInMonths: { maximum: 1 } } }",
                "minimum"
            ),
            (
                "{ a: { paidSubscriptionDurationInMonths: -1, timeSinceLastSubscribedInMonths: { minimum: 1 } } }",
                "paidSubscriptionDurationInMonths"
            ),
            (
                "{ a: { paidSubscriptionDurationInMonths: 1, timeSinceLastSubscribedInMonths: { minimum: 5, maximum: 4 } } }",
                "maximum"
            ),
            (
                "{ a: { paidSubscriptionDurationInMonths: 1, timeSinceLastSubscribedInMonths: { minimum: 61 } } }",
                "minimum"
            ),
            (
                "{ a: { paidSubscriptionDurationInMonths: 1, timeSinceLastSubscribedInMonths: { minimum: 1 }, wait: 1 } }",
                "wait"
            ),
        ])
    func `that cannot be are refused by their key`(text: String, key: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try read(text) }
        #expect(error?.description.contains("'\(key)'") == true, "\(error?.description ?? "")")
    }
}
