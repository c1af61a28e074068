public import AppStore
public import Storage
import Synchronization

/// Packs signed payloads on whichever thread asks; a few codecs are kept, each with one thread at a time.
public final class PayloadPacker: Sendable {
    /// A codec on its way between threads.
    ///
    /// Sendable because it is in the list or with one thread, never both: it is taken out under the lock.
    private struct Idle: @unchecked Sendable {
        let codec: PayloadCodec
    }

    private let idle = Mutex<[Idle]>([])

    public init() {}

    /// The JWS of a notification that was verified, as the log keeps it.
    public func pack(_ jws: JWS) -> PackedPayload {
        let codec = idle.withLock { $0.popLast() } ?? Idle(codec: PayloadCodec())
        defer { idle.withLock { if $0.count < Limits.idleCodecs { $0.append(codec) } } }
        return codec.codec.pack(header: jws.headerText, payload: jws.payload, signature: jws.signature)
    }
}
