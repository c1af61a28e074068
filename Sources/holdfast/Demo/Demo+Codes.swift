import CampaignCore
import FoundationEssentials

// The offer codes of a demo: random ones, loaded as a marketer loads the files of App Store Connect.
extension Demo {
    /// The body of a request for a code of the catalogue's code offer.
    func claim(_ requestId: UUID, customer: String) -> JSON {
        [
            "requestId": .string(requestId.lowercaseString), "bundleId": .string(DemoFolder.bundleId.rawValue),
            "environment": "Production", "offer": .string(DemoCatalog.codeOffer.rawValue),
            "customer": .string(customer),
        ]
    }

    /// Loads `codes` as one batch over HTTP and gives the answer; throws when they were not loaded.
    func load(_ codes: [String], requestId: UUID) throws(CommandError) -> JSON {
        let expires = now.adding(milliseconds: Limits.demoCodesLastMilliseconds)
        let path =
            "/v1/code-batches?requestId=\(requestId.lowercaseString)&bundleId=\(DemoFolder.bundleId)"
            + "&environment=Production&productId=\(DemoCatalog.codeProductId)&offer=\(DemoCatalog.codeOffer)"
            + "&expires=\(expires)"
        let file = codes.map { $0 + "\n" }.joined()
        let answer: HTTPClient.Answer
        do {
            answer = try HTTPClient(port: port).send("POST", path, bearer: marketerKey, body: Array(file.utf8))
        } catch {
            throw .failed(error)
        }
        guard answer.status == 200, let json = JSON.read(answer.body), json["decision"] == "loaded" else {
            throw .failed(
                "the demo's offer codes were not loaded: status \(answer.status), "
                    + String(decoding: answer.body, as: UTF8.self))
        }
        return json
    }

    /// As many new codes as a demo's batch has.
    static func makeCodes() -> [String] {
        var random = RandomCodes()
        return (0..<Limits.demoCodes).map { _ in String(decoding: random.next(), as: UTF8.self) }
    }
}
