import Storage
import YAML

/// Everything the server answers, parsed once from method and path; the compiler checks the table.
enum Route: Hashable, Sendable {
    case signPromotionalOffer
    case signIntroductoryOfferEligibility
    case receiveNotification
    case subscriberStatus
    case showSubscriber
    case showEligibility
    case giveOffer
    case recordOutcome
    case listCampaigns
    case claimCode
    case loadCodes
    case listCodes
    case describeAPI
    case live
    case ready
    case metrics

    /// The method and path of each route; a word in braces stands for the path's argument.
    static let table: [(method: String, path: PathPattern, route: Route)] = [
        ("POST", "/v1/signatures/promotional-offer", .signPromotionalOffer),
        ("POST", "/v1/signatures/introductory-offer-eligibility", .signIntroductoryOfferEligibility),
        ("POST", "/v1/app-store/notifications", .receiveNotification),
        ("POST", "/v1/subscribers/status", .subscriberStatus),
        ("GET", "/v1/subscribers/{originalTransactionId}", .showSubscriber),
        ("GET", "/v1/subscribers/{originalTransactionId}/eligibility", .showEligibility),
        ("POST", "/v1/offers", .giveOffer),
        ("POST", "/v1/offers/{grantId}/outcome", .recordOutcome),
        ("GET", "/v1/campaigns", .listCampaigns),
        ("POST", "/v1/codes/claims", .claimCode),
        ("POST", "/v1/code-batches", .loadCodes),
        ("GET", "/v1/code-batches", .listCodes),
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
        case .receiveNotification: "notifications"
        case .subscriberStatus: "subscriberStatus"
        case .showSubscriber: "subscriber"
        case .showEligibility: "eligibility"
        case .giveOffer: "offer"
        case .recordOutcome: "offerOutcome"
        case .listCampaigns: "campaigns"
        case .claimCode: "codeClaim"
        case .loadCodes: "codeLoad"
        case .listCodes: "codeBatches"
        case .describeAPI: "openAPI"
        case .live: "live"
        case .ready: "ready"
        case .metrics: "metrics"
        }
    }

    /// The roles that may ask; none for a route that is open to all (design, section 4).
    ///
    /// The App Store's routes need no key: the signature is the credential.
    var roles: [APIRole] {
        switch self {
        case .signPromotionalOffer, .signIntroductoryOfferEligibility, .subscriberStatus, .giveOffer,
            .recordOutcome, .claimCode:
            [.client, .device, .operator]
        case .showSubscriber, .showEligibility: [.client, .marketer, .operator]
        case .listCampaigns, .loadCodes, .listCodes: [.marketer, .operator]
        case .metrics: [.operator]
        case .receiveNotification, .describeAPI, .live, .ready: []
        }
    }

    /// A route with the argument of its path.
    struct Match: Hashable, Sendable {
        let route: Route
        /// What stands in place of the pattern's braces, as sent; empty when the pattern has none.
        let argument: String
    }

    /// The route, or the problem that there is none: 404 for a path nobody serves, 405 for another method on one.
    static func parse(method: String, path: String) -> Result<Match, Problem> {
        // A HEAD is a GET whose body the HTTP library leaves out.
        let method = method == "HEAD" ? "GET" : method
        let path = withoutAuthority(path)
        // A path that is one of the table's own is not the argument of another.
        var methods: [String] = []
        for pass in [false, true] {
            var others: [String] = []
            for entry in table where entry.path.takesArgument == pass {
                guard let argument = entry.path.argument(of: path) else { continue }
                if entry.method == method { return .success(Match(route: entry.route, argument: argument)) }
                others.append(entry.method)
            }
            if methods.isEmpty { methods = others }
        }
        let shownPath = quoted(path, limit: Limits.quotedValue)
        guard !methods.isEmpty else {
            return .failure(Problem(.notFound, "no route \(shownPath); 'GET /openapi.json' lists the routes"))
        }
        var problem = Problem(
            .methodNotAllowed,
            "\(shownPath) is asked with \(methods.joined(separator: " or ")), not \(quoted(method, limit: Limits.quotedValue))"
        )
        problem.allowedMethod = methods.joined(separator: ", ")
        return .failure(problem)
    }

    /// Whether the body of a request may be too large for memory and is taken as it comes.
    static func takesUpload(method: String, path: String) -> Bool {
        // Every request is asked, so nearly all are told apart by the length of their path.
        let isPath = path.utf8.count == uploadPath.utf8.count || path.utf8.first != UInt8(ascii: "/")
        return isPath && method == "POST" && withoutAuthority(path) == uploadPath
    }

    private static let uploadPath = "/v1/code-batches"

    /// The path of a request line that names the whole URL, which every server has to take (RFC 9112, section 3.2.2).
    private static func withoutAuthority(_ target: String) -> String {
        guard target.hasPrefix("http://") else { return target }
        let rest = target.dropFirst("http://".count)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }
}
