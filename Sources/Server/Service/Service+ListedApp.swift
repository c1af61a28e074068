import CampaignCore
import Storage

extension Service {
    /// The only app that a list is asked of: `bundleId` of the query, else the app that the key is bound to; nil for all.
    func listedApp(_ request: Request, for route: Route) throws(Problem) -> BundleID? {
        let key = try authorize(request, for: route)
        var fields = try RequestFields(request.query)
        try authorize(key, for: fields.peek("bundleId"))
        let bundleId = fields.optionalIdentifier("bundleId")
        if let problem = fields.shapeProblem(requestId: nil) ?? fields.valueProblem(requestId: nil) { throw problem }
        let asked = bundleId.map { BundleID($0) } ?? key.bundleId
        guard asked.map({ apps[$0] != nil }) ?? true else {
            throw Problem(.unknownApp, "no such app is configured; leave 'bundleId' out for all", fields: ["bundleId"])
        }
        return asked
    }
}
