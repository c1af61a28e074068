import Storage
import YAML

/// Everything the server answers, parsed once from method and path; the compiler checks the table.
enum Route: Hashable, Sendable {
    case signPromotionalOffer
    case signIntroductoryOfferEligibility
    case describeAPI
    case live
    case ready
    case metrics

    /// The method and path of each route that takes no argument in its path.
    static let table: [(method: String, path: String, route: Route)] = [
        ("POST", "/v1/signatures/promotional-offer", .signPromotionalOffer),
        ("POST", "/v1/signatures/introductory-offer-eligibility", .signIntroductoryOfferEligibility),
        ("GET", "/openapi.json", .describeAPI),
        ("GET", "/health/live", .live),
        ("GET", "/health/ready", .ready),
        ("GET", "/metrics", .metrics),
    ]

    /// The word that logs and metrics use for it.
    var name: String {
        switch self {
        case .signPromotionalOffer: "promotionalOffer"
        case .signIntroductoryOfferEligibility: "introductoryOfferEligibility"
        case .describeAPI: "openAPI"
        case .live: "live"
        case .ready: "ready"
        case .metrics: "metrics"
        }
    }

    /// The roles that may ask; none for a route that is open to all (design, section 4).
    var roles: [APIRole] {
        switch self {
        case .signPromotionalOffer, .signIntroductoryOfferEligibility: [.client, .device, .operator]
        case .metrics: [.operator]
        case .describeAPI, .live, .ready: []
        }
    }

    /// The route, or the problem that there is none: 404 for a path nobody serves, 405 for another method on one.
    static func parse(method: String, path: String) -> Result<Route, Problem> {
        // A HEAD is a GET whose body the HTTP library leaves out.
        let method = method == "HEAD" ? "GET" : method
        let path = withoutAuthority(path)
        if let found = table.first(where: { $0.path == path && $0.method == method }) { return .success(found.route) }
        guard let known = table.first(where: { $0.path == path }) else {
            return .failure(
                Problem(
                    .notFound,
                    "no route \(quoted(path, limit: Limits.quotedValue)); 'GET /openapi.json' lists the routes"))
        }
        let shownPath = quoted(path, limit: Limits.quotedValue)
        var problem = Problem(
            .methodNotAllowed,
            "\(shownPath) is asked with \(known.method), not \(quoted(method, limit: Limits.quotedValue))")
        problem.allowedMethod = known.method
        return .failure(problem)
    }

    /// The path of a request line that names the whole URL, which every server has to take (RFC 9112, section 3.2.2).
    private static func withoutAuthority(_ target: String) -> String {
        guard target.hasPrefix("http://") else { return target }
        let rest = target.dropFirst("http://".count)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }
}
