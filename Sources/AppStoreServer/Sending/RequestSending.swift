import Logging

/// Sends calls: to one server after another, with tokens, limits and retries.
struct RequestSending: Sendable {
    let transport: any AppStoreTransport
    let options: ClientOptions
    let time: any ClientTime
    /// Nil for verifyReceipt.
    let tokens: TokenCache?
    private let budget: RetryBudget
    private let limit: RequestLimit

    init(transport: any AppStoreTransport, options: ClientOptions, time: any ClientTime, tokens: TokenCache?) {
        (self.transport, self.options, self.time, self.tokens) = (transport, options, time, tokens)
        budget = RetryBudget(capacity: options.retryBudget)
        limit = RequestLimit(requestsPerSecond: options.requestsPerSecond)
    }

    /// Asks the servers of an environment, one after another, until one knows what the call is about.
    func perform<Value>(_ call: APICall<Value>, at environment: ServerEnvironment) async throws -> Answer<Value> {
        let end = time.elapsed + options.deadline
        let others = call.isSought ? environment.servers.dropFirst() : []
        var answer = try await outcome(call, environment.servers[0], until: end)
        for server in others {
            guard case .failure(let error) = answer, error.isUnknownHere else { break }
            answer = try await outcome(call, server, until: end)
        }
        return try answer.get()
    }

    private func outcome<Value>(
        _ call: APICall<Value>,
        _ server: ServerAddress,
        until end: Duration
    ) async throws -> Result<Answer<Value>, AppStoreServerError> {
        do {
            return .success(try await send(call, to: server, until: end))
        } catch let error as AppStoreServerError {
            return .failure(error)
        }
    }

    // MARK: One server

    private func send<Value>(_ call: APICall<Value>, to server: ServerAddress, until end: Duration) async throws
        -> Answer<Value>
    {
        budget.deposit()
        var last: AppStoreServerError?
        var hasFollowedClock = false
        while true {
            try await waitForTurn(server, after: last, until: end)
            do {
                return try await attempt(call, server, until: end)
            } catch var error as AppStoreServerError {
                error.attempts = (last?.attempts ?? 0) + 1
                last = error
                if case .clockSkew(let skew) = error.reason, options.correctsClockSkew, !hasFollowedClock {
                    hasFollowedClock = true
                    tokens?.follow(clockAhead: skew)
                    options.logger?.warning("the clock of \(server) is \(skew) ahead")
                    continue
                }
                guard call.isRepeatable || !error.mayHaveHadEffect else { throw error }
                try await pause(after: error, until: end)
            }
        }
    }

    private func waitForTurn(
        _ server: ServerAddress,
        after last: AppStoreServerError?,
        until end: Duration
    ) async throws {
        try Task.checkCancellation()
        guard let wait = limit.reserve(now: time.elapsed, until: end) else {
            throw last
                ?? AppStoreServerError(
                    reason: .limited,
                    message: "The limit of requests a second leaves no time for the request before the deadline.",
                    canRetry: true,
                    mayHaveHadEffect: false,
                    server: server,
                    attempts: 0
                )
        }
        if wait > .zero { try await time.sleep(for: wait) }
    }

    /// Waits before the next attempt.
    ///
    /// - Throws: the error, if there must be no further attempt.
    private func pause(after error: AppStoreServerError, until end: Duration) async throws {
        guard error.canRetry, error.attempts < options.maxAttempts else { throw error }
        let doublings = min(error.attempts - 1, 20)
        let backoff = min(options.backoff * (1 << doublings), options.maxBackoff) * (1 - time.random() / 2)
        let wait = (error.retryAfter ?? .zero) + backoff
        guard time.elapsed + wait < end, budget.withdraw() else { throw error }
        options.logger?.info("attempt \(error.attempts) failed; the next is in \(wait): \(error)")
        try await time.sleep(for: wait)
    }

    // MARK: One attempt

    private func attempt<Value>(_ call: APICall<Value>, _ server: ServerAddress, until end: Duration) async throws
        -> Answer<Value>
    {
        let token = try tokens?.token(at: time.now)
        let request = request(call, server, token)
        let timeout = max(.milliseconds(1), min(options.attemptTimeout, end - time.elapsed))
        let response: TransportResponse
        do {
            response = try await transport.send(request, timeout: timeout, maxBytes: options.maxAnswerBytes)
        } catch {
            try Task.checkCancellation()
            let failure = error as? TransportFailure ?? TransportFailure(cause: "\(error)", mayHaveArrived: true)
            throw AppStoreServerError(
                reason: .unreachable,
                message: "No complete answer: \(failure.cause)",
                canRetry: failure.canRetry,
                mayHaveHadEffect: failure.mayHaveArrived,
                server: server
            )
        }
        guard (200..<300).contains(response.status) else {
            throw response.identified(refusal(response, server, token))
        }
        do {
            return Answer(value: try call.read(response.body), server: server, serverTime: response.date)
        } catch {
            throw response.identified(AppStoreServerError(reading: response, failedWith: error, server))
        }
    }

    private func request<Value>(
        _ call: APICall<Value>,
        _ server: ServerAddress,
        _ token: TokenCache.Token?
    ) -> TransportRequest {
        var headers = [(name: "Accept", value: "application/json"), ("User-Agent", options.userAgent)]
        if let token { headers.append(("Authorization", "Bearer \(token.text)")) }
        if call.body != nil { headers.append(("Content-Type", "application/json")) }
        return TransportRequest(
            method: call.method.rawValue,
            url: (call.isReceipt ? server.receiptURL : server.url) + call.target,
            headers: headers,
            body: call.body
        )
    }

    private func refusal(
        _ response: TransportResponse,
        _ server: ServerAddress,
        _ token: TokenCache.Token?
    ) -> AppStoreServerError {
        let date = response.date
        guard response.status == 401, let token else {
            let retryAfter = response.header("Retry-After").flatMap { HTTPDate.wait($0, now: date ?? time.now) }
            return AppStoreServerError(refusal: response, retryAfter: retryAfter, server)
        }
        // The token may be dated by the server's clock already.
        let skew = date.map { $0 - time.now } ?? token.clockOffset
        let isDatedRight = abs((skew - token.clockOffset).milliseconds) <= TokenCache.tolerance.milliseconds
        return AppStoreServerError(unauthenticated: isDatedRight ? .unauthenticated : .clockSkew(skew), server)
    }
}

extension TransportResponse {
    /// The time of the server; nil if the answer does not say.
    fileprivate var date: Timestamp? { header("Date").flatMap(HTTPDate.parse) }

    /// An error with the server's id of the request.
    fileprivate func identified(_ error: AppStoreServerError) -> AppStoreServerError {
        var error = error
        error.requestID = header("X-Request-ID")
        return error
    }
}
