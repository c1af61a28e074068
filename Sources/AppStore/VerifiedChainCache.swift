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

/// Chains that were proven, by the header that named them. When it is full, the least recently used goes.
///
/// The key is the header's whole text, so that a known one is neither decoded nor hashed by a digest of its own.
/// Only what verifies gets in, so nobody can fill it without certificates that a trusted root vouches for. Dates are not
/// part of an entry's truth: they are checked on each hit.
final class VerifiedChainCache: Sendable {
    /// A header with the chain in it.
    struct Entry: Sendable {
        let header: JWS.Header
        let chain: VerifiedChain
        fileprivate var lastUse: UInt64 = 0

        init(header: JWS.Header, chain: VerifiedChain) {
            self.header = header
            self.chain = chain
        }
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

    func entry(for headerText: [UInt8]) -> Entry? {
        state.withLock { state in
            guard let index = state.entries.index(forKey: headerText) else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            state.uses += 1
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index]
        }
    }

    func insert(_ entry: Entry, for headerText: [UInt8]) {
        state.withLock { state in
            state.uses += 1
            if state.entries[headerText] == nil, state.entries.count >= capacity,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.entries[oldest.key] = nil
            }
            var entry = entry
            entry.lastUse = state.uses
            state.entries[headerText] = entry
        }
    }
}
