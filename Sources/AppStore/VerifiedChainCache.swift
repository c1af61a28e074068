import Crypto
import Synchronization

/// A chain that was proven, with the key that it vouches for.
struct VerifiedChain: Sendable {
    let chain: CertificateChain
    let leafKey: P256PublicKey
}

/// How the cache of verified chains has fared since the start.
public struct VerifiedChainCounters: Hashable, Sendable {
    public let hits: Int
    public let misses: Int
    /// How many chains it holds now.
    public let entries: Int

    public init(hits: Int, misses: Int, entries: Int) {
        self.hits = hits
        self.misses = misses
        self.entries = entries
    }
}

/// Chains that were proven, by the SHA-256 of the three `x5c` strings. When it is full, the least recently used goes.
///
/// Only what verifies gets in, so nobody can fill it without certificates that a trusted root vouches for. Dates are not
/// part of an entry's truth: they are checked on each hit.
final class VerifiedChainCache: Sendable {
    private struct Entry {
        let chain: VerifiedChain
        var lastUse: UInt64
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        var uses: UInt64 = 0
        var hits = 0
        var misses = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) {
        self.capacity = capacity
    }

    var counters: VerifiedChainCounters {
        state.withLock { state in
            VerifiedChainCounters(hits: state.hits, misses: state.misses, entries: state.entries.count)
        }
    }

    func chain(for digest: [UInt8]) -> VerifiedChain? {
        state.withLock { state in
            guard let index = state.entries.index(forKey: digest) else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            state.uses += 1
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].chain
        }
    }

    func insert(_ chain: VerifiedChain, for digest: [UInt8]) {
        state.withLock { state in
            state.uses += 1
            if state.entries[digest] == nil, state.entries.count >= capacity,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.entries[oldest.key] = nil
            }
            state.entries[digest] = Entry(chain: chain, lastUse: state.uses)
        }
    }
}
