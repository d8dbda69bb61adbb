import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// Checks which destinations deliveries may have: address classes, the operator's setting, Till's own ports, and
/// redirects.
@Suite("Allowed destinations of deliveries")
struct DestinationTests {
    private static let body = Array(#"{"signedPayload":"a.b.c"}"#.utf8)

    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    /// The ports of this server, without ports of other nodes.
    private static func ownPorts(_ ports: [(String, Int)]) -> OwnPorts {
        let addresses = Set(["10.1.2.3", "198.51.100.9"].compactMap { IPAddress($0) })
        let own = OwnPorts(interfaces: { addresses }, machine: "here")
        for (host, port) in ports { own.add(host: host, port: port) }
        return own
    }

    // MARK: Addresses

    @Test(
        "Every spelling of a special address has the same class",
        arguments: [
            ("127.0.0.1", AddressClass.loopback), ("127.255.255.255", .loopback), ("::1", .loopback),
            ("0.0.0.0", .loopback), ("0.1.2.3", .loopback), ("::", .loopback), ("::ffff:127.0.0.1", .loopback),
            ("::127.0.0.1", .loopback), ("64:ff9b::7f00:1", .loopback), ("2002:7f00:1::", .loopback),
            ("169.254.0.1", .linkLocal), ("169.254.169.254", .linkLocal), ("::ffff:169.254.169.254", .linkLocal),
            ("fe80::1", .linkLocal), ("febf::1", .linkLocal), ("64:ff9b::a9fe:a9fe", .linkLocal),
            ("fd00:ec2::254", .metadata), ("fd20:ce::254", .metadata), ("100.100.100.200", .metadata),
            ("10.0.0.1", .privateUse), ("172.16.0.1", .privateUse), ("172.31.255.255", .privateUse),
            ("192.168.1.1", .privateUse), ("100.64.0.1", .privateUse), ("100.127.255.255", .privateUse),
            ("198.18.0.1", .privateUse), ("fc00::1", .privateUse), ("fdff::1", .privateUse),
            ("::ffff:10.0.0.1", .privateUse), ("fec0::1", .privateUse), ("2002:a00:1::", .privateUse),
            ("224.0.0.1", .reserved), ("255.255.255.255", .reserved), ("ff02::1", .reserved),
            ("198.51.100.7", .publicUse), ("172.32.0.1", .publicUse), ("100.128.0.1", .publicUse),
            ("169.255.0.1", .publicUse), ("11.0.0.1", .publicUse), ("2600::1", .publicUse),
            ("64:ff9b::c633:6407", .publicUse), ("2002:c633:6407::", .publicUse),
        ]
    )
    func classes(text: String, kind: AddressClass) throws {
        #expect(AddressClass(try Self.address(text)) == kind)
    }

    @Test("An invalid address or network is rejected")
    func malformed() {
        for text in ["", "localhost", "1.2.3", "127.1", "0x7f000001", "[::1]", "fe80::1%eth0", "1.2.3.4 ", "::g"] {
            #expect(IPAddress(text) == nil, "\(text)")
        }
        for text in ["10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "x/8", "/8"] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
    }

    // MARK: The setting

    @Test("Without a setting, only link-local and metadata addresses are forbidden")
    func standard() throws {
        let check = DestinationCheck()
        for text in ["127.0.0.1", "10.0.0.1", "198.51.100.7", "fd00::1"] {
            #expect(check.refusal(of: try Self.address(text), port: 80, isSecure: false) == nil, "\(text)")
        }
        for text in ["169.254.169.254", "fe80::1", "fd00:ec2::254", "::ffff:169.254.1.1"] {
            let reason = check.refusal(of: try Self.address(text), port: 80, isSecure: true)
            #expect(reason?.contains("--endpoint-networks") == true, "\(text)")
        }
    }

    @Test("public-https allows HTTPS to public addresses, and to the listed networks")
    func publicHTTPS() throws {
        let networks = try #require(EndpointNetworks(["public-https", "10.20.0.0/16"]))
        let check = DestinationCheck(networks: networks)
        func isAllowed(_ text: String, _ isSecure: Bool) throws -> Bool {
            check.refusal(of: try Self.address(text), port: 443, isSecure: isSecure) == nil
        }
        #expect(try isAllowed("198.51.100.7", true))
        #expect(try !isAllowed("198.51.100.7", false))
        for text in ["127.0.0.1", "10.21.0.1", "169.254.169.254", "::1", "fd00::1", "255.255.255.255"] {
            #expect(try !isAllowed(text, true), "\(text)")
        }
        #expect(try isAllowed("10.20.3.4", false))
    }

    @Test("A list of networks allows nothing else; an invalid network in it is an invalid setting")
    func listed() throws {
        let check = DestinationCheck(networks: try #require(EndpointNetworks(["169.254.7.0/24", "fe80::/10"])))
        for (text, isAllowed) in [
            ("169.254.7.9", true), ("169.254.8.9", false), ("fe80::1", true), ("198.51.100.7", false),
        ] {
            let refusal = check.refusal(of: try Self.address(text), port: 80, isSecure: false)
            #expect((refusal == nil) == isAllowed, "\(text)")
        }
        #expect(EndpointNetworks([]) == EndpointNetworks(["default"]))
        for words in [["none"], ["10.0.0.1/8"], ["default", "public-https"], [""]] {
            #expect(EndpointNetworks(words) == nil, "\(words)")
        }
    }

    // MARK: Till's own ports

    @Test("A port of Till is recognized at every address of this machine, and nowhere else")
    func ownAddresses() throws {
        let own = Self.ownPorts([("127.0.0.1", 8_890), ("0.0.0.0", 8_888), ("::1", 8_889), ("10.1.2.3", 443)])
        for (text, port, isOwn) in [
            ("127.0.0.1", 8_890, true), ("::ffff:127.0.0.1", 8_890, true), ("0.0.0.0", 8_890, true),
            ("127.0.0.2", 8_890, false), ("10.1.2.3", 8_890, false), ("127.0.0.1", 8_891, false),
            ("127.0.0.1", 8_888, true), ("127.9.9.9", 8_888, true), ("10.1.2.3", 8_888, true), ("::1", 8_888, true),
            ("198.51.100.9", 8_888, true), ("198.51.100.10", 8_888, false), ("::", 8_889, true),
            ("10.1.2.3", 443, true),
        ] {
            #expect(own.contains(try Self.address(text), port: port) == isOwn, "\(text) \(port)")
        }
    }

    @Test("Ports of other nodes are recognized by loopback on this machine, and by their addresses on others")
    func otherNodes() throws {
        let near = Self.ownPorts([("127.0.0.1", 9_890)])
        near.complete()
        let addresses = Set(["127.0.0.1", "10.1.2.4"].compactMap { IPAddress($0) })
        let far = OwnPorts(interfaces: { addresses }, machine: "there")
        for (host, port) in [("0.0.0.0", 7_888), ("127.0.0.1", 7_890)] { far.add(host: host, port: port) }
        #expect(far.publication == nil, "before all ports are open")
        far.complete()
        let others = try [near, far].map { try #require($0.publication) }
        let own = OwnPorts(others: { others }, interfaces: { [] }, machine: "here")
        for (text, port, isOwn) in [
            ("127.0.0.1", 9_890, true), ("10.1.2.4", 7_888, true), ("127.0.0.1", 7_890, false),
            ("127.0.0.1", 7_888, false), ("10.1.2.4", 7_890, false),
        ] {
            #expect(own.contains(try Self.address(text), port: port) == isOwn, "\(text) \(port)")
        }
    }

    @Test("A URL with one of Till's own ports or a link-local address cannot be an endpoint")
    func endpoints() async {
        let check = DestinationCheck(ownPorts: Self.ownPorts([("127.0.0.1", 8_890), ("::1", 8_890)]))
        for url in [
            "http://127.0.0.1:8890/", "http://localhost:8890/v1", "http://[::1]:8890/",
            "http://[::ffff:127.0.0.1]:8890/",
        ] {
            #expect(await check.refusal(ofEndpoint: url)?.contains("port of this Till") == true, "\(url)")
        }
        #expect(await check.refusal(ofEndpoint: "http://169.254.169.254/latest")?.contains("link-local") == true)
        for url in ["http://127.0.0.1:8891/", "http://unknown.invalid:8890/", "https://198.51.100.7/"] {
            #expect(await check.refusal(ofEndpoint: url) == nil, "\(url)")
        }
    }

    // MARK: Deliveries

    @Test(
        "A redirect to one of Till's own ports is not followed, and the attempt records the reason",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirectToOwnPort(status: Int) async throws {
        let till = try await WebhookReceiver.start()
        let place = till.url
        let post = try await WebhookReceiver.start { _ in .redirect(to: place, status: status) }
        let check = DestinationCheck(ownPorts: Self.ownPorts([("127.0.0.1", till.port)]))
        let webhookClient = try WebhookClient(timeout: .seconds(60), destinations: check)
        for address in ["127.0.0.1", "localhost"] {
            let delivered = await webhookClient.post(Self.body, to: "http://\(address):\(post.port)/")
            #expect(delivered.result == .unsuccessfulHTTPResponseCode && delivered.status == status)
            #expect(delivered.isRefused && delivered.explanation?.contains("not followed: 127.0.0.1") == true)
        }
        #expect(till.requests.isEmpty && post.requests.count == 2)
        let direct = await webhookClient.post(Self.body, to: till.url)
        #expect(direct.result == .other && direct.status == nil && direct.isRefused && till.requests.isEmpty)
        try await webhookClient.shutdown()
        try await post.stop()
        try await till.stop()
    }

    /// A check that treats 127.0.0.2 and 127.0.0.3 as public addresses.
    private static let staged = DestinationCheck { address in
        ["127.0.0.2", "127.0.0.3"].contains(address.description) ? .publicUse : AddressClass(address)
    }

    @Test(
        "A public endpoint may redirect only to a public one, even over a reused connection",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirectFromPublic(status: Int) async throws {
        let inside = try await WebhookReceiver.start()
        let outside = try await WebhookReceiver.start(host: "127.0.0.3")
        let (near, far) = (inside.url, outside.url)
        let post = try await WebhookReceiver.start(host: "127.0.0.2") { request in
            .redirect(to: request.path == "/in" ? near : far, status: status)
        }
        let webhookClient = try WebhookClient(timeout: .seconds(60), idleLimit: .seconds(60), destinations: Self.staged)
        // This kept connection is allowed, because no redirect led to it.
        #expect(await webhookClient.post(Self.body, to: inside.url).result == .success)
        let refused = await webhookClient.post(Self.body, to: "http://127.0.0.2:\(post.port)/in")
        #expect(refused.result == .unsuccessfulHTTPResponseCode && refused.status == status && refused.isRefused)
        #expect(inside.requests.count == 1)
        let followed = await webhookClient.post(Self.body, to: "http://127.0.0.2:\(post.port)/out")
        #expect(followed.result == .success && !followed.isRefused && outside.requests.first?.body == Self.body)
        for place in [inside, outside, post] { try await place.stop() }
        try await webhookClient.shutdown()
    }

    @Test("After a redirect, the address of the connection is checked, even if the connection is closed")
    func redirectAndClose() async throws {
        let inside = try await WebhookReceiver.start()
        let text = "HTTP/1.1 307 Go\r\nLocation: \(inside.url)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        for (host, isFollowed) in [("127.0.0.2", false), ("127.0.0.1", true)] {
            let post = try await WebhookReceiver.start(host: host) { _ in .rawThenClose(Array(text.utf8)) }
            let webhookClient = try WebhookClient(timeout: .seconds(60), destinations: Self.staged)
            let delivered = await webhookClient.post(Self.body, to: post.url)
            #expect((delivered.result == .success) == isFollowed && delivered.isRefused == !isFollowed)
            try await webhookClient.shutdown()
            try await post.stop()
        }
        try await inside.stop()
    }

    @Test("An attempt that Till blocked records the reason, and is retried on schedule")
    func kept() async throws {
        let till = try await WebhookReceiver.start()
        let test = try await DeliveryTests.shop(till)
        test.shop.destinations.ownPorts.add(host: "127.0.0.1", port: till.port)
        let deliveryWorker = try test.startSending()
        try await test.buy("coins", by: "ann")
        let clock = ClockName(DeliveryTests.scope())
        try await test.advanceAndSettle(clock, .by(milliseconds: DeliveryTests.hour))
        let attempts = try await DeliveryTests.attempts(test)
        #expect(attempts.first?.map(\.result) == [.other, .other])
        #expect(attempts.first?.allSatisfy { $0.reason?.contains("port of this Till") == true } == true)
        #expect(till.requests.isEmpty)
        await test.stopSending(deliveryWorker)
        try await till.stop()
    }
}
