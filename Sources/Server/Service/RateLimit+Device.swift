import CampaignCore
import FoundationEssentials
import Storage
import Synchronization

/// What bounds the keys that ship inside apps, and so are public: a pace for each customer and for each network.
final class DeviceRateLimits: Sendable {
    private let customers = Mutex(
        RateLimitTable<RateLimitedCustomer>(
            RateLimit(burst: Limits.customerBurst, milliseconds: Limits.customerMilliseconds),
            capacity: Limits.rateLimitEntries))
    private let networks = Mutex(
        RateLimitTable<IPAddress>(
            RateLimit(burst: Limits.networkBurst, milliseconds: Limits.networkMilliseconds),
            capacity: Limits.rateLimitEntries))

    /// Milliseconds to wait; nil when `network` may ask now.
    func take(network: IPAddress, now: Instant) -> Int64? {
        networks.withLock { $0.take(network, now: now) }
    }

    /// Milliseconds to wait; nil when `customer` may ask now.
    func take(customer: RateLimitedCustomer, now: Instant) -> Int64? {
        customers.withLock { $0.take(customer, now: now) }
    }
}

/// A customer as a proof signed by Apple names them.
enum RateLimitedCustomer: Hashable, Sendable {
    case subscription(OriginalTransactionID)
    case download(AppTransactionID)

    /// Nil when the proof names nobody.
    init?(_ proof: CustomerProof) {
        if let subscription = proof.transaction?.originalTransactionId {
            self = .subscription(subscription)
        } else if let download = proof.appTransaction?.appTransactionId ?? proof.transaction?.appTransactionId {
            self = .download(download)
        } else {
            return nil
        }
    }
}

extension Service {
    /// Refuses a device's request that comes too soon after others from its network; before anything is verified,
    /// because a forged proof costs us more than its sender.
    ///
    /// An address of this machine is a proxy that does not say whom it asks for, so it tells nobody apart.
    func limitRate(
        of key: APIKey, from address: IPAddress?, requestId: UUID?, now: Instant
    ) throws(Problem) {
        guard key.role == .device, let address, !address.isLoopback,
            let wait = rateLimits.take(network: address.network, now: now)
        else { return }
        throw Self.tooManyRequests("from this address", wait, requestId)
    }

    /// Refuses a device's request that comes too soon after others of the same customer; by the verified proof, so
    /// that nobody uses up what is another's.
    func limitRate(of key: APIKey, _ proof: CustomerProof, requestId: UUID?, now: Instant) throws(Problem) {
        guard key.role == .device, let customer = RateLimitedCustomer(proof),
            let wait = rateLimits.take(customer: customer, now: now)
        else { return }
        throw Self.tooManyRequests("for this customer", wait, requestId)
    }

    private static func tooManyRequests(_ whose: String, _ milliseconds: Int64, _ requestId: UUID?) -> Problem {
        let seconds = Int((milliseconds + 999) / 1_000)
        var problem = Problem(
            .tooManyRequests, "nothing was done \(whose); try again after \(seconds) s", requestId: requestId)
        problem.retryAfterSeconds = seconds
        return problem
    }
}
