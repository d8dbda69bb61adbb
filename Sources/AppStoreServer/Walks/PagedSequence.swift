/// An answer that is one page of a longer list.
public protocol AppStorePage: AppStoreObject {
    /// What the pages contain.
    associatedtype Element: Sendable
    /// What this page contains, in its order.
    var elements: [Element] { get }
    /// Whether there are more pages.
    var hasMore: Bool { get }
    /// The position after this page: a `revision` or a `paginationToken`.
    var position: String? { get }
}

/// A list that the App Store answers in pages.
///
/// A page is fetched when its first element is needed, so that at most one page is ahead of what was read. All pages
/// come from the server that answered the first.
///
/// An iterator that throws can be asked again: it repeats the same page, and neither loses nor doubles an element.
///
/// ```swift
/// for try await page in client.transactions(of: id, from: kept).pages {
///     try await store(page.signedTransactions, upTo: page.revision)
/// }
/// ```
public struct PagedSequence<Page: AppStorePage>: AsyncSequence, Sendable {
    fileprivate typealias Fetch = @Sendable (AppStoreServerClient, String?) async throws -> Answer<Page>

    fileprivate let client: AppStoreServerClient
    fileprivate let position: String?
    fileprivate let fetch: Fetch

    init(
        client: AppStoreServerClient,
        position: String?,
        fetch: @escaping @Sendable (AppStoreServerClient, String?) async throws -> Answer<Page>
    ) {
        (self.client, self.position, self.fetch) = (client, position, fetch)
    }

    /// The pages themselves, each with its position and the server that answered.
    public var pages: PageSequence<Page> { PageSequence(list: self) }

    /// Reads the elements.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads the elements one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: PageSequence<Page>.Iterator
        private var elements: ArraySlice<Page.Element> = []

        fileprivate init(pages: PageSequence<Page>.Iterator) { self.pages = pages }

        /// The next element; nil at the end.
        ///
        /// - Throws: `AppStoreServerError` or `CancellationError`. The iterator can then be asked again.
        public mutating func next() async throws -> Page.Element? {
            while elements.isEmpty {
                guard let page = try await pages.next() else { return nil }
                elements = page.elements[...]
            }
            return elements.popFirst()
        }

        /// The position after the page that is being read. A later walk from here gets what follows that page.
        public var position: String? { pages.position }
    }
}

/// The pages of a list.
public struct PageSequence<Page: AppStorePage>: AsyncSequence, Sendable {
    fileprivate let list: PagedSequence<Page>

    /// Reads the pages.
    public func makeAsyncIterator() -> Iterator {
        Iterator(client: list.client, position: list.position, fetch: list.fetch)
    }

    /// Reads the pages one after another.
    public struct Iterator: AsyncIteratorProtocol {
        private var client: AppStoreServerClient
        private let fetch: PagedSequence<Page>.Fetch
        private var isAtEnd = false
        private var repetition = RepetitionCheck()
        /// The position after the last page; at first, the position from which the walk started.
        public private(set) var position: String?

        fileprivate init(client: AppStoreServerClient, position: String?, fetch: @escaping PagedSequence<Page>.Fetch) {
            (self.client, self.position, self.fetch) = (client, position, fetch)
        }

        /// The next page; nil at the end.
        ///
        /// - Throws: `AppStoreServerError` or `CancellationError`. The iterator can then be asked again.
        public mutating func next() async throws -> Answer<Page>? {
            guard !isAtEnd else { return nil }
            let page = try await fetch(client, position)
            guard !page.hasMore || isNew(page.position) else {
                throw AppStoreServerError(
                    reason: .invalidAnswer,
                    status: 200,
                    message: "More pages follow, but from no position, or from one that a page before had.",
                    canRetry: true,
                    mayHaveHadEffect: false,
                    server: page.server
                )
            }
            client = client.at(page.server)
            isAtEnd = !page.hasMore
            position = page.position ?? position
            return page
        }

        private mutating func isNew(_ next: String?) -> Bool {
            next.map { !repetition.isRepeated($0, after: position) } ?? false
        }
    }
}
