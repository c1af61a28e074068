public import AppStore
import CampaignCore
public import Storage
import YAML

/// Answers every request: proves who asks, reads what is asked, and says what the lane has to do.
///
/// `begin` runs on an event loop and never waits for a commit.
public final class Service: Sendable {
    let apps: [BundleID: App]
    let verifier: SignedDataVerifier
    let readers: ReaderPool
    let environment: Environment
    let log: Log
    let counters = Counters()

    /// A service for `apps`; `readers` look up API keys on the event loops.
    public init(apps: [App], verifier: SignedDataVerifier, readers: ReaderPool, environment: Environment, log: Log) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }) { first, _ in first }
        self.verifier = verifier
        self.readers = readers
        self.environment = environment
        self.log = log
    }

    /// The answer to `request`, or the work after which there is one.
    public func begin(_ request: Request) -> Outcome {
        switch Route.parse(method: request.method, path: request.path) {
        case .failure(let problem):
            return .now(answer(problem, on: "none"))
        case .success(let route):
            do throws(Problem) {
                return try begin(route, request)
            } catch {
                return .now(answer(error, on: route.name))
            }
        }
    }

    private func begin(_ route: Route, _ request: Request) throws(Problem) -> Outcome {
        switch route {
        case .live:
            return .now(.json((["status": "live"] as JSON).bytes))
        case .ready:
            return .onLane(readiness)
        case .metrics:
            _ = try authorize(request, for: route)
            return .now(.text(counters.prometheusText))
        case .signPromotionalOffer:
            let key = try authorize(request, for: route)
            return .onLane(try promotionalOffer(request, key: key))
        case .signIntroductoryOfferEligibility:
            let key = try authorize(request, for: route)
            return .onLane(try introductoryOfferEligibility(request, key: key))
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

    /// Counts and logs a problem and gives its answer.
    func answer(_ problem: Problem, on route: String) -> Response {
        counters.count(problem.code.rawValue, on: route)
        log.write(
            problem.code.status >= 500 ? .error : .warning, "refusedRequest", at: environment.now(),
            [
                .init("route", .string(route)), .init("code", .string(problem.code.rawValue)),
                .init("fields", .array(problem.fields.map { .string(shown($0, limit: Limits.quotedValue)) })),
                .init("requestId", .text(problem.requestId?.lowercaseString)),
            ])
        return problem.response
    }
}
