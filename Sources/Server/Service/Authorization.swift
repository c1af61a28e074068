import CampaignCore
import Crypto
import Storage
import YAML

extension Service {
    /// Work of `route` for the lane, made with the API key that `request` carries, live and of one of its roles.
    ///
    /// A key that was found before is not looked up here: the lane confirms it in the request's own transaction, where
    /// a look at the database's version is enough unless another process has written. A request whose key turns out to
    /// be revoked is refused before its work begins.
    func onLane(
        _ route: Route, _ request: Request, _ work: (APIKey) throws(Problem) -> LaneWork
    ) throws(Problem) -> Outcome {
        let roles = route.roles
        let digest = try keyDigest(of: request)
        guard let known = knownKeys.key(digest: digest), roles.contains(known.role) else {
            let key = try authorize(digest, roles: roles)
            knownKeys.remember(key, digest: digest)
            return .onLane(try work(key))
        }
        let knownWork: LaneWork
        do throws(Problem) {
            knownWork = try work(known)
        } catch {
            // What is wrong with a request is told only to a key that is live now.
            _ = try authorize(digest, roles: roles)
            throw error
        }
        return .onLane { [self] context throws(StorageError) in
            let found = try context.apiKey(digest: digest)
            if found == known { return try knownWork(context) }
            knownKeys.forget(digest: digest)
            return answer(refusal(of: found, roles: roles), on: route.name, context)
        }
    }

    /// Why `key` is not the one that was known; a key is only ever revoked, so anything else is asked for again.
    private func refusal(of key: APIKey?, roles: [APIRole]) -> Problem {
        do throws(Problem) {
            _ = try judge(key, roles: roles)
            return Problem(.storageUnavailable, "the key has just been changed; send the same request again")
        } catch {
            return error
        }
    }

    /// The API key that `request` carries, looked up now, when it is live and has one of the roles of `route`.
    func authorize(_ request: Request, for route: Route) throws(Problem) -> APIKey {
        try authorize(try keyDigest(of: request), roles: route.roles)
    }

    /// The SHA-256 of the key that `request` carries.
    private func keyDigest(of request: Request) throws(Problem) -> [UInt8] {
        var header = request.authorization ?? ""
        let digest: [UInt8]? = header.withUTF8 { bytes in
            guard Self.isBearer(bytes) else { return nil }
            let secret = bytes.dropFirst(Self.scheme.utf8CodeUnitCount).drop { $0 == UInt8(ascii: " ") }
            return SHA256.digest(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: secret)))
        }
        guard let digest else {
            throw Problem(.keyMissing, "send the header 'Authorization: Bearer KEY'; 'holdfast key create' makes a key")
        }
        return digest
    }

    private static let scheme: StaticString = "bearer "

    /// Whether a header begins with `Bearer` and a blank, in any case (RFC 9110, section 11.1).
    private static func isBearer(_ header: UnsafeBufferPointer<UInt8>) -> Bool {
        // Setting the bit of lower case changes no other character into a letter of the word, and keeps the blank.
        scheme.withUTF8Buffer { scheme in
            header.count >= scheme.count && zip(header, scheme).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private func authorize(_ digest: [UInt8], roles: [APIRole]) throws(Problem) -> APIKey {
        let found: APIKey?
        do throws(StorageError) {
            found = try readers.withReader { store throws(StorageError) in try store.apiKey(digest: digest) }
        } catch {
            throw error.problem
        }
        return try judge(found, roles: roles)
    }

    private func judge(_ found: APIKey?, roles: [APIRole]) throws(Problem) -> APIKey {
        guard let key = found else {
            throw Problem(.keyUnknown, "this key is not in this database; 'holdfast key list' names those that are")
        }
        guard key.revokedDate == nil else {
            throw Problem(
                .keyRevoked,
                "the key \(quoted(key.name, limit: Limits.quotedValue)) was revoked; make another with 'holdfast key create'"
            )
        }
        guard roles.contains(key.role) else {
            let wanted = roles.map(\.rawValue).sorted().joined(separator: " or ")
            throw Problem(
                .roleNotAllowed,
                "the key \(quoted(key.name, limit: Limits.quotedValue)) has the role '\(key.role.rawValue)'; this needs \(wanted)"
            )
        }
        return key
    }

    /// Refuses a request for an app that `key` is not bound to.
    func authorize(_ key: APIKey, for bundleId: String?) throws(Problem) {
        guard let bound = key.bundleId, let bundleId, bundleId != bound.rawValue else { return }
        throw Problem(
            .appNotAllowed,
            "the key \(quoted(key.name, limit: Limits.quotedValue)) is bound to '\(bound)'; use one for \(quoted(bundleId, limit: Limits.quotedValue))",
            fields: ["bundleId"])
    }
}
