import CampaignCore

extension BenchSession {
    /// As many requests as the server answers: what each costs it, how many there are and how long they take.
    ///
    /// - Parameters:
    ///   - load: what is asked for, when a bench asks for several things.
    ///   - ratio: the target for the server's CPU time, in multiples of `yardstick`; nil for none.
    ///   - limit: the target for the answers a second.
    @discardableResult
    func saturate(
        _ bench: String, _ load: String?, _ server: ServerProcess, _ generator: LoadGenerator,
        _ requests: inout LoadRequests, _ yardstick: BenchFigure.Yardstick, ratio: Double?,
        rateAbove limit: Double? = nil
    ) throws(CommandError) -> LoadResult {
        let seconds = seconds(0.16)
        let profile = wantsProfile ? CPUProfile.start(processId: server.processId, seconds: seconds) : nil
        let before = try server.cpuMicroseconds()
        let result = try generator.run(&requests, seconds: seconds)
        let spent = (try server.cpuMicroseconds() - before) / Double(max(1, result.count))
        func figure(_ what: String, _ value: Double, _ unit: BenchFigure.Unit) -> BenchFigure {
            BenchFigure(bench: bench, what: (load.map { "\($0): " } ?? "") + what, value: value, unit: unit)
        }
        var cpu = figure("CPU of the server for each answer", spent, .microseconds)
        cpu.yardstick = yardstick
        cpu.target = ratio.map { .ratioAtMost($0) }
        add(cpu)
        var rate = figure("answers, as many as it can", result.rate, .perSecond)
        rate.target = limit.map { .valueAbove($0) }
        add(rate)
        add(figure("half of them come within", result.milliseconds(0.5), .milliseconds))
        add(figure("99 of 100 come within", result.milliseconds(0.99), .milliseconds))
        if wantsProfile {
            if let lines = profile?.lines(microseconds: spent), !lines.isEmpty {
                add(profile: lines.map { $0.of(load ?? bench) })
            } else {
                add(note: CPUProfile.howToGetOne)
            }
        }
        return result
    }
}
