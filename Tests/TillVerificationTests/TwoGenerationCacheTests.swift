import Testing
import TillVerification

@Suite("The cache of two halves")
struct TwoGenerationCacheTests {
    @Test("The cache keeps what is used, within its limit")
    func cache() {
        var cache = TwoGenerationCache<String, Int>(limit: 8)
        cache.keep(0, of: "used")
        for number in 1...100 {
            cache.keep(number, of: "\(number)")
            #expect(cache.value(of: "used") == 0 && cache.count <= 8)
        }
        #expect(cache.value(of: "100") == 100 && cache.value(of: "50") == nil)
        cache.keep(7, of: "100")
        #expect(cache.value(of: "100") == 7)
        cache.removeAll()
        #expect(cache.count == 0 && cache.value(of: "used") == nil)
    }

    @Test("Values count by their sizes, and one that is too large is not kept")
    func sizes() {
        var cache = TwoGenerationCache<String, Int>(limit: 20)
        cache.keep(1, of: "a", size: 6)
        cache.keep(2, of: "b", size: 4)
        #expect(cache.count == 2)
        cache.keep(3, of: "c", size: 10)
        #expect(cache.count == 3)
        cache.keep(4, of: "d", size: 1)
        #expect(cache.count == 2 && cache.value(of: "a") == nil)
        cache.keep(5, of: "d", size: 11)
        #expect(cache.value(of: "d") == 4)
        cache.keep(6, of: "c", size: 11)
        #expect(cache.value(of: "c") == nil)
    }
}
