import Foundation

/// A load that wrk generates and measures. The two servers of a ratio get the same load with the same connections and
/// duration.
struct Load {
    /// The number of answers per second.
    let rate: Double
    /// The processor time of the server for each answer, in microseconds; nil if several programs answer.
    let microseconds: Double?

    /// The requests, as a wrk script.
    struct Script {
        let path: String

        /// Requests pages one after the other, each with the next token.
        init(_ bench: Workbench, pages: [String], tokens: [String]) throws {
            let pageFile = bench.place("pages")
            let tokenFile = bench.place("tokens")
            try pages.joined(separator: "\n").write(toFile: pageFile, atomically: true, encoding: .utf8)
            try tokens.joined(separator: "\n").write(toFile: tokenFile, atomically: true, encoding: .utf8)
            try self.init(
                bench,
                """
                local pages, tokens, place = {}, {}, 0
                for line in io.lines('\(pageFile)') do pages[#pages + 1] = line end
                for line in io.lines('\(tokenFile)') do tokens[#tokens + 1] = 'Bearer ' .. line end
                request = function()
                    place = place + 1
                    local token = tokens[(place - 1) % #tokens + 1]
                    return wrk.format('GET', pages[(place - 1) % #pages + 1], { Authorization = token })
                end
                """
            )
        }

        /// Posts the bodies one after the other.
        init(_ bench: Workbench, posting bodies: [String], to address: String) throws {
            let file = bench.place("bodies")
            try bodies.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
            try self.init(
                bench,
                """
                local bodies, place = {}, 0
                for line in io.lines('\(file)') do bodies[#bodies + 1] = line end
                request = function()
                    place = place + 1
                    return wrk.format('POST', '\(address)', {}, bodies[(place - 1) % #bodies + 1])
                end
                """
            )
        }

        /// Buys a product for one customer after the other.
        init(_ bench: Workbench, purchasesOf product: String, by customers: Int) throws {
            let address = "\(Control.scope)/customers/customer-' .. place % \(customers) .. '/purchases"
            try self.init(
                bench,
                """
                local place = 0
                local headers = { ['Content-Type'] = 'application/json' }
                request = function()
                    place = place + 1
                    return wrk.format('POST', '\(address)', headers, '{"productId":"\(product)"}')
                end
                """
            )
        }

        private init(_ bench: Workbench, _ text: String) throws {
            path = bench.place("load.lua")
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    /// Sends requests for the configured time, and for longer if no answer came within it.
    init(
        _ bench: Workbench,
        _ script: Script,
        of address: String,
        by program: Program,
        connections: Int = 32,
        on place: Program.Core = .second,
        seconds: Int? = nil
    ) throws {
        var time = seconds ?? bench.scale.seconds
        while true {
            let before = program.processorSeconds
            let output = try Program.output(
                [
                    bench.wrk, "-t", "1", "-c", "\(connections)", "-d", "\(time)s", "--timeout", "30s",
                    "-s", script.path, address,
                ],
                on: place
            )
            let used = program.processorSeconds - before
            let (count, rate) = try Self.read(output)
            if count > 0 || time > 60 {
                guard count > 0 else { throw BenchRefused("a server did not answer within \(time) s") }
                self.rate = rate
                microseconds = used / count * 1_000_000
                return
            }
            time *= 4
        }
    }

    /// The number of answers, and the number of answers per second.
    private static func read(_ output: String) throws -> (count: Double, rate: Double) {
        let lines = output.split(separator: "\n")
        func number(_ word: Substring?) -> Double? { word.flatMap { Double($0) } }
        guard !output.contains("Non-2xx"), !output.contains("Socket errors"),
            let count = number(lines.first { $0.contains(" requests in ") }?.split(separator: " ").first),
            let rate = number(lines.first { $0.hasPrefix("Requests/sec:") }?.split(separator: " ").last)
        else { throw BenchRefused("wrk failed:\n\(output)") }
        return (count, rate)
    }
}
