import FoundationEssentials

@preconcurrency import Glibc
import YAML

/// The whole program: understands the line, runs the command, tells how it went and ends the process.
///
/// `main.swift` is one call of this function: closures written in `main.swift` itself belong to the main actor and
/// crash when a C library calls them on another thread.
func runHoldfast(_ commandLine: [String]) -> Never {
    holdStandardDescriptors()
    // A reader that goes away is a failed write, which `Output` and the server handle, and no reason to be killed.
    signal(SIGPIPE, SIG_IGN)
    let output = Output()
    let exitCode = perform(Array(commandLine.dropFirst()), output: output)
    exit(output.close(exitCode).rawValue)
}

private func perform(_ words: [String], output: Output) -> ExitCode {
    do throws(CommandError) {
        switch try Request(words, commands: commandTable) {
        case .overview:
            output.write(Help.overview(of: commandTable))
        case .help(let path):
            output.write(Help.text(for: path))
        case .version:
            output.write("holdfast \(version)\n")
        case .missingCommand:
            output.note(Help.overview(of: commandTable))
            return .wrongUsage
        case .run(let body, let arguments):
            return try body(arguments, output)
        }
        return .done
    } catch {
        for message in error.messages {
            if error.namesFiles { output.note(visible(message) + "\n") } else { output.error(message) }
        }
        if let hint = error.hint { output.note(hint + "\n") }
        return error.exitCode
    }
}
