import CampaignCore
import Crypto
import Storage
import YAML

extension Service {
    /// The API key that `request` carries, when it is live and has one of the roles of `route`.
    ///
    /// The key is looked up for every request: another process may have revoked it a moment ago.
    func authorize(_ request: Request, for route: Route) throws(Problem) -> APIKey {
        let prefix = "bearer "
        guard let header = request.authorization, header.lowercased().hasPrefix(prefix) else {
            throw Problem(.keyMissing, "send the header 'Authorization: Bearer KEY'; 'holdfast key create' makes a key")
        }
        let secret = header.dropFirst(prefix.count).drop { $0 == " " }
        let digest = SHA256.digest(Array(secret.utf8))
        let found: APIKey?
        do throws(StorageError) {
            found = try readers.withReader { store throws(StorageError) in try store.apiKey(digest: digest) }
        } catch {
            throw error.problem
        }
        guard let key = found else {
            throw Problem(.keyUnknown, "this key is not in this database; 'holdfast key list' names those that are")
        }
        guard key.revokedDate == nil else {
            throw Problem(.keyRevoked, "the key '\(key.name)' was revoked; make another with 'holdfast key create'")
        }
        guard route.roles.contains(key.role) else {
            let wanted = route.roles.map(\.rawValue).sorted().joined(separator: " or ")
            throw Problem(
                .roleNotAllowed, "the key '\(key.name)' has the role '\(key.role.rawValue)'; this needs \(wanted)")
        }
        return key
    }

    /// Refuses a request for an app that `key` is not bound to.
    func authorize(_ key: APIKey, for bundleId: String?) throws(Problem) {
        guard let bound = key.bundleId, let bundleId, bundleId != bound.rawValue else { return }
        throw Problem(
            .appNotAllowed,
            "the key '\(key.name)' is bound to '\(bound)'; use one for \(quoted(bundleId, limit: Limits.quotedValue))",
            fields: ["bundleId"])
    }
}
