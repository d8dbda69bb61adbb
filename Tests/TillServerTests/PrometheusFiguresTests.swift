import CoreMetrics
import Testing
import TillCore
import TillShop

@testable import TillServer

@Suite("The metrics are Prometheus text")
struct PrometheusFiguresTests {
    private let figures = PrometheusFigures()

    private func lines(_ name: String) -> [String] {
        figures.text().split(separator: "\n").map(String.init).filter { $0.hasPrefix(name) }
    }

    @Test("Every declared metric has a help text and a type, also without a value")
    func declarations() {
        let text = figures.text()
        for metric in Metric.allCases {
            #expect(text.contains("# HELP \(metric.rawValue) \(metric.help)\n# TYPE \(metric.rawValue) "))
            #expect(metric.help.hasSuffix(".") && !metric.help.contains("\n") && metric.help.count < 200)
            #expect((metric.kind == .counter) == metric.rawValue.hasSuffix("_total"))
        }
        #expect(text.split(separator: "\n").count == 2 * Metric.allCases.count)
    }

    @Test("A histogram counts each observation in its bucket and in all larger ones, from any number of threads")
    func histogram() async {
        let recorder = Metric.commitGroupSize.recorder(factory: figures)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for size in [1, 2, 3, 128, 129] { recorder.record(size) } }
            }
        }
        let sizes = [(1, 8), (2, 16), (4, 24), (8, 24), (16, 24), (32, 24), (64, 24), (128, 32)]
        let buckets = sizes.map { #"till_commit_group_size_bucket{le="\#($0.0)"} \#($0.1)"# }
        #expect(
            lines("till_commit_group_size") == buckets + [
                #"till_commit_group_size_bucket{le="+Inf"} 40"#, "till_commit_group_size_sum \(8 * 263)",
                "till_commit_group_size_count 40",
            ]
        )
    }

    @Test("A duration is in seconds, and the labels of a histogram are before its bounds")
    func durations() {
        Metric.requestDuration.timer("sandbox", "/a", factory: figures).recordNanoseconds(2_500_000)
        let labels = #"environment="sandbox",route="/a""#
        let found = lines("till_request_duration_seconds")
        #expect(found.first == #"till_request_duration_seconds_bucket{\#(labels),le="0.001"} 0"#)
        #expect(found.contains(#"till_request_duration_seconds_bucket{\#(labels),le="0.005"} 1"#))
        #expect(found.suffix(2).first == "till_request_duration_seconds_sum{\(labels)} 0.0025")
    }

    @Test("A gauge without a value is left out, and the same labels are the same series")
    func gauges() {
        let gauge = Metric.storeSize.gauge(factory: figures)
        #expect(lines("till_store_size_bytes").isEmpty)
        gauge.set(5)
        #expect(lines("till_store_size_bytes") == ["till_store_size_bytes 5"])
        gauge.set(Double.nan)
        #expect(lines("till_store_size_bytes").isEmpty)
        for _ in 0..<2 { Metric.signatures.counter("jws", factory: figures).increment() }
        #expect(lines("till_signatures_total") == [#"till_signatures_total{format="jws"} 2"#])
    }

    @Test("Values of labels are escaped")
    func escaped() {
        Metric.buildInfo.gauge("a\"b\\c\nd", factory: figures).set(1)
        #expect(lines("till_build_info") == [#"till_build_info{version="a\"b\\c\nd"} 1"#])
    }

    @Test("A metric that is not declared, or is declared with another type or other labels, is not collected")
    func undeclared() {
        figures.makeCounter(label: "till_other_total", dimensions: []).increment(by: 1)
        figures.makeMeter(label: Metric.commits.rawValue, dimensions: [("result", "failed")]).set(Int64(1))
        figures.makeCounter(label: Metric.commits.rawValue, dimensions: [("app", "a")]).increment(by: 1)
        figures.makeTimer(label: Metric.storeSize.rawValue, dimensions: []).recordNanoseconds(1)
        #expect(!figures.text().contains("till_other") && lines("till_commits").isEmpty)
        #expect(lines("till_store_size").isEmpty)
    }

    @Test("Each reason for which a token is refused has a label of its own")
    func refusals() {
        let meter = RequestMeter(factory: figures)
        for refusal in TokenRefusal.allCases { meter.count(refusal) }
        let found = lines("till_token_refusals_total")
        #expect(found.count == TokenRefusal.allCases.count && found.allSatisfy { $0.hasSuffix("} 1") })
        #expect(found.contains(#"till_token_refusals_total{api="control",reason="other_app"} 1"#))
    }

    @Test("A listener counts the routes that it knows and those that it did not know, by status")
    func routes() {
        let listener = RequestMeter(factory: figures).listener(.sandbox, routes: ["/a"])
        #expect(lines("till_requests_total").isEmpty)
        let begin = ContinuousClock.now
        for (path, status) in [("/a", 200), ("/a", 200), ("/a", 404), ("/b", 200), (nil, 404)] {
            listener.count(path, status, since: begin)
        }
        let counts = [("/a", 200, 2), ("/a", 404, 1), ("/b", 200, 1), ("none", 404, 1)]
        for (path, status, count) in counts {
            let labels = #"environment="sandbox",route="\#(path)",status="\#(status)""#
            #expect(lines("till_requests_total").contains("till_requests_total{\(labels)} \(count)"))
        }
    }
}
