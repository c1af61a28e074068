import AppStore
import CampaignCore
import Storage
import YAML

/// Answers every request: proves who asks, reads what is asked, and says what the lane has to do.
///
/// `begin` runs on an event loop and never waits for a commit.
public final class Service: Sendable {
    let apps: [BundleID: App]
    let campaigns: LoadedCampaigns
    let verifier: SignedDataVerifier
    let readers: ReaderPool
    let environment: Environment
    let log: Log
    let metrics: Metrics
    let counters: Counters
    /// Shared by all services of one server, so that a reload gives nobody a fresh start.
    let rateLimits: DeviceRateLimits
    let knownKeys = KnownKeys()
    let packer = PayloadPacker()

    /// A service for `apps`; `readers` look up API keys on the event loops.
    ///
    /// It never changes: a reload makes another one, and a request is answered by the one that it began with.
    init(
        apps: [App], campaigns: LoadedCampaigns, verifier: SignedDataVerifier, readers: ReaderPool,
        environment: Environment, log: Log,
        metrics: Metrics, rateLimits: DeviceRateLimits = DeviceRateLimits()
    ) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }) { first, _ in first }
        self.campaigns = campaigns
        self.verifier = verifier
        self.readers = readers
        self.environment = environment
        self.log = log
        self.metrics = metrics
        self.rateLimits = rateLimits
        counters = metrics.counters
    }

    /// The same service for other apps or campaigns, after a reload.
    func replacing(apps: [App], campaigns: LoadedCampaigns, verifier: SignedDataVerifier) -> Service {
        Service(
            apps: apps, campaigns: campaigns, verifier: verifier, readers: readers, environment: environment, log: log,
            metrics: metrics, rateLimits: rateLimits)
    }

    /// The answer to `request`, or the work after which there is one.
    public func begin(_ request: Request) -> Outcome {
        let began = environment.monotonicNanoseconds()
        switch Route.parse(method: request.method, path: request.path) {
        case .failure(let problem):
            return observed(.now(answer(problem, on: "none")), of: request, on: "none", began: began)
        case .success(let match):
            let route = match.route
            do throws(Problem) {
                return observed(try begin(match, request), of: request, on: route.name, began: began)
            } catch {
                return observed(.now(answer(error, on: route.name)), of: request, on: route.name, began: began)
            }
        }
    }

    private func begin(_ match: Route.Match, _ request: Request) throws(Problem) -> Outcome {
        let route = match.route
        switch route {
        case .live:
            return .now(.json((["status": "live"] as JSON).bytes))
        case .ready:
            return .onLane(readiness)
        case .metrics:
            _ = try authorize(request, for: route)
            return .now(.text(metrics.prometheusText(chains: verifier.chainCounters, apps: apps)))
        case .signPromotionalOffer:
            return try onLane(route, request) { key throws(Problem) in try promotionalOffer(request, key: key) }
        case .signIntroductoryOfferEligibility:
            return try onLane(route, request) { key throws(Problem) in
                try introductoryOfferEligibility(request, key: key)
            }
        case .receiveNotification:
            return .onLane(try receiveNotification(request))
        case .subscriberStatus:
            return try onLane(route, request) { key throws(Problem) in try subscriberStatus(request, key: key) }
        case .showSubscriber:
            return .now(try showSubscriber(request, match))
        case .showEligibility:
            return .now(try showEligibility(request, match))
        case .giveOffer:
            return try onLane(route, request) { key throws(Problem) in try giveOffer(request, key: key) }
        case .recordOutcome:
            return try onLane(route, request) { key throws(Problem) in
                try recordOutcome(request, match, key: key)
            }
        case .listCampaigns:
            return .now(try listCampaigns(request))
        case .claimCode:
            return try onLane(route, request) { key throws(Problem) in try claimCode(request, key: key) }
        case .loadCodes:
            // `beginUpload` takes those requests before their bodies are there.
            throw Problem(.internalFault, "a code file is read as it comes; please report this request")
        case .listCodes:
            return .now(try listCodes(request))
        case .describeAPI:
            return .now(.json(OpenAPI.document))
        }
    }

    /// Ready means that a row can be written and committed: a lock or a full disk is noticed before a customer asks.
    private var readiness: LaneWork {
        { context throws(StorageError) in
            try context.store.check(now: context.environment.now())
            return .json((["status": "ready"] as JSON).bytes)
        }
    }

    /// The same for work on the lane: counted and logged once it is certain that the answer leaves.
    func answer(_ problem: Problem, on route: String, _ context: LaneContext) -> Response {
        context.afterCommit { [self] in count(problem, on: route) }
        return counted(problem.response)
    }

    /// Counts and logs a problem and gives its answer.
    func answer(_ problem: Problem, on route: String) -> Response {
        count(problem, on: route)
        return counted(problem.response)
    }

    /// Counts and logs an answer to `request` that was given before the request was whole.
    func note(_ response: Response, to request: Request) {
        guard let code = response.uncounted else { return }
        let route = try? Route.parse(method: request.method, path: request.path).get()
        count(Problem(code, ""), on: route?.route.name ?? "none")
    }

    private func counted(_ response: Response) -> Response {
        var response = response
        response.uncounted = nil
        return response
    }

    /// Counts and logs a problem.
    func count(_ problem: Problem, on route: String) {
        counters.count(problem.code.rawValue, on: route)
        // A field that nobody knows is the caller's own word, and may be about a customer.
        let names = log.writes(.debug) ? problem.fields : problem.fields.filter { !problem.unknownFields.contains($0) }
        log.write(
            problem.code.status >= 500 ? .error : .warning, "refusedRequest", pacedAs: problem.code.rawValue,
            at: environment.now(),
            [
                .init("route", .string(route)), .init("code", .string(problem.code.rawValue)),
                .init("fields", .array(names.map { .string(shown($0, limit: Limits.quotedValue)) })),
                .init("fault", .text(problem.fault)),
                .init("unknownFields", .integer(Int64(problem.unknownFields.count))),
                .init("requestId", .text(problem.requestId?.lowercaseString)),
            ])
    }
}
