/// Every command, in the order in which `holdfast --help` lists them.
///
/// A command is one file in `Commands`: an enum that holds the entry as `static let command` and the function that
/// does the work, `static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode`.
/// Its entry here is all that parsing, help and their tests need; `Fixtures/Help` holds the help it prints.
let commandTable: [Command] = [
    DemoCommand.command,
    InitCommand.command,
    ServeCommand.command,
    DoctorCommand.command,
    CatalogCommand.command,
    CampaignCommand.command,
    CodesCommand.command,
    SubscriberCommand.command,
    NotificationsCommand.command,
    KeyCommand.command,
    SignCommand.command,
    VerifyCommand.command,
    SimulateCommand.command,
    BackupCommand.command,
    RestoreCommand.command,
    MigrateCommand.command,
    BenchCommand.command,
]
