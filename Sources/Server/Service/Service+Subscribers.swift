import AppStore
import CampaignCore
import FoundationEssentials
import Storage
import YAML

extension Service {
    /// `GET /v1/subscribers/{originalTransactionId}`: what one subscription is now.
    func showSubscriber(_ request: Request, _ match: Route.Match) throws(Problem) -> Response {
        let (asked, app) = try subscriberQuery(request, match)
        let found = try read { store throws(StorageError) in
            try store.subscription(
                originalTransactionId: asked.originalTransactionId, bundleId: asked.bundleId,
                environment: asked.environment)
        }
        guard let subscription = found?.subscription else { throw Self.neverSeen("originalTransactionId") }
        return answer(for: subscription, app, asked.environment, on: match.route)
    }

    /// `GET /v1/subscribers/{originalTransactionId}/eligibility`: every offer, with every reason against it.
    func showEligibility(_ request: Request, _ match: Route.Match) throws(Problem) -> Response {
        let (asked, app) = try subscriberQuery(request, match)
        let offers = try read { store throws(StorageError) -> [OfferEligibility]? in
            let customer = try SubscriberHistory(
                of: asked.originalTransactionId, app: asked.bundleId, environment: asked.environment, store)
            return customer?.offers(for: app, now: environment.now())
        }
        guard let offers else { throw Self.neverSeen("originalTransactionId") }
        counters.count("answered", on: match.route.name)
        return .json(
            ([
                "originalTransactionId": .string(asked.originalTransactionId.rawValue),
                "bundleId": .string(asked.bundleId.rawValue),
                "environment": .string(asked.environment.rawValue),
                "offers": .array(offers.map(\.json)),
            ] as JSON).bytes)
    }

    /// `POST /v1/subscribers/status`: what the subscription of one customer is now, by any name of the customer.
    func subscriberStatus(_ request: Request, key: APIKey) throws(Problem) -> LaneWork {
        let route = Route.subscriberStatus
        var fields = try RequestFields(request.body, of: route.name)
        try authorize(key, for: fields.peek("bundleId"))
        let asked = try SubscriberStatusRequest(&fields)
        try authorize(key, naming: asked.customer)
        let now = environment.now()
        try limitRate(of: key, from: request.clientAddress, requestId: nil, now: now)
        let app = try app(asked.bundleId, in: asked.environment)
        let proof = try proof(of: asked.customer, for: app, in: asked.environment).get()
        try checkAge(of: proof, key: key, asked.customer, app: app, now: now)
        try limitRate(of: key, proof, requestId: nil, now: now)
        return { [self] context throws(StorageError) in
            let customer = try knownCustomer(
                asked.customer, proof, of: app, in: asked.environment, now: now, context.store)
            guard customer.refusals.isEmpty else {
                return answer(
                    Problem(.invalidValue, customer.refusals.map(\.detail).joined(separator: "; ")), on: route.name,
                    context)
            }
            let known = try context.store.subscriptions(
                of: customer.transactions, app.bundleId, asked.environment)
            guard let newest = Subscription.foremost(of: known.compactMap(\.subscription), now: now) else {
                return answer(Self.neverSeen(asked.customer.firstName), on: route.name, context)
            }
            if let timeZone = asked.timeZone, let one = known.first(where: { $0.subscription == newest }) {
                try context.store.setTimeZone(timeZone, of: one.id)
            }
            context.afterCommit { [counters] in counters.count("answered", on: route.name) }
            return .json(status(of: newest, app, asked.environment).bytes)
        }
    }

    // MARK: - Parts

    /// The parameters of a route about one subscriber, judged: key, app of the key, shape, values, app.
    private func subscriberQuery(_ request: Request, _ match: Route.Match) throws(Problem) -> (SubscriberQuery, App) {
        let key = try authorize(request, for: match.route)
        var fields = try RequestFields(request.query)
        try authorize(key, for: fields.peek("bundleId"))
        let asked = try SubscriberQuery(&fields, originalTransactionId: match.argument)
        return (asked, try app(asked.bundleId, in: asked.environment))
    }

    /// Reads on a connection of this thread; what keeps the database from being read is a problem of ours.
    func read<Value>(_ body: (Store) throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) {
            return try readers.withReader(body)
        } catch {
            log.write(.error, "storage", at: environment.now(), [.init("detail", .string("\(error)"))])
            throw error.problem
        }
    }

    private func answer(
        for subscription: Subscription, _ app: App, _ origin: AppStoreEnvironment, on route: Route
    ) -> Response {
        counters.count("answered", on: route.name)
        return .json(status(of: subscription, app, origin).bytes)
    }

    private func status(of subscription: Subscription, _ app: App, _ origin: AppStoreEnvironment) -> JSON {
        subscription.status(
            at: environment.now(), catalog: app.catalog, policy: app.accessPolicy, environment: origin
        ).json(of: subscription, bundleId: app.bundleId, environment: origin)
    }

    private static func neverSeen(_ field: String) -> Problem {
        Problem(
            .notFound, "no notification and no client has told of this subscriber; look at app and environment",
            fields: [field])
    }
}
