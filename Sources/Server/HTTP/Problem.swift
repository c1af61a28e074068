import CampaignCore
import FoundationEssentials

/// An error answer: `application/problem+json` with a stable code (RFC 9457).
struct Problem: Hashable, Sendable, Error {
    let code: ProblemCode
    let detail: String
    /// The request fields at fault, as the caller spells them.
    var fields: [String] = []
    /// Those of `fields` that no route knows: the caller's own words, which may be anything.
    var unknownFields: [String] = []
    /// Why signed information is not believed: one of `AppStoreError`'s codes, for the log.
    var fault: String?
    /// The request's own id, once one could be read.
    var requestId: UUID?
    /// The method that the path does answer, for 405.
    var allowedMethod: String?
    /// When to come back, for 429 and 503.
    var retryAfterSeconds = Limits.retryAfterSeconds

    init(_ code: ProblemCode, _ detail: String, fields: [String] = [], requestId: UUID? = nil) {
        self.code = code
        self.detail = detail
        self.fields = fields
        self.requestId = requestId
    }
}

extension Problem {
    /// The answer that tells it.
    var response: Response {
        let body: JSON = [
            "code": .string(code.rawValue),
            "title": .string(code.title),
            "status": .integer(Int64(code.status)),
            "detail": .string(detail),
            "fields": .array(fields.map(JSON.string)),
            "requestId": .text(requestId?.lowercaseString),
        ]
        var response = Response(status: code.status, contentType: "application/problem+json", body: body.bytes)
        response.uncounted = code
        switch code.status {
        case 401: response.headers.append(.init("WWW-Authenticate", "Bearer"))
        case 429, 503: response.headers.append(.init("Retry-After", String(retryAfterSeconds)))
        default: break
        }
        if let allowedMethod { response.headers.append(.init("Allow", allowedMethod)) }
        return response
    }
}
