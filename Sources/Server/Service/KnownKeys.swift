import Storage
import Synchronization

/// API keys that were found before, so that an event loop need not look one up for each request.
///
/// What is here may be out of date: another process may have revoked the key a moment ago. So nothing is answered on
/// the strength of it alone; the lane confirms the key in the transaction of the request.
final class KnownKeys: Sendable {
    private let keys = Mutex<[[UInt8]: APIKey]>([:])

    /// The key whose SHA-256 is `digest`, as it was found.
    func key(digest: [UInt8]) -> APIKey? {
        keys.withLock { $0[digest] }
    }

    func remember(_ key: APIKey, digest: [UInt8]) {
        keys.withLock { keys in
            if keys.count >= Limits.knownKeys { keys = [:] }
            keys[digest] = key
        }
    }

    func forget(digest: [UInt8]) {
        keys.withLock { $0[digest] = nil }
    }
}
