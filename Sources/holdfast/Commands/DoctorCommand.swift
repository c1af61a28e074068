import CampaignCore
import Server
import YAML

/// `holdfast doctor`: everything that can be known before a customer finds out.
enum DoctorCommand {
    static let command = Command(
        "doctor",
        summary: "Check configuration, keys, catalogues, campaigns, roots, database, disk and clock",
        details: """
            One line a check, 'ok', 'warn' or 'FAIL', with what to do; the exit code is 2 when any check fails. The \
            database is made or upgraded when that is needed, as by every command that opens it.
            """,
        options: [.at, .format(.text, .json)],
        examples: [Example("holdfast doctor --config holdfast.yaml", "before the first start and after every change")],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let checks = allChecks(arguments)
        switch arguments.format {
        case .json:
            output.write(["checks": .array(checks.map(\.json))])
        case .text, .csv:
            for check in checks { output.write(check.line(output) + "\n") }
        }
        return checks.contains { $0.outcome == .fail } ? .refused : .done
    }

    private static func allChecks(_ arguments: Arguments) -> [DoctorCheck] {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.read(path: arguments.configurationPath)
        } catch {
            return checks(of: error)
        }
        var checks = configurationChecks(configuration)
        for app in configuration.apps {
            checks += appChecks(app, isAlone: configuration.apps.count == 1)
        }
        checks += campaignChecks(configuration)
        checks += rootChecks(configuration, now: arguments.now)
        checks += databaseChecks(configuration, now: arguments.now)
        checks.append(clockCheck(configuration, now: arguments.now))
        return checks
    }

    /// A configuration that is refused has its warnings among the errors.
    private static func checks(of error: ConfigurationError) -> [DoctorCheck] {
        switch error {
        case .unreadable: [DoctorCheck(.fail, "configuration", "\(error)")]
        case .refused(let path, let diagnostics):
            diagnostics.map {
                DoctorCheck($0.severity == .error ? .fail : .warn, "configuration", $0.line(path: path))
            }
        }
    }
}

/// What one check found.
struct DoctorCheck {
    enum Outcome: String {
        case ok
        case warn
        case fail = "FAIL"
    }

    let outcome: Outcome
    let subject: String
    let message: String

    init(_ outcome: Outcome, _ subject: String, _ message: String) {
        self.outcome = outcome
        self.subject = subject
        self.message = message
    }

    func line(_ output: Output) -> String {
        let colour: Output.Colour =
            switch outcome {
            case .ok: .green
            case .warn: .yellow
            case .fail: .red
            }
        let padding = String(repeating: " ", count: 4 - outcome.rawValue.count)
        return "\(output.coloured(outcome.rawValue, colour))\(padding)  \(visible("\(subject): \(message)"))"
    }

    var json: JSON {
        ["outcome": .string(outcome.rawValue), "subject": .string(subject), "message": .string(message)]
    }
}
