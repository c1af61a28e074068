import CampaignCore
import FoundationEssentials
@preconcurrency import Glibc
import Server
import Storage

extension DoctorCommand {
    /// The database and the disk it is on.
    static func databaseChecks(_ configuration: Configuration, now: Instant) -> [DoctorCheck] {
        guard case .sqlite(let path) = configuration.database else {
            return [DoctorCheck(.fail, "database", "PostgreSQL is not supported yet; name a file as 'sqlite:PATH'")]
        }
        do throws(StorageError) {
            let store = try Store(path, now: now)
            try store.check(now: now)
            let faults = try store.quickCheck()
            let size = try store.size()
            let sound = DoctorCheck(
                .ok, "database", "'\(path)' opens, takes a write and is sound, \(megabytes(size.file))")
            let damaged = faults.map { DoctorCheck(.fail, "database", "'\(path)': \($0); restore a backup") }
            let log = try logCheck(store, configuration.retention, now: now)
            return (damaged.isEmpty ? [sound, log] : damaged) + [diskCheck(path)]
        } catch {
            return [DoctorCheck(.fail, "database", "\(error)")]
        }
    }

    /// What Apple has signed so far, and whether the running service removes what is too old.
    private static func logCheck(
        _ store: Store, _ retention: Configuration.Retention, now: Instant
    ) throws(StorageError) -> DoctorCheck {
        let day: Int64 = 24 * 60 * 60 * 1000
        let days = retention.notificationLogMilliseconds / day
        let log = try store.payloadLogSize()
        guard let oldest = log.oldestReceivedDate else {
            return DoctorCheck(.ok, "log", "no notification has come yet; entries are kept for \(days) days")
        }
        let message =
            "\(counted(log.entries, "entry", "entries")), \(megabytes(log.bodyBytes)) of payloads, "
            + "the oldest came at \(oldest); kept for \(days) days"
        // A service looks once a day, and takes hours for what a year has left.
        guard
            now.millisecondsSince1970 - oldest.millisecondsSince1970
                <= retention.notificationLogMilliseconds + 3 * day
        else {
            return DoctorCheck(.warn, "log", message + "; older ones leave while the service runs")
        }
        return DoctorCheck(.ok, "log", message)
    }

    private static func diskCheck(_ path: String) -> DoctorCheck {
        var volume = statvfs()
        guard statvfs(path, &volume) == 0 else {
            return DoctorCheck(
                .warn, "disk", "the space of '\(path)' cannot be told: \(String(cString: strerror(errno)))")
        }
        let free = Int64(clamping: UInt64(volume.f_bavail) * UInt64(volume.f_frsize))
        let message = "\(megabytes(free)) free where '\(path)' is"
        if free < Limits.freeBytesNeeded { return DoctorCheck(.fail, "disk", message + "; free some space") }
        return free < Limits.freeBytesWanted
            ? DoctorCheck(.warn, "disk", message + "; a year of notifications may need more")
            : DoctorCheck(.ok, "disk", message)
    }

    /// Signatures carry the time, and StoreKit refuses those of another day.
    static func clockCheck(_ configuration: Configuration, now: Instant) -> DoctorCheck {
        guard (Limits.earliestClock..<Limits.latestClock).contains(now.millisecondsSince1970) else {
            return DoctorCheck(.fail, "clock", "it is \(now), which cannot be; set the clock, with NTP for example")
        }
        var status = stat()
        if stat(configuration.path, &status) == 0 {
            let saved = Instant(millisecondsSince1970: Int64(status.st_mtim.tv_sec) * 1000)
            if saved > now.adding(milliseconds: Limits.clockSkewMilliseconds) {
                return DoctorCheck(
                    .warn, "clock",
                    "it is \(now), but '\(configuration.path)' was saved at \(saved); set the clock, with NTP for example"
                )
            }
        }
        return DoctorCheck(.ok, "clock", "it is \(now)")
    }

    private static func megabytes(_ bytes: Int64) -> String {
        let tenths = bytes * 10 / (1024 * 1024)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
