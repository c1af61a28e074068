import Foundation
import TestSupport
import Testing

/// One HTTP answer as curl saw it.
struct CurlAnswer {
    let status: Int
    let contentType: String
    let text: String

    /// The body read by Foundation, not by the code under test.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    var decision: String? { json["decision"] as? String }
    var problem: String? { json["code"] as? String }
    var fields: [String] { json["fields"] as? [String] ?? [] }
    var reasons: [String] { (json["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String } }
    var v1: [String: Any]? { json["v1"] as? [String: Any] }
    var compactJWS: String? { (json["v2"] as? [String: Any])?["compactJWS"] as? String }
}

/// Asks with the curl program, a client that is not ours.
func curl(
    _ method: String, port: UInt16, path: String, key: String? = nil, body: Data? = nil, headers: [String] = []
) throws -> CurlAnswer {
    var arguments = [
        "--silent", "--show-error", "--max-time", "60", "-X", method, "-w", "\n%{http_code} %{content_type}",
    ]
    if let key { arguments += ["-H", "Authorization: Bearer \(key)"] }
    for header in headers { arguments += ["-H", header] }
    if body != nil { arguments += ["-H", "Content-Type: application/json", "--data-binary", "@-"] }
    let result = try run("curl", arguments + ["http://127.0.0.1:\(port)\(path)"], input: body)
    try #require(result.exitCode == 0, "curl: \(result.errorText)")
    let cut = try #require(result.text.lastIndex(of: "\n"))
    let words = result.text[result.text.index(after: cut)...].split(separator: " ", maxSplits: 1)
    return CurlAnswer(
        status: try #require(Int(words[0])), contentType: words.count > 1 ? String(words[1]) : "",
        text: String(result.text[..<cut]))
}
