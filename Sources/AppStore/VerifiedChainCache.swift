import Crypto
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

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
/// The key is the header's whole text, so that a known one is neither decoded nor hashed. Comparing it with the few that
/// are known costs less than hashing its 4 KB would.
/// Only what verifies gets in, so nobody can fill it without certificates that a trusted root vouches for. Dates are not
/// part of an entry's truth: they are checked on each hit.
final class VerifiedChainCache: Sendable {
    /// A header with the chain in it.
    final class Entry: Sendable {
        /// As it was sent, in base64url.
        let headerText: [UInt8]
        let header: JWS.Header
        let chain: VerifiedChain

        init(headerText: [UInt8], header: JWS.Header, chain: VerifiedChain) {
            self.headerText = headerText
            self.header = header
            self.chain = chain
        }

        fileprivate func has(_ text: UnsafeRawBufferPointer) -> Bool {
            guard let start = text.baseAddress, text.count == headerText.count else { return false }
            return memcmp(start, headerText, text.count) == 0
        }
    }

    private struct State {
        /// The most recently used first.
        var entries: [Entry] = []
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

    func entry(for headerText: UnsafeRawBufferPointer) -> Entry? {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.has(headerText) }) else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            let entry = state.entries[index]
            if index > 0 {
                state.entries.remove(at: index)
                state.entries.insert(entry, at: 0)
            }
            return entry
        }
    }

    func insert(_ entry: Entry) {
        state.withLock { state in
            state.entries.removeAll { $0.headerText == entry.headerText }
            if state.entries.count >= capacity { state.entries.removeLast() }
            state.entries.insert(entry, at: 0)
        }
    }
}
