import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Server

/// Campaigns and offers as a back end and an app ask for them, over HTTP with curl.
extension TestServer {
    /// A campaign's file with the rules of `rules`, and `more` at its top level.
    static func campaign(
        _ name: String, priority: Int = 0, environment: String = "Production", more: String = "", rules: String
    ) -> String {
        """
        schema: 1
        campaign: \(name)
        priority: \(priority)
        status: active
        audience: { bundleId: \(bundleId), environment: \(environment) }
        \(more)
        rules:
        \(rules)

        """
    }

    /// Gives `save50` to whoever is active on the monthly product, once in thirty days.
    static let save = campaign(
        "save", priority: 10, more: "limits: { frequencyCap: { atMost: 1, every: 30d } }",
        rules: """
              - rule: half
                when: { status: active, productId: tide.monthly }
                offers: [{ promotionalOffer: save50 }]
                message: stay
            """)

    /// Asks for an offer; `fields` replaces or, with nil, removes fields of a request that is right.
    func campaignOffer(key: String?, _ fields: [String: Any?] = [:]) throws -> CurlAnswer {
        try curl(
            "POST", port: port, path: "/v1/offers", key: key,
            body: JSONSerialization.data(withJSONObject: Self.campaignOfferRequest(fields)))
    }

    static func campaignOfferRequest(_ fields: [String: Any?] = [:]) -> [String: Any] {
        var request: [String: Any] = [
            "requestId": UUID().uuidString, "bundleId": bundleId.rawValue, "environment": "Production",
            "originalTransactionId": "100", "via": "app",
        ]
        for (field, value) in fields { request[field] = value }
        return request
    }

    func outcome(
        _ outcome: String, of grantId: String, key: String?, _ fields: [String: Any?] = [:]
    ) throws -> CurlAnswer {
        var request: [String: Any] = ["requestId": UUID().uuidString, "outcome": outcome]
        for (field, value) in fields { request[field] = value }
        return try curl(
            "POST", port: port, path: "/v1/offers/\(grantId)/outcome", key: key,
            body: JSONSerialization.data(withJSONObject: request))
    }
}

extension CurlAnswer {
    func text(_ name: String) -> String? { json[name] as? String }
}
