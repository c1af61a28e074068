import CampaignCore
import FoundationEssentials
import Server

// Campaigns: asked as an app's back end does.
extension DemoJobs {
    var campaignJobs: [(name: String, job: () throws -> String)] {
        [
            ("a campaign gives who leaves a signed offer", campaignOffer),
            ("a campaign refuses who stays, with its reasons", campaignRefusal),
        ]
    }

    private func ask(_ subscriber: DemoSubscriber, token: UUID?) throws -> JSON {
        let body = demo.campaignRequest(environment.makeUUID(), of: subscriber, token: token).bytes
        let answer = try client.send("POST", "/v1/offers", bearer: demo.clientKey, body: body)
        guard answer.status == 200, let json = JSON.read(answer.body) else {
            throw Fault(description: "status \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return json
    }

    private func campaignOffer() throws -> String {
        guard let leaving = demo.folder.cast[.leaving] else { return "not asked: nobody of so few leaves" }
        let answer = try ask(leaving, token: leaving.appAccountToken)
        let told = try verified(answer, token: leaving.appAccountToken)
        guard answer["campaign"]?.string == DemoCampaign.name, let rule = answer["rule"]?.string else {
            throw Fault(description: "not of the campaign: \(String(decoding: answer.bytes, as: UTF8.self))")
        }
        return "\(DemoCampaign.name), rule \(rule): \(told)"
    }

    private func campaignRefusal() throws -> String {
        guard let staying = demo.folder.cast[.staying] else { return "not asked: nobody of so few stays" }
        let answer = try ask(staying, token: nil)
        guard answer["decision"] == "refused", case .array(let reasons)? = answer["reasons"],
            reasons.compactMap({ $0["code"]?.string }) == ["noRuleHolds"]
        else { throw Fault(description: "not refused: \(String(decoding: answer.bytes, as: UTF8.self))") }
        return "refused: noRuleHolds"
    }
}
