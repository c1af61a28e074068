/// `holdfast notifications`: what the App Store has signed, from files and from the log.
enum NotificationsCommand {
    static let command = Command(
        "notifications",
        summary: "Import notifications from files, and rebuild every subscription from the log",
        subcommands: [NotificationsImportCommand.command, NotificationsReplayCommand.command])
}
