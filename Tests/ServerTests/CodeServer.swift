import CampaignCore
import Foundation
import TestSupport
import Testing

@testable import Server

/// Loads and claims codes as a marketer and a back end do, over HTTP with curl.
extension TestServer {
    /// The catalogue with the code offer `THANKS` on `tide.monthly`.
    static func codeCatalog() throws -> String {
        let file = Surroundings.project.appendingPathComponent("Fixtures/Catalog/valid/Tide.storekit")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Posts a code file; `parameters` replaces or, with nil, removes parameters of a query that is right.
    func loadCodes(
        _ file: String, key: String?, _ parameters: [String: String?] = [:], headers: [String] = []
    ) throws -> CurlAnswer {
        try loadCodes(Data(file.utf8), key: key, parameters, headers: headers)
    }

    func loadCodes(
        _ file: Data, key: String?, _ parameters: [String: String?] = [:], headers: [String] = []
    ) throws -> CurlAnswer {
        var query: [String: String] = [
            "requestId": UUID().uuidString, "bundleId": Self.bundleId.rawValue, "environment": "Production",
            "productId": "tide.monthly", "offer": "THANKS", "expires": "2026-12-31",
        ]
        for (name, value) in parameters { query[name] = value }
        let text = query.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        return try curl(
            "POST", port: port, path: "/v1/code-batches?\(text)", key: key, body: file, headers: headers)
    }

    /// Asks for a code; `fields` replaces or, with nil, removes fields of a request that is right.
    func claim(_ customer: String?, key: String?, _ fields: [String: Any?] = [:]) throws -> CurlAnswer {
        try curl(
            "POST", port: port, path: "/v1/codes/claims", key: key,
            body: JSONSerialization.data(withJSONObject: Self.claimRequest(customer, fields)))
    }

    static func claimRequest(_ customer: String?, _ fields: [String: Any?] = [:]) -> [String: Any] {
        var request: [String: Any] = [
            "requestId": UUID().uuidString, "bundleId": bundleId.rawValue, "environment": "Production",
            "offer": "THANKS",
        ]
        if let customer { request["customer"] = customer }
        for (field, value) in fields { request[field] = value }
        return request
    }

    func codeBatches(key: String, _ query: String = "") throws -> CurlAnswer {
        try curl("GET", port: port, path: "/v1/code-batches" + query, key: key)
    }

    /// What the sqlite3 program says of the database.
    func sqlite3(_ script: String) throws -> String {
        let result = try run("sqlite3", ["-batch", "-bail", "-cmd", ".timeout 10000", database, script])
        try #require(result.exitCode == 0, "\(result.errorText)")
        return result.text.trimmingCharacters(in: .newlines)
    }
}

extension CurlAnswer {
    var code: String? { json["code"] as? String }
    /// The members of the array `name`.
    func objects(_ name: String) -> [[String: Any]] { json[name] as? [[String: Any]] ?? [] }
}
