import Glibc

/// Why the database could not do what was asked; the text says what to do next.
///
/// Source: design section 4 for what becomes a 503, SQLite's "Result and Error Codes" for the causes.
public enum StorageError: Error, Hashable, Sendable {
    /// Another process kept the database locked for the whole busy timeout.
    case busy(path: String)
    /// The file was removed, moved or replaced while it was open, so what is written would be lost.
    case replaced(path: String)
    /// The volume has no space left.
    case full(path: String)
    /// The file, its folder or this connection may not be written.
    case readOnly(path: String)
    /// The volume failed to read or write; `code` is SQLite's extended result code.
    case inputOutput(path: String, code: Int32)
    /// The file is damaged.
    case corrupt(path: String)
    case cannotOpen(path: String, reason: String)
    /// The file is no database, or one that another program owns.
    case foreignDatabase(path: String)
    /// A newer Holdfast has upgraded the database; `found` and `known` are the newest migrations of each.
    case newerSchema(found: String, known: String)
    /// The database was opened for reading and has not been upgraded yet.
    case olderSchema(found: String, known: String)
    /// A stored value breaks its own rule.
    case corruptRow(table: String, column: String)
    /// An API key of that name exists or existed.
    case nameTaken(String)
    /// The name of an API key is empty, too long or has control characters.
    case nameNotAllowed
    /// A customer's tokens or downloads lead to more subscriptions than one person has.
    case tooManyLinked(limit: Int)
    /// SQLite undid the whole transaction, so every request of its batch has failed.
    indirect case transactionLost(because: StorageError)
    /// A file that is to be made is there already.
    case exists(path: String)
    /// A process has the database open that is to be replaced.
    case inUse(path: String)
    /// A copy is not sound; `fault` is the first one that SQLite found.
    case damagedCopy(path: String, fault: String)
    /// The system refused to make, read or move a file, with its reason.
    case file(path: String, reason: String)
    /// The service ends, and what was under way was given up; nothing of it is kept.
    case stopped
    /// Anything else, with SQLite's extended result code and its message, which holds no values.
    case other(code: Int32, message: String)

    /// Whether the same request may succeed later with nothing changed in it: HTTP 503.
    public var isTemporary: Bool {
        switch self {
        case .busy, .full, .readOnly, .inputOutput, .replaced, .stopped: true
        case .transactionLost(let cause): cause.isTemporary
        case .corrupt, .cannotOpen, .foreignDatabase, .newerSchema, .olderSchema, .corruptRow, .nameTaken,
            .nameNotAllowed, .tooManyLinked, .exists, .inUse, .damagedCopy, .file, .other:
            false
        }
    }
}

extension StorageError {
    /// What the last system call about the file at `path` said.
    static func fileFault(path: String) -> StorageError {
        let reason = errno
        switch reason {
        case ENOSPC, EDQUOT: return .full(path: path)
        default:
            let text = strerror(reason).map { String(cString: $0) } ?? "error \(reason)"
            return .file(path: path, reason: text.prefix(1).lowercased() + text.dropFirst())
        }
    }
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .stopped:
            "the service ends; try again when it runs"
        case .busy(let path):
            "database '\(path)' is in use by another process; try again, or stop the process that holds it"
        case .replaced(let path):
            "database '\(path)' was removed or replaced while it was open; put it back, or stop and start again"
        case .full(let path):
            "no space left for database '\(path)'; free some on its volume"
        case .readOnly(let path):
            "database '\(path)' cannot be written; check the owner and mode of the file and of its folder"
        case .inputOutput(let path, let code):
            "reading or writing database '\(path)' failed (SQLite code \(code)); check its volume"
        case .corrupt(let path):
            "database '\(path)' is damaged; restore a backup with 'holdfast restore FILE'"
        case .cannotOpen(let path, let reason):
            "cannot open database '\(path)': \(reason); check 'database' in the configuration"
        case .foreignDatabase(let path):
            "'\(path)' is not a Holdfast database; name another file as 'database' in the configuration"
        case .newerSchema(let found, let known):
            "the database has migration '\(found)' and this program knows none after '\(known)'; "
                + "install the newer version of holdfast"
        case .olderSchema(let found, let known):
            "the database ends at migration '\(found)' and this program needs '\(known)'; run 'holdfast migrate'"
        case .corruptRow(let table, let column):
            "a row of table '\(table)' has an impossible value in column '\(column)'; run 'holdfast doctor'"
        case .nameTaken(let name):
            "an API key named '\(name)' exists or existed; choose another name"
        case .nameNotAllowed:
            "an API key's name is 1 to \(Limits.apiKeyNameBytes) bytes without control characters; choose another name"
        case .tooManyLinked(let limit):
            "the customer's account token or app transaction is that of more than \(limit) subscriptions, so it names "
                + "no person; correct what the app passes as 'appAccountToken'"
        case .transactionLost(let cause):
            "the whole transaction was undone: \(cause)"
        case .exists(let path):
            "'\(path)' exists already; move it away or choose another name"
        case .inUse(let path):
            "a process has database '\(path)' open; stop the server and every command that uses it, and try again"
        case .damagedCopy(let path, let fault):
            "the copy '\(path)' is not sound: \(fault); run 'holdfast doctor' and check the volume"
        case .file(let path, let reason):
            "cannot use the file '\(path)': \(reason); check the path, its folder and their modes"
        case .other(let code, let message):
            "the database refused a statement (SQLite code \(code): '\(message)'); report this as a fault of holdfast"
        }
    }
}
